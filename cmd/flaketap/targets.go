package main

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/urfave/cli/v2"
)

func targetsFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "target", Usage: "the API's base `URL`; again, as /path=URL or host=URL, for those behind other paths and hosts"}
}

// targets reads --target: the URL of the API for all, nil where there is none, and those for parts of the requests.
func targets(c *cli.Context) (*url.URL, []proxy.Route, error) {
	var (
		all    *url.URL
		routes []proxy.Route
		seen   = map[string]bool{}
	)
	for _, s := range c.StringSlice("target") {
		part, base, found := strings.Cut(s, "=")
		if !found || strings.Contains(part, "://") {
			part, base = "", s
		}
		u, err := service.BaseURL(base)
		switch {
		case err != nil:
			return nil, nil, err
		case found && u == nil:
			return nil, nil, console.Usage(fmt.Errorf("--target %s= names no URL", part))
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
			return nil, nil, console.Usage(fmt.Errorf("--target %s=URL: what stands before = is a path, which begins with a slash, or a host", part))
		default:
			routes = append(routes, proxy.Route{Host: part, Target: u})
		}
	}
	return all, routes, nil
}

// checkHosts refuses what is no pattern of hosts.
func checkHosts(c *cli.Context, flags ...string) error {
	for _, name := range flags {
		if err := proxy.Hosts(c.StringSlice(name)).Check(); err != nil {
			return console.Usage(fmt.Errorf("--%s: %w", name, err))
		}
	}
	return nil
}

// sayUnrecorded tells what passed unrecorded as the user wanted it.
func (t *tool) sayUnrecorded(c *cli.Context, s proxy.Stats) {
	if s.Excluded > 0 {
		t.say(c, "flaketap: %s with excluded hosts passed unrecorded", console.Count(s.Excluded, "exchange"))
	}
	if s.Blind > 0 {
		t.say(c, "flaketap: %s passed unrecorded", console.Count(s.Blind, "tunnel"))
	}
}

// twice says that two targets would be for the same requests.
func twice(part string) error {
	if part == "" {
		return errors.New("there are two --target for all requests: /path=URL or host=URL says what one is for")
	}
	return fmt.Errorf("there are two --target for %s", part)
}

// targetsText names the targets of a recorder in a line of talk; "" where there are none.
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
