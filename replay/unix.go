//go:build unix

package replay

import (
	"errors"
	"syscall"
)

// alive reports whether a kept connection is still open, so far as can be seen without waiting. Asking first keeps a
// request that must not be sent twice from running into a connection that the API has closed.
func (l *link) alive() bool {
	if !l.used {
		return true
	}
	sys, ok := l.raw.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := sys.SyscallConn()
	if err != nil {
		return false
	}
	open := false
	var b [1]byte
	err = raw.Control(func(fd uintptr) {
		n, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		switch {
		case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EINTR):
			open = true
		case err == nil && n > 0:
			// Below TLS, and in HTTP/2, there may be more than answers; in plain HTTP/1 nothing may come unasked.
			open = l.conn != l.raw || l.h2 != nil
		}
	})
	return err == nil && open
}
