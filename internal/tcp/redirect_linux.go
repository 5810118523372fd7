package tcp

import (
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Redirects reports that the system tells where redirected connections were going.
const Redirects = true

// Redirected returns where a connection was going when rules of this machine (REDIRECT, DNAT) took it here. ok is false
// where it came here by itself, or the kernel knows nothing of it, as of a connection that another machine redirected.
func Redirected(c *net.TCPConn) (to netip.AddrPort, ok bool) {
	if c == nil {
		return to, false
	}
	raw, err := c.SyscallConn()
	local, isTCP := c.LocalAddr().(*net.TCPAddr)
	if err != nil || !isTCP {
		return to, false
	}
	here := local.AddrPort()
	here = netip.AddrPortFrom(here.Addr().Unmap(), here.Port())
	found := errors.New("not asked")
	err = raw.Control(func(fd uintptr) {
		if here.Addr().Is4() { // on a socket of IPv6 too
			to, found = original4(int(fd))
		} else {
			to, found = original6(int(fd))
		}
	})
	same := to.Port() == here.Port() && to.Addr().WithZone("") == here.Addr().WithZone("")
	return to, err == nil && found == nil && !same
}

// original4 asks for SO_ORIGINAL_DST. Its answer is a sockaddr_in, which is as long as the first part of the structure
// that package unix has a call for.
func original4(fd int) (netip.AddrPort, error) {
	m, err := unix.GetsockoptIPv6Mreq(fd, unix.SOL_IP, unix.SO_ORIGINAL_DST)
	if err != nil {
		return netip.AddrPort{}, err
	}
	b := m.Multiaddr
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[4:8])), binary.BigEndian.Uint16(b[2:4])), nil
}

// original6 asks for IP6T_SO_ORIGINAL_DST, which has the number of SO_ORIGINAL_DST. Its answer is a sockaddr_in6.
func original6(fd int) (netip.AddrPort, error) {
	m, err := unix.GetsockoptIPv6MTUInfo(fd, unix.SOL_IPV6, unix.SO_ORIGINAL_DST)
	if err != nil {
		return netip.AddrPort{}, err
	}
	addr := netip.AddrFrom16(m.Addr.Addr)
	if id := m.Addr.Scope_id; id != 0 {
		addr = addr.WithZone(strconv.FormatUint(uint64(id), 10))
	}
	port := binary.NativeEndian.AppendUint16(nil, m.Addr.Port) // it came in the order of the network
	return netip.AddrPortFrom(addr, binary.BigEndian.Uint16(port)), nil
}

// SetMark gives a socket that is about to connect the [Mark]; it is a net.Dialer's Control. Where the process may not,
// the socket goes without: [MayMark] says so beforehand.
func SetMark(_, _ string, c syscall.RawConn) error {
	return c.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_MARK, Mark)
	})
}

// MayMark reports whether the process may mark its sockets, which takes CAP_NET_ADMIN or CAP_NET_RAW.
func MayMark() bool {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_MARK, Mark) == nil
}
