package intercept

import (
	"net"
	"net/netip"
)

// ownAddresses returns a function that knows the addresses of this machine's interfaces.
func ownAddresses() func(netip.Addr) bool {
	own := map[netip.Addr]bool{}
	all, _ := net.InterfaceAddrs() // without them they are of other machines, and led
	for _, a := range all {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			own[p.Addr().Unmap()] = true
		}
	}
	return func(a netip.Addr) bool { return own[a] }
}
