package tcp

import "net"

// Loopback reports whether an address is of this machine alone.
func Loopback(a net.Addr) bool {
	addr, ok := a.(*net.TCPAddr)
	return ok && addr.IP.IsLoopback()
}

// Reachable is the address at which a client on this machine finds a listener: that of the loopback interface, where
// the listener is open to all.
func Reachable(a net.Addr) net.Addr {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return a
	}
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: tcp.Port} // a listener on :: takes IPv4 too
}

// Mark is what a recorder marks its own connections with, so that the rules which redirect those of clients can leave
// them alone: the letters "fl".
const Mark = 0x666c
