package proxy

import (
	"cmp"
	"fmt"
	"net"
	"path"
	"strconv"
	"strings"
)

// Hosts are patterns of the hosts that something is for. In a pattern * is any part of a name and ? any character of
// it, as in *.example.com, which is not example.com itself. A pattern with a port is for that port alone; an IPv6
// address stands in brackets then. Case, and a dot at the end, make no difference.
type Hosts []string

// Check says which pattern is none.
func (h Hosts) Check() error {
	for _, pattern := range h {
		name, port := splitPort(pattern)
		_, noPort := strconv.ParseUint(cmp.Or(port, "0"), 10, 16)
		if _, err := path.Match(name, ""); err != nil || noPort != nil || name == "" || strings.ContainsAny(name, "/@ ") {
			return fmt.Errorf("%q is not a host or a pattern of hosts such as *.example.com", pattern)
		}
	}
	return nil
}

// match reports whether one of the patterns is for host:port.
func (h Hosts) match(addr string) bool {
	if len(h) == 0 {
		return false
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, pattern := range h {
		name, wanted := splitPort(pattern)
		name = strings.ToLower(strings.TrimSuffix(name, "."))
		if ok, err := path.Match(name, host); ok && err == nil && (wanted == "" || wanted == port) {
			return true
		}
	}
	return false
}
