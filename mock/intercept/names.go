package intercept

import (
	"net/netip"
	"slices"
	"strings"
	"sync"
)

// names gives each host a loopback address of its own, 127.77.0.1 and so on, so that a connection tells which host was
// looked up for it. Nothing listens at these addresses but what [Interceptor] opens.
type names struct {
	search []string // domains that resolvers append to names, with a leading dot

	mu     sync.Mutex
	byName map[string]netip.Addr
	byAddr map[netip.Addr]string
	led    map[netip.Addr]bool // what a connection was led for
}

// maxNames bounds how many hosts get an address: as many as there are in 127.77.0.0/16, without the name server's.
const maxNames = 1<<16 - 256

// newNames returns the registry for a machine whose resolvers append these domains.
func newNames(search []string) *names {
	n := &names{byName: map[string]netip.Addr{}, byAddr: map[netip.Addr]string{}, led: map[netip.Addr]bool{}}
	for _, domain := range search {
		if domain = strings.Trim(strings.ToLower(domain), "."); domain != "" {
			n.search = append(n.search, "."+domain)
		}
	}
	slices.SortFunc(n.search, func(a, b string) int { return len(b) - len(a) })
	return n
}

// address returns the address of a host; ok is false where there are too many.
func (n *names) address(host string) (addr netip.Addr, ok bool) {
	host = n.bare(host)
	n.mu.Lock()
	defer n.mu.Unlock()
	if addr, ok = n.byName[host]; ok {
		return addr, true
	}
	next := len(n.byName) + 1
	if next > maxNames {
		return addr, false
	}
	addr = netip.AddrFrom4([4]byte{127, 77, byte(next >> 8), byte(next)})
	n.byName[host], n.byAddr[addr] = addr, host
	return addr, true
}

// host returns the host that has an address.
func (n *names) host(addr netip.Addr) (host string, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	host, ok = n.byAddr[addr]
	return host, ok
}

// lead notes that a connection to the host of an address was led.
func (n *names) lead(addr netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.led[addr] = true
}

// idle reports whether a host was looked up to which nobody connected.
func (n *names) idle() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.led) < len(n.byAddr)
}

// bare is a host as it was asked for: a resolver tries it with the domains of its search list first, and the answer to
// that is to be the same host.
func (n *names) bare(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	for _, domain := range n.search {
		if short, found := strings.CutSuffix(host, domain); found && short != "" {
			return short
		}
	}
	return host
}

// searchDomains reads the domains that resolvers append from the text of a resolv.conf (resolv.conf(5)): those of the
// last line that names any.
func searchDomains(conf string) (domains []string) {
	for line := range strings.Lines(conf) {
		if fields := strings.Fields(line); len(fields) > 1 && (fields[0] == "search" || fields[0] == "domain") {
			domains = fields[1:]
		}
	}
	return domains
}
