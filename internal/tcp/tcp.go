// Package tcp asks the system about TCP connections what package net does not tell.
package tcp

import "net"

// Loopback reports whether an address is of this machine alone.
func Loopback(a net.Addr) bool {
	addr, ok := a.(*net.TCPAddr)
	return ok && addr.IP.IsLoopback()
}

// Mark is what a recorder marks its own connections with, so that the rules which redirect those of clients can leave
// them alone: the letters "fl".
const Mark = 0x666c
