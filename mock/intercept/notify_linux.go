package intercept

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// notification is struct seccomp_notif (seccomp_unotify(2)): a system call that the kernel has stopped.
type notification struct {
	ID     uint64
	Thread uint32
	_      uint32
	Number int32
	Arch   uint32
	_      uint64
	Args   [6]uint64
}

// response is struct seccomp_notif_resp: what the call returns, or that it goes on.
type response struct {
	ID    uint64
	Value int64
	Errno int32 // below zero
	Flags uint32
}

// Numbers of ioctl(2) that package unix has for some architectures only.
const (
	ioctlIDValid  = 0x40082102
	ioctlSetFlags = 0x40082104
)

// listener is the kernel's end of a filter.
type listener int

// receive waits for a call.
func (l listener) receive() (n notification, err error) {
	for {
		n = notification{} // the kernel wants zeroes
		if err = l.control(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// send answers a call. That it waits no longer is no error: its thread was killed, or a signal came.
func (l listener) send(r response) error {
	if err := l.control(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r)); !errors.Is(err, unix.ENOENT) {
		return err
	}
	return nil
}

// waits reports whether a call waits for its answer still: else its thread's number may be another's by now.
func (l listener) waits(id uint64) bool { return l.control(ioctlIDValid, unsafe.Pointer(&id)) == nil }

// install has a process get a file, which it closes when it becomes another program where flags is O_CLOEXEC, and
// returns its descriptor there. Kernels before 5.9 cannot. It is no answer to the call: with that in one step, as since
// 5.14, a signal to this thread could let the call end without the file.
func (l listener) install(id uint64, file int, flags uint32) (fd int, err error) {
	added := struct {
		ID                           uint64
		Flags, File, Wanted, FDFlags uint32
	}{ID: id, File: uint32(file), FDFlags: flags}
	for {
		fd, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(l), unix.SECCOMP_IOCTL_NOTIF_ADDFD,
			uintptr(unsafe.Pointer(&added)))
		switch errno {
		case 0:
			return int(fd), nil
		case unix.EINTR:
			continue
		}
		return -1, errno
	}
}

// wakeHere asks that threads be woken on the processor that answers them, which halves the time of a call. Kernels
// before 6.6 do not.
func (l listener) wakeHere() {
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(l), ioctlSetFlags, unix.SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP)
}

func (l listener) control(request uintptr, arg unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(l), request, uintptr(arg)); errno != 0 {
		return errno
	}
	return nil
}

// ready waits until there is a call, and reports whether there may be more: it ends with the last process under the
// filter, or when stop, the other descriptor, can be read.
func (l listener) ready(stop int) bool {
	fds := []unix.PollFd{{Fd: int32(l), Events: unix.POLLIN}, {Fd: int32(stop), Events: unix.POLLIN}}
	for {
		switch _, err := unix.Poll(fds, -1); {
		case err == unix.EINTR:
			continue
		case err != nil || fds[1].Revents != 0:
			return false
		case fds[0].Revents&unix.POLLIN != 0:
			return true
		case fds[0].Revents != 0:
			return false
		}
	}
}
