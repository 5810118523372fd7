package proxy

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/flaketap/flaketap/internal/wire"
)

// Route takes a part of what clients send to the recorder as to the API itself to a target of its own. Which route a
// request takes it says itself, by its path or its Host; where that leads, the user alone.
type Route struct {
	// Host is the name that the requests bear in Host, with a port if only that one is meant; or "".
	Host string
	// Path is what their path begins with, up to its end or a slash, byte for byte as it is sent; or "". It begins with
	// a slash, and stays in the path that the target gets.
	Path string
	// Target is where they go: its scheme (http or https) and authority, nothing else of it.
	Target *url.URL
	// Name goes into the exchanges as that of their target; "" is the Host, or else the Path.
	Name string
}

// check says what is wrong with a route.
func (r Route) check() error {
	switch {
	case (r.Host == "") == (r.Path == ""):
		return errors.New("set up proxy: a route is for a host or for a path")
	case r.Path != "" && r.Path[0] != '/':
		return fmt.Errorf("set up proxy: the path %q of a route does not begin with a slash", r.Path)
	case r.Target == nil:
		return fmt.Errorf("set up proxy: the route %s leads nowhere", r.Host+r.Path)
	}
	return checkTarget(r.Target)
}

func (r Route) destination() destination {
	return destinationOf(r.Target, cmp.Or(r.Name, r.Host, r.Path))
}

// forHost reports whether a route is for the authority that a request names.
func (r Route) forHost(authority string) bool {
	if r.Host == "" || authority == "" {
		return false
	}
	want, port := splitPort(r.Host)
	got, asked := splitPort(authority)
	return plainHost(want) == plainHost(got) && (port == "" || port == asked)
}

// forPath reports whether a route is for a path.
func (r Route) forPath(path string) bool {
	rest, found := strings.CutPrefix(path, r.Path)
	return r.Path != "" && found && (rest == "" || rest[0] == '/' || strings.HasSuffix(r.Path, "/"))
}

// splitPort splits an authority; port is "" where there is none.
func splitPort(authority string) (host, port string) {
	if host, port, err := net.SplitHostPort(authority); err == nil {
		return host, port
	}
	if inner, ok := strings.CutPrefix(authority, "["); ok && strings.HasSuffix(inner, "]") {
		return strings.TrimSuffix(inner, "]"), ""
	}
	return authority, ""
}

// reverse reports whether the proxy stands in the place of an API, whatever else it does.
func (p *Proxy) reverse() bool { return p.Target != nil || len(p.Routes) > 0 }

// pick returns the target of a request that was sent as to the API itself: that of the route for its Host, of the one
// for the longest beginning of its path, or the one for all.
func (p *Proxy) pick(host, path string) (destination, error) {
	for _, r := range p.Routes {
		if r.forHost(host) {
			return r.destination(), nil
		}
	}
	best := Route{}
	for _, r := range p.Routes {
		if r.forPath(path) && len(r.Path) > len(best.Path) {
			best = r
		}
	}
	switch {
	case best.Target != nil:
		return best.destination(), nil
	case p.Target != nil:
		return p.target(), nil
	case p.reverse():
		return destination{scheme: "http", name: p.TargetName}, errors.New("no target is for the request's host and path")
	}
	if p.Redirected != nil {
		return destination{scheme: "http", name: p.TargetName}, fmt.Errorf("the connection was not redirected: %w", errNoHost)
	}
	return destination{scheme: "http", name: p.TargetName}, errNoHost
}

// pinned returns the target of the user's that a client means who names an authority as to a proxy: in any spelling, by
// the target's own address, by the recorder's, or by the name that a route is for. host and path are those of the
// request, as far as there are any.
func (p *Proxy) pinned(addr, host, path string) (destination, bool) {
	if p.itself(addr) {
		d, err := p.pick(host, path)
		return d, err == nil
	}
	if p.Target != nil && sameAuthority(addr, p.target().addr) {
		return p.target(), true
	}
	for _, r := range p.Routes {
		if r.forHost(addr) || sameAuthority(addr, r.destination().addr) {
			return r.destination(), true
		}
	}
	return destination{}, false
}

// hostOfHead returns what a request names as its host; "" where no route is for a host.
func (p *Proxy) hostOfHead(head []byte) string {
	for _, r := range p.Routes {
		if r.Host != "" {
			return strings.TrimSpace(wire.ParseHead(head).Fields.Get("Host"))
		}
	}
	return ""
}
