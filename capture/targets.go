package capture

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/replay/service"
)

// ParseTargets reads where APIs are: a URL for all requests, nil where there is none, and those for parts of the
// requests, as /path=URL or host=URL. Its errors are mistakes in the command line (console.Usage).
func ParseTargets(specs []string) (all *url.URL, routes []proxy.Route, err error) {
	seen := map[string]bool{}
	for _, s := range specs {
		part, base, found := strings.Cut(s, "=")
		if !found || strings.Contains(part, "://") {
			part, base = "", s
		}
		u, err := service.BaseURL(base)
		switch {
		case err != nil:
			return nil, nil, err
		case found && u == nil:
			return nil, nil, console.Usage(fmt.Errorf("--target %s= lacks a URL", part))
		case seen[part]:
			return nil, nil, console.Usage(twice(part))
		}
		seen[part] = true
		switch {
		case part == "":
			all = u
		case part[0] == '/':
			routes = append(routes, proxy.Route{Path: part, Target: u})
		case strings.ContainsAny(part, "/?#@*"):
			return nil, nil, console.Usage(
				fmt.Errorf("--target %s=URL: the part before = must be a host, or a path that begins with a slash", part))
		default:
			routes = append(routes, proxy.Route{Host: part, Target: u})
		}
	}
	return all, routes, nil
}

// twice says that two targets would be for the same requests.
func twice(part string) error {
	if part == "" {
		return errors.New("two --target for all requests: limit one with /path=URL or host=URL")
	}
	return fmt.Errorf("two --target for %s", part)
}

// targetsText names the targets of a recorder, as passes have them; "" where there are none. parseTargetsText reads it.
func targetsText(p *proxy.Proxy) string {
	var all []string
	if p.Target != nil {
		all = append(all, p.Target.Redacted())
	}
	for _, r := range p.Routes {
		all = append(all, r.Host+r.Path+"="+r.Target.Redacted())
	}
	return strings.Join(all, ", ")
}

func parseTargetsText(text string) (all *url.URL, routes []proxy.Route, err error) {
	return ParseTargets(strings.Split(text, ", "))
}
