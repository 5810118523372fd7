package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/tcp"
)

// destination is where a connection goes.
type destination struct {
	scheme string // "http" or "https"
	addr   string // host:port
	name   string // the target's name, for the record
	server string // the name that TLS asks for and checks, of the client's; "" means the host of addr
	ours   string // the authority of a target as the user gave it; "" for a host that a client named
}

// errItself is why a connection is not made.
var errItself = errors.New("that is flaketap itself")

// target returns the destination of what names no other host.
func (p *Proxy) target() destination {
	return destinationOf(p.Target, p.TargetName)
}

// destinationOf returns the destination that a target of the user's is.
func destinationOf(u *url.URL, name string) destination {
	return destination{scheme: u.Scheme, addr: withPort(u.Host, u.Scheme), name: name, ours: u.Host}
}

// destination returns where what is meant for an authority goes: to a target of the user's, if the authority is that
// target's own or the proxy's, in any spelling, else to the authority. named is what the request names as its host in
// its fields, path its path, as far as there are any.
func (p *Proxy) destination(scheme, authority, named, path string) (destination, error) {
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		authority = authority[i+1:]
	}
	addr := withPort(authority, scheme)
	host, port, err := net.SplitHostPort(addr)
	if err != nil || host == "" || port == "" {
		return destination{}, fmt.Errorf("%.100q names no host", authority)
	}
	if d, ok := p.pinned(addr, named, path); ok {
		return d, nil
	}
	if p.itself(addr) {
		return destination{}, errItself
	}
	d := destination{scheme: scheme, addr: addr, name: p.TargetName}
	if p.reverse() {
		d.name = addr // not the target, and not to be mixed up with it
	}
	return d, nil
}

// itself reports whether an address is one that the proxy listens on, as far as its spelling tells.
func (p *Proxy) itself(addr string) bool {
	for _, own := range p.roster.addresses() {
		if sameAuthority(addr, own.String()) {
			return true
		}
	}
	return false
}

// reachesItself reports whether a connection was made to an address that the proxy listens on, whatever name it was
// made by.
func (p *Proxy) reachesItself(c net.Conn) bool {
	remote, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return false
	}
	local, _ := c.LocalAddr().(*net.TCPAddr)
	for _, a := range p.roster.addresses() {
		own, ok := a.(*net.TCPAddr)
		if !ok || own.Port != remote.Port {
			continue
		}
		// A listener on all addresses is met at each of the machine's own. The kernel connects to one of these from
		// the same address.
		everywhere := own.IP.IsUnspecified() && (remote.IP.IsLoopback() || local != nil && local.IP.Equal(remote.IP))
		if own.IP.Equal(remote.IP) || everywhere {
			return true
		}
	}
	return false
}

// sameAuthority reports whether two host:port are the same by their spelling; all names for this machine's own loopback
// count as one.
func sameAuthority(a, b string) bool {
	hostA, portA, errA := net.SplitHostPort(a)
	hostB, portB, errB := net.SplitHostPort(b)
	if errA != nil || errB != nil || portA != portB {
		return false
	}
	return plainHost(hostA) == plainHost(hostB)
}

// plainHost returns one spelling for each host.
func plainHost(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	ip, err := netip.ParseAddr(host)
	switch {
	case host == "" || host == "localhost":
		return "loopback"
	case err != nil:
		return host
	}
	if ip = ip.WithZone("").Unmap(); ip.IsLoopback() || ip.IsUnspecified() {
		return "loopback"
	}
	return ip.String()
}

// withPort returns an authority with the scheme's port where it has none, IPv6 in brackets.
func withPort(authority, scheme string) string {
	u := url.URL{Host: authority}
	if u.Port() != "" {
		return authority
	}
	port := "80"
	if scheme == "https" {
		port = "443"
	}
	return net.JoinHostPort(strings.TrimSuffix(strings.Trim(authority, "[]"), ":"), port)
}

// dial connects to d, and shakes hands where d speaks TLS, in order to speak protocol.
func (p *Proxy) dial(d destination, protocol string) (*end, *exchange.Fault) {
	up, fault := p.dialPlain(d)
	if fault != nil || d.scheme != "https" {
		return up, fault
	}
	return p.secure(up, d, []string{protocol})
}

// withoutRoot takes the root's dot off localhost, which resolvers seldom know with it. Clients write it so that go past
// every proxy for the name without.
func withoutRoot(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || !strings.EqualFold(host, "localhost.") {
		return addr
	}
	return net.JoinHostPort("localhost", port)
}

// dialPlain connects to d. The proxy itself counts as unreachable.
func (p *Proxy) dialPlain(d destination) (*end, *exchange.Fault) {
	dial := p.Dial
	if dial == nil {
		own := &net.Dialer{Timeout: dialTimeout}
		if p.Redirected != nil {
			own.Control = tcp.SetMark
		}
		dial = own.DialContext
	}
	c, err := dial(p.ctx, "tcp", withoutRoot(d.addr))
	if err == nil && p.reachesItself(c) {
		c.Close()
		err = errItself
	}
	up := c
	if err == nil && p.Redirected != nil {
		w := way{addressOf(c.LocalAddr()), addressOf(c.RemoteAddr())}
		if p.circle.make(w) {
			c.Close()
			p.circle.warn(p, d.addr)
			err = errCircle
		}
		up = ownConn{c, &p.circle, w}
	}
	if err != nil {
		p.log.Debug("target not reached", "addr", d.addr, "err", err)
		if p.ctx.Err() != nil {
			return nil, stopped().fault()
		}
		return nil, &exchange.Fault{Kind: exchange.FaultDial, Text: err.Error()}
	}
	e := newEnd(c)
	e.Conn = up
	return e, nil
}

// secure shakes hands with a target, which picks one of the protocols, or none.
func (p *Proxy) secure(up *end, d destination, protocols []string) (*end, *exchange.Fault) {
	config := p.targetTLS.Clone()
	config.NextProtos = protocols
	if config.ServerName == "" {
		config.ServerName = d.server
	}
	if config.ServerName == "" {
		config.ServerName, _, _ = net.SplitHostPort(d.addr)
	}
	localNames(config)
	c := tls.Client(up, config)
	ctx, cancel := context.WithTimeout(p.ctx, dialTimeout)
	defer cancel()
	if err := c.HandshakeContext(ctx); err != nil {
		up.Close()
		if p.ctx.Err() != nil {
			return nil, stopped().fault()
		}
		p.log.Warn("no TLS with target", "addr", d.addr, "err", err)
		return nil, &exchange.Fault{Kind: exchange.FaultTLS, Text: err.Error()}
	}
	return up.secure(c), nil
}

// upstreamConfig returns how targets are spoken to. Sessions are resumed, as clients with a connection pool do.
func upstreamConfig(given *tls.Config) *tls.Config {
	config := &tls.Config{}
	if given != nil {
		config = given.Clone()
	}
	if config.ClientSessionCache == nil {
		config.ClientSessionCache = tls.NewLRUClientSessionCache(256)
	}
	return config
}
