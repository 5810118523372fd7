package intercept

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// System calls by the numbers of another architecture, and io_uring, would go past the filter: they do not exist. Of the
// others those are asked about that name another end, and, where that is wanted, those that open files to read them.
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
