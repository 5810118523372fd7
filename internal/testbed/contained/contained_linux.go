package contained

import (
	"os"
	"os/exec"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// denied are the calls that Docker's default profile forbids a process without capabilities, and that somebody who
// leads connections, or an API, may want (profiles/seccomp in github.com/moby/moby).
var denied = []uint32{
	unix.SYS_PIDFD_GETFD, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT,
	unix.SYS_BPF, unix.SYS_USERFAULTFD, unix.SYS_KEYCTL,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
}

// namespaces are the flags of clone(2) that ask for a new one.
const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// Where the number of a call and its first argument are in what a filter is given (struct seccomp_data).
const (
	offNumber = 0
	offFirst  = 16
)

// Exec becomes a command with these limits. It returns where that fails alone.
func Exec(command []string) error {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return err
	}
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	skipUnless := func(how uint16, k uint32, n uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | how | unix.BPF_K, K: k, Jf: n}
	}
	answer := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	refuse := func(with unix.Errno) unix.SockFilter { return answer(unix.SECCOMP_RET_ERRNO | uint32(with)) }
	code := []unix.SockFilter{load(offNumber)}
	for _, number := range denied {
		code = append(code, skipUnless(unix.BPF_JEQ, number, 1), refuse(unix.EPERM))
	}
	code = append(code, skipUnless(unix.BPF_JEQ, unix.SYS_CLONE3, 1), refuse(unix.ENOSYS), // whose flags no filter sees
		skipUnless(unix.BPF_JEQ, unix.SYS_CLONE, 3), load(offFirst),
		skipUnless(unix.BPF_JSET, namespaces, 1), refuse(unix.EPERM), answer(unix.SECCOMP_RET_ALLOW))
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return errno
	}
	return unix.Exec(path, command, os.Environ())
}
