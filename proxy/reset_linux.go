package proxy

import (
	"net"

	"golang.org/x/sys/unix"
)

// wasReset reports whether the peer reset a connection that reads as ended. The kernel reports a reset once, to
// whoever asks first; a write that got the report leaves an end of stream to the read. The state of the connection
// tells the two apart: a peer that ended its stream in good order leaves it in CLOSE_WAIT. It must not have been
// finished on this side.
func wasReset(c *net.TCPConn) bool {
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
