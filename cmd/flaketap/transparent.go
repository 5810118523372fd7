package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/tcp"
	"github.com/flaketap/flaketap/proxy"
	"github.com/urfave/cli/v2"
)

func transparentFlag() cli.Flag {
	return &cli.BoolFlag{Name: "transparent", Usage: "take connections that the kernel redirects here, and let them go on to where they were going (Linux)"}
}

// takeRedirected makes a proxy take redirected connections, if the user wants that. supported says that the system tells
// where they were going.
func takeRedirected(c *cli.Context, p *proxy.Proxy, supported bool) error {
	switch {
	case !c.Bool("transparent"):
		return nil
	case !supported:
		return console.Usage(errors.New("--transparent is for Linux alone, whose kernel tells where a redirected connection was going; here --target URL, or a proxy, is the way"))
	case p.Target != nil || len(p.Routes) > 0:
		return console.Usage(errors.New("--transparent and --target: connections go where they were going, or to the target; one of the two"))
	case c.String("reset") != "":
		return console.Usage(errors.New("--transparent and --reset: what the reset sends would be redirected here before anything is served; reset the API first"))
	}
	p.Redirected = func(conn net.Conn) (string, bool) {
		t, ok := conn.(*net.TCPConn)
		if !ok {
			return "", false
		}
		to, ok := tcp.Redirected(t)
		return to.String(), ok
	}
	return nil
}

// twin opens the second address of a transparent recorder: the kernel redirects what this machine sends in IPv6 to ::1,
// as it does with IPv4 to 127.0.0.1. It is nil where one address takes both, or the machine has no IPv6.
func twin(c *cli.Context, ln net.Listener) (net.Listener, error) {
	first, ok := ln.Addr().(*net.TCPAddr)
	if !ok || !c.Bool("transparent") || !first.IP.Equal(net.IPv4(127, 0, 0, 1)) {
		return nil, nil
	}
	second, err := net.ListenTCP("tcp6", &net.TCPAddr{IP: net.IPv6loopback, Port: first.Port})
	if errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listen for what is redirected in IPv6: %w", err)
	}
	return second, nil
}

// listenTwice opens the addresses of a recorder. A port that is free for the first and not for the second is another's:
// where any will do, another one is tried.
func listenTwice(c *cli.Context, p *proxy.Proxy) (first, second net.Listener, err error) {
	_, port, _ := net.SplitHostPort(c.String("listen"))
	for range 10 {
		if first, err = listen(c, p); err != nil {
			return nil, nil, err
		}
		if second, err = twin(c, first); err == nil {
			return first, second, nil
		}
		first.Close()
		if port != "0" {
			break
		}
	}
	return nil, nil, err
}

// announceRules says how connections come to be redirected to a transparent recorder: without rules of the kernel's,
// none is.
func (t *tool) announceRules(c *cli.Context, ln net.Listener) {
	if c.Bool("transparent") {
		t.say(c, "%s", redirectRules(ln.Addr().(*net.TCPAddr), tcp.MayMark(), os.Getuid()))
	}
}

// redirectRules are the commands that redirect what programs of this machine send to the ports 80 and 443, but for what the
// recorder sends itself: its connections bear a mark, if it may mark them, or else they are known by their user.
func redirectRules(addr *net.TCPAddr, marks bool, uid int) string {
	if !addr.IP.IsLoopback() && !addr.IP.IsUnspecified() {
		return "flaketap: rules of the kernel's redirect connections here; docs/recording.md has those for other machines and containers"
	}
	but := fmt.Sprintf("mark != %#x", tcp.Mark)
	var b strings.Builder
	b.WriteString("flaketap: once these have run as root, connections to the ports 80 and 443 come here (put in your API's own port):\n")
	if !marks {
		but = fmt.Sprintf("skuid != %d", uid)
	}
	b.WriteString("  nft add table inet flaketap\n" +
		"  nft add chain inet flaketap output '{ type nat hook output priority -100; }'\n")
	fmt.Fprintf(&b, "  nft add rule inet flaketap output meta %s tcp dport '{ 80, 443 }' redirect to :%d\n", but, addr.Port)
	if !marks {
		fmt.Fprintf(&b, "flaketap: those of user %d do not, for the recorder's own are among them: run the client as another user, or the recorder as root\n", uid)
	}
	b.WriteString("flaketap: nft delete table inet flaketap ends it")
	return b.String()
}
