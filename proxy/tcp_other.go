//go:build !linux

package proxy

import "net"

// wasReset reports whether the peer reset a connection that reads as ended. Where the system does not tell, a reset
// that a write was told of first counts as an end of stream.
func wasReset(*net.TCPConn) bool { return false }

// acknowledge does nothing where the system has no way to send an acknowledgement at once.
func acknowledge(*net.TCPConn) {}
