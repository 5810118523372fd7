package tcp

import (
	"net"

	"golang.org/x/sys/unix"
)

// WasReset reports whether the peer reset a connection that reads as ended. The kernel reports a reset once, to
// whoever asks first; a write that got the report leaves an end of stream to the read. The state of the connection
// tells the two apart: a peer that ended its stream in good order leaves it in CLOSE_WAIT. It must not have been
// finished on this side. A nil connection was not reset.
func WasReset(c *net.TCPConn) bool {
	if c == nil {
		return false
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	closed := false
	err = raw.Control(func(fd uintptr) {
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		closed = err == nil && info.State == unix.BPF_TCP_CLOSE
	})
	return err == nil && closed
}

// Acknowledge sends at once the acknowledgement that the kernel holds back, for 40 ms at most, in the hope of an answer
// to send it with. A peer that leaves Nagle's algorithm on, as urllib3 does towards proxies, waits for it between the
// head and the body of a message: who reads it should not cost it that. A nil connection is let be.
func Acknowledge(c *net.TCPConn) {
	if c == nil {
		return
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_QUICKACK, 1)
	})
}
