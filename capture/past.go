package capture

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/flaketap/flaketap/capture/client"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/tcp"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/replay/service"
)

// A client that is told of the recorder need not heed it. What it then sends to the API is missing from the recording,
// and nothing would say so, least of all where the rest of its requests is there. So the connections of its processes
// are looked at while it runs (client.Watch), and those that lead to an API of the recording are told of.

// lookupTimeout bounds how long the addresses of an API are asked for.
const lookupTimeout = 2 * time.Second

// maxPast bounds how many addresses are named.
const maxPast = 3

// watch returns what looks at the connections of the client that is about to be started.
func (s *Session) watch() *client.Watch {
	w := &client.Watch{Own: []uint16{uint16(s.Addr().(*net.TCPAddr).Port)}}
	if _, port, err := net.SplitHostPort(s.Proxy.Control); err == nil {
		n, _ := strconv.ParseUint(port, 10, 16)
		w.Own = append(w.Own, uint16(n))
	}
	return w
}

// noteAPIs has the APIs noted that exchanges are had with, before the proxy serves.
func (s *Session) noteAPIs() {
	s.apis = &apis{Recorder: s.Proxy.Recorder}
	s.Proxy.Recorder = s.apis
}

// apis notes which APIs exchanges are had with.
type apis struct {
	proxy.Recorder

	mu    sync.Mutex
	addrs []string // host:port
}

// maxAPIs bounds how many are noted.
const maxAPIs = 64

// Record implements proxy.Recorder.
func (a *apis) Record(e *exchange.Exchange) error {
	a.mu.Lock()
	if len(a.addrs) < maxAPIs && !slices.Contains(a.addrs, e.Addr) {
		a.addrs = append(a.addrs, e.Addr)
	}
	a.mu.Unlock()
	return a.Recorder.Record(e)
}

// sayPast says where the client went past the recorder: to the targets of a reverse proxy; of a forward proxy to the
// APIs that it had exchanges with, or to any address where it had none.
func (s *Session) sayPast(ctx context.Context, seen []client.Sighting) {
	if len(seen) == 0 {
		return
	}
	var apis []string
	if s.Proxy.Target != nil {
		apis = append(apis, service.HostPort(s.Proxy.Target))
	}
	for _, r := range s.Proxy.Routes {
		apis = append(apis, service.HostPort(r.Target))
	}
	if len(apis) == 0 {
		s.apis.mu.Lock()
		apis = slices.Clone(s.apis.addrs)
		s.apis.mu.Unlock()
	}
	if len(apis) > 0 {
		there := addresses(ctx, apis)
		seen = slices.DeleteFunc(seen, func(one client.Sighting) bool { return !there[one.Addr] })
	}
	if len(seen) == 0 {
		return
	}
	connections, names := 0, []string{}
	for _, one := range seen {
		connections += one.Connections
		if len(names) < maxPast {
			names = append(names, one.Addr.String())
		}
	}
	if len(seen) > maxPast {
		names = append(names, "…")
	}
	base := "http://" + tcp.Reachable(s.Addr()).String()
	advice := proxyAdvice(base)
	if s.Targets() != "" {
		advice = baseURLAdvice(base)
	}
	s.console.Say("flaketap: the client connected to %s directly (%s seen): what it sent there is not recorded.\nflaketap: %s",
		strings.Join(names, ", "), console.Count(connections, "connection"), advice)
}

// addresses returns all addresses of APIs. One whose name is not known has none.
func addresses(ctx context.Context, apis []string) map[netip.AddrPort]bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookupTimeout)
	defer cancel()
	all := map[netip.AddrPort]bool{}
	for _, api := range apis {
		host, port, err := net.SplitHostPort(api)
		n, perr := strconv.ParseUint(port, 10, 16)
		if err != nil || perr != nil {
			continue
		}
		list, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		for _, ip := range list {
			all[netip.AddrPortFrom(ip.Unmap(), uint16(n))] = true
		}
	}
	return all
}
