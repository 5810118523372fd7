//go:build !linux

package tcp

import "net"

// WasReset reports whether the peer reset a connection that reads as ended. Where the system does not tell, a reset
// that a write was told of first counts as an end of stream.
func WasReset(*net.TCPConn) bool { return false }

// Acknowledge does nothing where the system has no way to send an acknowledgement at once.
func Acknowledge(*net.TCPConn) {}
