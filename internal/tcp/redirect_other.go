//go:build !linux

package tcp

import (
	"net"
	"net/netip"
	"syscall"
)

// Redirects reports that the system does not tell where redirected connections were going.
const Redirects = false

// Redirected knows of no redirected connection.
func Redirected(*net.TCPConn) (to netip.AddrPort, ok bool) { return to, false }

// SetMark does nothing: there are no marks.
func SetMark(_, _ string, _ syscall.RawConn) error { return nil }

// MayMark reports that there are no marks.
func MayMark() bool { return false }
