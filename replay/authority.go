package replay

import (
	"bytes"
	"net"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// rename lets the fields of a request that named the recorded target by another address name the one of this run: its
// Host, and the Origin and Referer that an API may compare with it. What a fuzzer made up stays.
func (r *run) rename(req exchange.Request, recorded string, to endpoint) exchange.Request {
	authority := r.authority(to)
	var head []byte // up to where req.Head is copied
	copied, next := 0, 0
	for line := range bytes.Lines(req.Head) {
		start := next
		next += len(line)
		from, end := authorityIn(line)
		host := string(line[from:end])
		if host == "" || host == authority || !r.named(host, recorded, to) {
			continue
		}
		head = append(append(head, req.Head[copied:start+from]...), authority...)
		copied = start + end
	}
	if copied == 0 {
		return req
	}
	m := req.Message
	m.Head = append(head, req.Head[copied:]...)
	return exchange.ParseRequest(m)
}

// authority is how a client names an endpoint: without the port where it is the scheme's own.
func (r *run) authority(to endpoint) string {
	if u := r.player.Target; u != nil {
		return u.Host
	}
	host, port, err := net.SplitHostPort(to.addr)
	if err != nil || port != defaultPort(to.scheme) {
		return to.addr
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// authorityIn returns where in a header line the authority stands that Host is, or that the URL of Origin and Referer
// holds; from == end where there is none.
func authorityIn(line []byte) (from, end int) {
	name, value, found := bytes.Cut(line, []byte{':'})
	if !found || len(name) > len("referer") {
		return 0, 0
	}
	from = len(line) - len(bytes.TrimLeft(value, " \t"))
	end = len(bytes.TrimRight(line, " \t\r\n"))
	if from >= end {
		return 0, 0
	}
	switch {
	case bytes.EqualFold(name, []byte("host")):
		return from, end
	case bytes.EqualFold(name, []byte("origin")), bytes.EqualFold(name, []byte("referer")):
		i := bytes.Index(line[from:end], []byte("://"))
		if i < 0 {
			return 0, 0
		}
		from += i + len("://")
		if i := bytes.IndexAny(line[from:end], "/?#"); i >= 0 {
			end = from + i
		}
		return from, end
	}
	return 0, 0
}

// named reports whether a recorded authority named the recorder, or, where the run plays elsewhere, the recorded
// target.
func (r *run) named(host, recorded string, to endpoint) bool {
	if r.player.Target != nil && !sameAuthority(to.addr, recorded, to.scheme) && sameAuthority(host, recorded, to.scheme) {
		return true
	}
	for _, listened := range r.player.Recorders {
		if sameAuthority(host, listened, "http") || everywhere(listened, host) {
			return true
		}
	}
	return false
}

// everywhere reports whether a recorder that listened on all addresses of its machine was reached by an authority: by
// any name, at its port.
func everywhere(listened, host string) bool {
	name, port, err := net.SplitHostPort(listened)
	if err != nil {
		return false
	}
	ip := net.ParseIP(name)
	_, asked, err := net.SplitHostPort(withPort(host, "http"))
	return err == nil && (name == "" || ip != nil && ip.IsUnspecified()) && port == asked
}

// withPort returns an authority with its port, the scheme's own where it has none.
func withPort(authority, scheme string) string {
	if _, _, err := net.SplitHostPort(authority); err == nil {
		return authority
	}
	return net.JoinHostPort(strings.Trim(authority, "[]"), defaultPort(scheme))
}

func defaultPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}

// sameAuthority reports whether two authorities name one place, the default port and the spellings of loopback aside.
func sameAuthority(a, b, scheme string) bool {
	hostA, portA, errA := net.SplitHostPort(withPort(a, scheme))
	hostB, portB, errB := net.SplitHostPort(withPort(b, scheme))
	if errA != nil || errB != nil || portA != portB {
		return false
	}
	return strings.EqualFold(hostA, hostB) || loopback(hostA) && loopback(hostB)
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
