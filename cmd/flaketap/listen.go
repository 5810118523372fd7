package main

import (
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/tcp"
	"github.com/flaketap/flaketap/proxy"
	"github.com/urfave/cli/v2"
)

func proxyAuthFlag() cli.Flag {
	return &cli.StringFlag{Name: "proxy-auth", EnvVars: []string{"FLAKETAP_PROXY_AUTH"},
		Usage: "`USER:PASSWORD` that clients must give to use the recorder as a proxy (the variable keeps it out of the list of processes)"}
}

// listen opens the address that clients come to. Loopback is open to this machine alone. Any other must be named; there
// a forward proxy asks for a password, and a reverse proxy takes other machines to its target and nowhere else.
func listen(c *cli.Context, p *proxy.Proxy) (net.Listener, error) {
	return listenAt(c.String("listen"), c.String("proxy-auth"), p)
}

// listenAt opens an address. auth is the user:password that clients must give; "" for none.
func listenAt(addr, auth string, p *proxy.Proxy) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, console.Usage(fmt.Errorf("--listen %q is no address such as 127.0.0.1:8877", addr))
	}
	if host == "" {
		return nil, console.Usage(fmt.Errorf("--listen %s names no address: 127.0.0.1:%s is for this machine alone, 0.0.0.0:%s for every network that it is on", addr, port, port))
	}
	if p.Auth = auth; p.Auth != "" {
		user, password, ok := strings.Cut(p.Auth, ":")
		if !ok || user == "" || password == "" || strings.ContainsFunc(p.Auth, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return nil, console.Usage(errors.New("--proxy-auth is no USER:PASSWORD")) // what it is belongs on no terminal
		}
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	if tcp.Loopback(ln.Addr()) || p.Auth != "" {
		return ln, nil
	}
	if targetsText(p) == "" && p.Redirected == nil {
		ln.Close() // nothing was served on it
		return nil, console.Usage(fmt.Errorf("--listen %s can be reached from other machines: a forward proxy there needs --proxy-auth USER:PASSWORD", addr))
	}
	p.ForwardLocal = true
	return ln, nil
}

// warnOpen says what an address that other machines can reach opens, and to whom.
func (t *tool) warnOpen(ln net.Listener, p *proxy.Proxy) {
	switch {
	case tcp.Loopback(ln.Addr()):
	case p.Redirected != nil && p.Auth == "":
		fmt.Fprintf(t.err, "flaketap: whoever's connections are redirected to %s is recorded; others get there from this machine alone\n", ln.Addr())
	case targetsText(p) == "":
		fmt.Fprintf(t.err, "flaketap: whoever reaches %s and has the password can reach what this machine reaches\n", ln.Addr())
	default:
		fmt.Fprintf(t.err, "flaketap: whoever reaches %s can use %s as this machine does, and is recorded\n", ln.Addr(), targetsText(p))
	}
}

// sayDenied tells of clients that were turned away.
func (t *tool) sayDenied(c *cli.Context, s proxy.Stats) {
	if s.Denied > 0 {
		t.say(c, "flaketap: %s refused, for want of the proxy's password (407; by SOCKS also of a way to give it) or for coming\n"+
			"flaketap: from another machine and not being for the target (403); what is refused is not recorded", console.Count(uint64(s.Denied), "request"))
	}
}
