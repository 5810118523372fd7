package intercept

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data (seccomp(2)), of which a program of BPF reads 32 bits at a time.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

// x32Bit is set in the numbers of system calls of x32, which amd64 kernels may have.
const x32Bit = 0x40000000

// architecture is the one whose system calls the filter knows, as the kernel names it; 0 where there is no filter.
func architecture() uint32 {
	switch runtime.GOARCH {
	case "amd64":
		return unix.AUDIT_ARCH_X86_64
	case "arm64":
		return unix.AUDIT_ARCH_AARCH64
	}
	return 0
}

// program is the filter: calls that name another end are asked about, those by which a socket reaches one that no call
// names, and those that open files to read them where that is wanted; what would go past it does not exist, all else
// passes at once.
func program(arch uint32, opened bool) []unix.SockFilter {
	const absent = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	p := []unix.SockFilter{
		load(offArch),
		skipUnless(unix.BPF_JEQ, arch, 1), // over what is next, if it is ours
	}
	p[1].Jt, p[1].Jf = 1, 0
	p = append(p, answer(absent), load(offNumber))
	if arch == unix.AUDIT_ARCH_X86_64 {
		p = append(p, skipUnless(unix.BPF_JGE, x32Bit, 1), answer(absent))
	}
	p = append(p, skipUnless(unix.BPF_JEQ, unix.SYS_IO_URING_SETUP, 1), answer(absent))
	for _, number := range []uint32{unix.SYS_CONNECT, unix.SYS_SENDMSG, unix.SYS_SENDMMSG} {
		p = append(p, skipUnless(unix.BPF_JEQ, number, 1), answer(unix.SECCOMP_RET_USER_NOTIF))
	}
	for _, number := range []uint32{unix.SYS_SENDTO, unix.SYS_RECVFROM} {
		const address = offArgs + 4*8 // the fifth argument, in two halves
		p = append(p, skipUnless(unix.BPF_JEQ, number, 6),
			load(address), skipUnless(unix.BPF_JEQ, 0, 3), load(address+4), skipUnless(unix.BPF_JEQ, 0, 1),
			answer(unix.SECCOMP_RET_ALLOW), answer(unix.SECCOMP_RET_USER_NOTIF))
	}
	p = append(p, askSocket()...)
	p = append(p, askSetsockopt()...)
	if opened {
		p = append(p, askOpened(unix.SYS_OPENAT, 2)...)
		if arch == unix.AUDIT_ARCH_X86_64 {
			p = append(p, askOpened(sysOpen, 1)...)
		}
	}
	return append(p, answer(unix.SECCOMP_RET_ALLOW))
}

// sysOpen is the number of open(2) on amd64; arm64 does not have it.
const sysOpen = 2

// notRead are flags of open(2) with which nobody reads what a file says.
const notRead = unix.O_ACCMODE | unix.O_CREAT | unix.O_DIRECTORY | unix.O_PATH

// askOpened asks about a call that opens files to read them, whose flags are an argument.
func askOpened(number uint32, flags uint32) []unix.SockFilter {
	return []unix.SockFilter{skipUnless(unix.BPF_JEQ, number, 4), load(offArgs + flags*8),
		skipUnless(unix.BPF_JSET, notRead, 1), answer(unix.SECCOMP_RET_ALLOW), answer(unix.SECCOMP_RET_USER_NOTIF)}
}

// askSocket asks about socket(2), unless no socket of the family reaches another machine, or the calls that name
// another end tell of all that one of this type reaches. SCTP has options that name one.
func askSocket() []unix.SockFilter {
	p := []unix.SockFilter{load(offArgs + argDomain*8)}
	for _, family := range []uint32{unix.AF_UNSPEC, unix.AF_UNIX, unix.AF_NETLINK, unix.AF_ALG} {
		p = append(p, skipUnless(unix.BPF_JEQ, family, 1), answer(unix.SECCOMP_RET_ALLOW))
	}
	six := skipUnless(unix.BPF_JEQ, unix.AF_INET6, 0)
	six.Jt = 1 // over the answer
	four := skipUnless(unix.BPF_JEQ, unix.AF_INET, 0)
	four.Jt = 2
	p = append(p, four, six, answer(unix.SECCOMP_RET_USER_NOTIF),
		load(offArgs+argProtocol*8),
		skipUnless(unix.BPF_JEQ, unix.IPPROTO_SCTP, 1), answer(unix.SECCOMP_RET_USER_NOTIF),
		load(offArgs+argType*8), unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: sockType})
	for _, kind := range []uint32{unix.SOCK_STREAM, unix.SOCK_DGRAM, unix.SOCK_RAW} {
		p = append(p, skipUnless(unix.BPF_JEQ, kind, 1), answer(unix.SECCOMP_RET_ALLOW))
	}
	return of(unix.SYS_SOCKET, append(p, answer(unix.SECCOMP_RET_USER_NOTIF)))
}

// askSetsockopt asks about the options by which a socket reaches other machines whatever address is named.
func askSetsockopt() []unix.SockFilter {
	p := []unix.SockFilter{load(offArgs + argLevel*8)}
	for _, o := range reaching {
		at := []unix.SockFilter{load(offArgs + argOption*8)}
		for _, name := range o.names {
			at = append(at, skipUnless(unix.BPF_JEQ, name, 1), answer(unix.SECCOMP_RET_USER_NOTIF))
		}
		at = append(at, answer(unix.SECCOMP_RET_ALLOW))
		p = append(p, skipUnless(unix.BPF_JEQ, o.level, uint8(len(at))))
		p = append(p, at...)
	}
	return of(unix.SYS_SETSOCKOPT, append(p, answer(unix.SECCOMP_RET_ALLOW)))
}

// of has instructions, which end with an answer, be for one call alone.
func of(number uint32, p []unix.SockFilter) []unix.SockFilter {
	return append([]unix.SockFilter{skipUnless(unix.BPF_JEQ, number, uint8(len(p)))}, p...)
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func answer(value uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: value}
}

// skipUnless skips n instructions unless what was loaded compares with k.
func skipUnless(comparison uint16, k uint32, n uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | comparison | unix.BPF_K, Jf: n, K: k}
}

// install puts the filter on this thread, and on what it becomes or starts, and returns the filter's listener; opened
// has it ask about files that are opened, too. The thread can get no privileges from then on.
func install(opened bool) (listener int, err error) {
	arch := architecture()
	if arch == 0 {
		return -1, errors.New("install filter: this architecture's system calls are not known")
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, fmt.Errorf("give up new privileges: %w", err)
	}
	code := program(arch, opened)
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	// A signal that comes while a call is asked about would have it asked again: programs in Go get many. Kernels
	// before 5.19 cannot wait for the answer.
	for _, flags := range []uintptr{unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER} {
		fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
		switch errno {
		case 0:
			return int(fd), nil
		case unix.EINVAL:
			continue
		case unix.EBUSY:
			return -1, errors.New("install filter: another program already asks about this one's system calls")
		}
		return -1, fmt.Errorf("install filter: %w", errno)
	}
	return -1, errors.New("install filter: the kernel is older than 5.5")
}
