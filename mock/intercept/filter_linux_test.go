package intercept

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// System calls by the numbers of another architecture, and io_uring, would go past the filter: they do not exist. Of the
// others those are asked about that name another end, or have a socket reach one that none names, and, where that is
// wanted, those that open files to read them.
func TestFilter(t *testing.T) {
	const (
		passes  = unix.SECCOMP_RET_ALLOW
		asks    = unix.SECCOMP_RET_USER_NOTIF
		absent  = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
		high    = 1 << 32 // an address of whose halves one is 0
		low     = 1
		x32     = unix.SYS_CONNECT | x32Bit
		creates = unix.O_RDONLY | unix.O_CREAT
	)
	type call struct {
		what   string
		arch   uint32
		number uint32
		args   [6]uint64
		want   uint32
	}
	ours := architecture()
	opens := func(number uint32, at int) (all []call) {
		for flags, want := range map[uint64]uint32{unix.O_RDONLY: asks, unix.O_RDONLY | unix.O_CLOEXEC: asks,
			unix.O_WRONLY: passes, unix.O_RDWR: passes, creates: passes, unix.O_DIRECTORY: passes, unix.O_PATH: passes} {
			c := call{"a file is opened", ours, number, [6]uint64{high | low, high | low, high | low, high | low}, want}
			c.args[at] = flags
			all = append(all, c)
		}
		return all
	}
	calls := []call{
		{"connect of i386 (int 0x80)", unix.AUDIT_ARCH_I386, 362, [6]uint64{}, absent},
		{"socketcall of i386", unix.AUDIT_ARCH_I386, 102, [6]uint64{}, absent},
		{"exit of i386", unix.AUDIT_ARCH_I386, 1, [6]uint64{}, absent},
		{"our connect by i386", unix.AUDIT_ARCH_I386, unix.SYS_CONNECT, [6]uint64{}, absent},
		{"connect of 32-bit arm", unix.AUDIT_ARCH_ARM, 283, [6]uint64{}, absent},
		{"io_uring", ours, unix.SYS_IO_URING_SETUP, [6]uint64{}, absent},
		{"connect", ours, unix.SYS_CONNECT, [6]uint64{}, asks},
		{"sendmsg", ours, unix.SYS_SENDMSG, [6]uint64{}, asks},
		{"sendmmsg", ours, unix.SYS_SENDMMSG, [6]uint64{}, asks},
		{"sendto nobody that it names", ours, unix.SYS_SENDTO, [6]uint64{1, 2, 3, 4, 0, 6}, passes},
		{"sendto, low half", ours, unix.SYS_SENDTO, [6]uint64{4: low}, asks},
		{"sendto, high half", ours, unix.SYS_SENDTO, [6]uint64{4: high}, asks},
		{"recvfrom whoever it is", ours, unix.SYS_RECVFROM, [6]uint64{1, 2, 3, 4, 0, 6}, passes},
		{"recvfrom, low half", ours, unix.SYS_RECVFROM, [6]uint64{4: low}, asks},
		{"recvfrom, high half", ours, unix.SYS_RECVFROM, [6]uint64{4: high}, asks},
		{"read", ours, unix.SYS_READ, [6]uint64{}, passes},
	}
	socket := func(what string, want uint32, domain, kind, protocol uint64) {
		calls = append(calls, call{what, ours, unix.SYS_SOCKET, [6]uint64{domain, kind, protocol}, want})
	}
	const flags = unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK
	for _, domain := range []uint64{unix.AF_INET, unix.AF_INET6} {
		socket("TCP", passes, domain, unix.SOCK_STREAM|flags, 0)
		socket("MPTCP", passes, domain, unix.SOCK_STREAM, unix.IPPROTO_MPTCP)
		socket("UDP", passes, domain, unix.SOCK_DGRAM|flags, unix.IPPROTO_UDP)
		socket("raw IP", passes, domain, unix.SOCK_RAW, unix.IPPROTO_ICMP)
		socket("SCTP as streams", asks, domain, unix.SOCK_STREAM, unix.IPPROTO_SCTP)
		socket("SCTP by its type", asks, domain, unix.SOCK_SEQPACKET|flags, 0)
		socket("DCCP", asks, domain, unix.SOCK_DCCP, 0)
		socket("frames, by the name of old", asks, domain, unix.SOCK_PACKET|flags, 0)
	}
	for domain, want := range map[uint64]uint32{unix.AF_UNSPEC: passes, unix.AF_UNIX: passes, unix.AF_NETLINK: passes,
		unix.AF_ALG: passes, unix.AF_PACKET: asks, unix.AF_XDP: asks, unix.AF_VSOCK: asks, unix.AF_BLUETOOTH: asks, 99: asks,
		high | unix.AF_PACKET: asks, high | unix.AF_INET: passes} {
		socket("a family", want, domain, unix.SOCK_DGRAM, 0)
	}
	option := func(what string, want uint32, level uint64, names ...uint64) {
		for _, name := range names {
			calls = append(calls, call{what, ours, unix.SYS_SETSOCKOPT, [6]uint64{3, level, name, low, 8}, want})
		}
	}
	option("a device", asks, unix.SOL_SOCKET, unix.SO_BINDTODEVICE, unix.SO_BINDTOIFINDEX)
	option("a device", asks, high|unix.SOL_SOCKET, high|unix.SO_BINDTODEVICE)
	option("ordinary", passes, unix.SOL_SOCKET, unix.SO_REUSEADDR, unix.SO_KEEPALIVE, unix.IP_ADD_MEMBERSHIP, unix.MCAST_JOIN_GROUP)
	option("a group or a way", asks, unix.IPPROTO_IP, 35, 39, 42, 46, unix.IP_UNICAST_IF, unix.IP_OPTIONS)
	option("ordinary", passes, unix.IPPROTO_IP, unix.IP_TOS, unix.IP_TTL, unix.IP_RECVERR, unix.IP_MULTICAST_TTL, unix.IP_MULTICAST_ALL, unix.IP_PKTINFO)
	option("a group or a way", asks, unix.IPPROTO_IPV6, 20, 27, 42, 46, unix.IPV6_UNICAST_IF, unix.IPV6_PKTINFO, unix.IPV6_2292PKTOPTIONS, unix.IPV6_RTHDR)
	option("ordinary", passes, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, unix.IPV6_RECVERR, unix.IPV6_TCLASS, unix.IPV6_RECVPKTINFO)
	option("ordinary", passes, unix.IPPROTO_TCP, unix.TCP_NODELAY, unix.TCP_KEEPIDLE, unix.TCP_KEEPINTVL, unix.TCP_FASTOPEN_CONNECT, 42)
	if ours == unix.AUDIT_ARCH_X86_64 {
		calls = append(calls, call{"connect of x32", ours, x32, [6]uint64{}, absent},
			call{"read of x32", ours, unix.SYS_READ | x32Bit, [6]uint64{}, absent})
		calls = append(calls, opens(sysOpen, 1)...)
	}
	calls = append(calls, opens(unix.SYS_OPENAT, 2)...)
	for _, opened := range []bool{true, false} {
		filter := evaluator(t, program(ours, opened))
		for _, c := range calls {
			want := c.want
			if isOpen := c.number == unix.SYS_OPENAT || c.number == sysOpen; isOpen && c.arch == ours && !opened {
				want = passes
			}
			if got := filter(c.arch, c.number, c.args); got != want {
				t.Errorf("%s, arguments %x, asked about files %t: %#x, want %#x", c.what, c.args, opened, got, want)
			}
		}
	}
}

// evaluator runs a filter of the kernel's as it runs it. An evaluator for packets reads words in the order of the network,
// the kernel here its own: each word is laid out for the former, the lower half of an argument first (amd64, arm64).
func evaluator(t *testing.T, filter []unix.SockFilter) func(arch, number uint32, args [6]uint64) uint32 {
	t.Helper()
	var code []bpf.Instruction
	for _, f := range filter {
		code = append(code, bpf.RawInstruction{Op: f.Code, Jt: f.Jt, Jf: f.Jf, K: f.K}.Disassemble())
	}
	vm, err := bpf.NewVM(code)
	if err != nil {
		t.Fatal(err)
	}
	return func(arch, number uint32, args [6]uint64) uint32 {
		data := make([]byte, offArgs+6*8)
		binary.BigEndian.PutUint32(data[offNumber:], number)
		binary.BigEndian.PutUint32(data[offArch:], arch)
		for i, a := range args {
			binary.BigEndian.PutUint32(data[offArgs+i*8:], uint32(a))
			binary.BigEndian.PutUint32(data[offArgs+i*8+4:], uint32(a>>32))
		}
		answer, err := vm.Run(data)
		if err != nil {
			t.Fatal(err)
		}
		return uint32(answer)
	}
}
