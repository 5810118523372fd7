package intercept

import (
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// Sockets and options by which packets leave whatever address is named are refused, as on a machine that has neither,
// and listed; those that look alike are had.
func TestSocketsThatReach(t *testing.T) {
	python := find(t, "python3")
	for _, way := range []Way{Duplicate, Rewrite} {
		w := open(t, Options{Way: way})
		got := w.run(python, "-c", `
import ctypes, errno, socket, struct
from socket import *
def end(name, do):
    try:
        do()
        print(name, "had")
    except OSError as e:
        print(name, errno.errorcode[e.errno])
def option(name, family, *how):
    with socket(family, SOCK_DGRAM) as s:
        end(name, lambda: s.setsockopt(*how))
for name, how in {"frames": (AF_PACKET, SOCK_RAW), "frames of old": (AF_INET, 10), "vsock": (40, SOCK_STREAM), "SCTP": (AF_INET, SOCK_STREAM, 132),
                  "netlink": (AF_NETLINK, SOCK_RAW), "unix": (AF_UNIX, SOCK_SEQPACKET)}.items():
    end(name, lambda: socket(*how).close())
end("devices", if_nameindex)
four, six = inet_aton("239.1.2.3"), inet_pton(AF_INET6, "ff0e::77")
def storage(*packed):
    return struct.pack("=II", 1, 0) + b"".join(p.ljust(128, bytes(1)) for p in packed)
of_four, of_six = struct.pack("=HH", AF_INET, 0) + four, struct.pack("=HHI", AF_INET6, 0, 0) + six
option("join", AF_INET, IPPROTO_IP, IP_ADD_MEMBERSHIP, four + bytes(4))
option("join of a source", AF_INET, IPPROTO_IP, 39, four + bytes(4) + inet_aton("192.0.2.1"))
option("join by either", AF_INET, IPPROTO_IP, 42, storage(of_four))
option("join of a source by either", AF_INET6, IPPROTO_IPV6, 46, storage(of_six, of_six))
option("join of IPv6", AF_INET6, IPPROTO_IPV6, IPV6_JOIN_GROUP, six + struct.pack("=I", 1))
with socket(AF_INET, SOCK_DGRAM) as s:
    end("join of what is nowhere", lambda: s.setsockopt(IPPROTO_IP, IP_ADD_MEMBERSHIP, None, 8))
option("bound", AF_INET, SOL_SOCKET, SO_BINDTODEVICE, b"lo")
option("route", AF_INET, IPPROTO_IP, IP_OPTIONS, bytes([131, 7, 4, 192, 0, 2, 1, 0]))
option("ordinary", AF_INET, SOL_SOCKET, SO_REUSEADDR, 1)
option("ttl", AF_INET, IPPROTO_IP, IP_MULTICAST_TTL, 1)
with socket(AF_INET, SOCK_DGRAM) as s:
    to = bytes(2) + struct.pack("!H", 8125) + inet_aton("192.0.2.1") + bytes(8)
    libc = ctypes.CDLL(None, use_errno=True)
    print("no family", libc.sendto(s.fileno(), b"x", 1, 0, to, 16), errno.errorcode[ctypes.get_errno()])
with socket(AF_INET, SOCK_DGRAM) as s, socket(AF_INET, SOCK_DGRAM) as taker:
    taker.bind(("127.0.0.1", 0))
    def say(device, to):
        s.sendmsg([b"x"], [(IPPROTO_IP, 8, struct.pack("=I", device) + bytes(8))], 0, to)
    end("by a device", lambda: say(2, taker.getsockname()))
    end("by loopback", lambda: say(1, taker.getsockname()))
    s.connect(taker.getsockname())
    end("by a device, connected", lambda: s.sendmsg([b"x"], [(IPPROTO_IP, 8, struct.pack("=I", 2) + bytes(8))]))
`)
		want := `frames EAFNOSUPPORT
frames of old EAFNOSUPPORT
vsock EAFNOSUPPORT
SCTP EAFNOSUPPORT
netlink had
unix had
devices had
join ENODEV
join of a source ENODEV
join by either ENODEV
join of a source by either ENODEV
join of IPv6 ENODEV
join of what is nowhere ENODEV
bound ENODEV
route ENODEV
ordinary had
ttl had
no family -1 ECONNREFUSED
by a device ENODEV
by loopback had
by a device, connected ENODEV
`
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		var listed []string
		for _, r := range w.Refused() {
			listed = append(listed, strings.Repeat(r.Network+" "+r.To+"; ", r.Times))
		}
		slices.Sort(listed)
		const all = "connection a device or a route; connection a device or a route; connection a device or a route; connection a device or a route; " +
			"raw an address of family 17; raw an address of family 17; raw an address of family 2; raw an address of family 40; " +
			"udp 239.1.2.3; udp 239.1.2.3; udp 239.1.2.3; udp ; udp ; udp ff0e::77; udp ff0e::77; "
		if diff := cmp.Diff(all, strings.Join(listed, "")); diff != "" {
			t.Error(diff)
		}
	}
}

// An option by which a socket would leave can be taken back: always by a value of no length; by one of zeros where the
// socket can be duplicated, else that is refused. What is half of one is refused as ever.
func TestSocketOptionsTakenBack(t *testing.T) {
	python := find(t, "python3")
	for way, zeros := range map[Way]string{Duplicate: "had", Rewrite: "ENODEV"} {
		w := open(t, Options{Way: way})
		cmd := w.command(python, "-c", `
import errno
from socket import *
def option(name, s, *how):
    try:
        s.setsockopt(*how)
        print(name, "had")
    except OSError as e:
        print(name, errno.errorcode[e.errno])
given = socket(fileno=0)
option("no options", given, IPPROTO_IP, IP_OPTIONS, b"")
option("zero for a device of datagrams", given, IPPROTO_IP, 50, 0)
print("left", given.getsockopt(IPPROTO_IP, IP_OPTIONS, 40), given.getsockopt(IPPROTO_IP, 50))
with socket(AF_INET6, SOCK_DGRAM) as s:
    option("no device", s, SOL_SOCKET, SO_BINDTODEVICE, b"")
    option("no route", s, IPPROTO_IPV6, IPV6_RTHDR, None, 0)
    option("no options of old", s, IPPROTO_IPV6, 6, None, 0)
    option("zeros for a device", s, SOL_SOCKET, SO_BINDTODEVICE, bytes(16))
    option("zero for a device's index", s, SOL_SOCKET, 62, 0)
    option("zero for one of IPv6", s, IPPROTO_IPV6, 76, 0)
    option("zeros for a device and an address", s, IPPROTO_IPV6, IPV6_PKTINFO, bytes(20))
    print("refused:")
    option("device", s, SOL_SOCKET, SO_BINDTODEVICE, b"lo")
    option("zero, and a device behind it", s, SOL_SOCKET, SO_BINDTODEVICE, bytes(1) + b"lo")
    option("zeros, more than there are", s, SOL_SOCKET, SO_BINDTODEVICE, bytes(41))
    option("zeros that are nowhere", s, SOL_SOCKET, SO_BINDTODEVICE, None, 16)
    option("index", s, SOL_SOCKET, 62, 1)
    option("route of zeros", s, IPPROTO_IPV6, IPV6_RTHDR, bytes(8))
    option("group of no length", s, IPPROTO_IPV6, IPV6_JOIN_GROUP, None, 0)
    option("group of zeros", s, IPPROTO_IPV6, IPV6_JOIN_GROUP, bytes(20))
`)
		given := optioned(t)
		cmd.Stdin = given
		got, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, got)
		}
		left := map[Way]string{Duplicate: "0", Rewrite: "16777216"}[way] // device 1, as the network orders bytes
		want := strings.NewReplacer("ZEROS", zeros, "LEFT", left).Replace(`no options had
zero for a device of datagrams ZEROS
left b'' LEFT
no device had
no route had
no options of old had
zeros for a device ZEROS
zero for a device's index ZEROS
zero for one of IPv6 ZEROS
zeros for a device and an address ZEROS
refused:
device ENODEV
zero, and a device behind it ENODEV
zeros, more than there are ENODEV
zeros that are nowhere ENODEV
index ENODEV
route of zeros ENODEV
group of no length ENODEV
group of zeros ENODEV
`)
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("by %v: %s", way, diff)
		}
	}
}

// optioned is a socket that has options which take it to loopback.
func optioned(t *testing.T) *os.File {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(fd), "socket")
	t.Cleanup(func() { f.Close() })
	const nothing = "\x01\x01\x01\x01" // of IP's options, four that say nothing
	if err := unix.SetsockoptString(fd, unix.IPPROTO_IP, unix.IP_OPTIONS, nothing); err != nil {
		t.Fatal(err)
	}
	var device [4]byte
	binary.BigEndian.PutUint32(device[:], loopbackDevice)
	if err := unix.SetsockoptString(fd, unix.IPPROTO_IP, unix.IP_UNICAST_IF, string(device[:])); err != nil {
		t.Fatal(err)
	}
	return f
}
