package proxy_test

import (
	"bufio"
	"crypto/tls"
	"net"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/proxy"
)

// What is for a tunnelled host passes as it is, with the host's own certificate, and unrecorded; what is for others is
// intercepted.
func TestTunnelledHosts(t *testing.T) {
	ca, own, rec := newTrust(t), newTrust(t), newTape()
	a, _ := teller(t, ca.server(t), "a")
	b, _ := teller(t, ca.server(t), "b")
	p := &proxy.Proxy{Recorder: rec, Leaves: own, UpstreamTLS: ca.client(), Tunnel: proxy.Hosts{"*.example", a.addr()}}
	addr := serve(t, p)
	through := throughTunnel(t, addr, a.addr(), ca.client())
	if got := ask(t, through, bufio.NewReader(through), get); got != "a" {
		t.Errorf("answered by %q", got)
	}
	into := throughTunnel(t, addr, b.addr(), own.client())
	if got := ask(t, into, bufio.NewReader(into), get); got != "b" {
		t.Errorf("answered by %q", got)
	}
	if e := rec.next(t); e.Addr != b.addr() {
		t.Errorf("recorded at %s", e.Addr)
	}
	rec.empty(t)
	if s := p.Stats(); s.Blind != 1 || s.Exchanges != 1 {
		t.Errorf("%+v", s)
	}
}

// What is for an excluded host is served, and not recorded: in plain HTTP, within TLS, and where it fails.
func TestExcludedHosts(t *testing.T) {
	ca, own, rec := newTrust(t), newTrust(t), newTape()
	a, _ := teller(t, nil, "a")
	b, _ := teller(t, nil, "b")
	s, _ := teller(t, ca.server(t), "s")
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	p := &proxy.Proxy{Recorder: rec, Leaves: own, UpstreamTLS: &tls.Config{RootCAs: ca.pool},
		Exclude: proxy.Hosts{a.addr(), s.addr(), gone.Addr().String()}}
	addr := serve(t, p)
	c := dial(t, addr)
	r := bufio.NewReader(c)
	for _, x := range []*api{a, b, a} {
		ask(t, c, r, strings.Replace(get, "/a", "http://"+x.addr()+"/a", 1))
	}
	into := throughTunnel(t, addr, s.addr(), own.client())
	if got := ask(t, into, bufio.NewReader(into), get); got != "s" {
		t.Errorf("answered by %q", got)
	}
	if got := ask(t, c, r, strings.Replace(get, "/a", "http://"+gone.Addr().String()+"/a", 1)); !strings.Contains(got, "refused") {
		t.Errorf("answered %q", got)
	}
	if e := rec.next(t); e.Addr != b.addr() {
		t.Errorf("recorded at %s", e.Addr)
	}
	rec.empty(t)
	if s := p.Stats(); s.Excluded != 4 || s.Exchanges != 1 || s.Faults != 0 {
		t.Errorf("%+v", s)
	}
}
