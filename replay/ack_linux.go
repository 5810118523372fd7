package replay

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// acknowledge sends at once the acknowledgement that the kernel holds back for up to 40 ms in the hope of something to
// send it with. An API that writes head and body apart, and leaves Nagle's algorithm on, waits for it in between.
func (l *link) acknowledge() {
	sys, ok := l.raw.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := sys.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_QUICKACK, 1)
	})
}
