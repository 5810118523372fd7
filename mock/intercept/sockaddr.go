package intercept

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
)

// family is the address family of a sockaddr, by Linux's numbers.
type family uint16

const (
	familyNone    family = 0 // AF_UNSPEC: connect ends an association
	familyUnix    family = 1
	familyIPv4    family = 2
	familyIPv6    family = 10
	familyNetlink family = 16
)

func (f family) String() string { return fmt.Sprintf("an address of family %d", uint16(f)) }

// Lengths of sockaddrs: of sockaddr_storage, which is the longest, of sockaddr_in, and of sockaddr_in6.
const (
	maxSockaddr  = 128
	sockaddrIn   = 16
	sockaddrIn6  = 28
	shortestIPv6 = 24 // without the scope, as the kernel takes it
)

// endpoint is the address that a system call names.
type endpoint struct {
	family family
	ip     netip.AddrPort // of IPv4 and IPv6; the zero value where the bytes are no address
	path   string         // of familyUnix; an abstract name begins with NUL
}

// String is the address as people read it, a socket's path, or the family where that alone is known; "" where the
// address cannot be read.
func (e endpoint) String() string {
	switch {
	case e.ip.IsValid() && e.ip.Port() == 0:
		return e.ip.Addr().String()
	case e.ip.IsValid():
		return e.ip.String()
	case e.family == familyUnix:
		return e.path
	case e.family == familyNone, e.family == familyIPv4, e.family == familyIPv6:
		return ""
	}
	return e.family.String()
}

// parseSockaddr reads the bytes of a sockaddr. They come from another process and may be anything.
func parseSockaddr(b []byte) endpoint {
	if len(b) < 2 {
		return endpoint{}
	}
	e := endpoint{family: family(binary.NativeEndian.Uint16(b))}
	switch {
	case e.family == familyIPv4 && len(b) >= sockaddrIn:
		e.ip = netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[4:8])), binary.BigEndian.Uint16(b[2:4]))
	case e.family == familyIPv6 && len(b) >= shortestIPv6:
		e.ip = netip.AddrPortFrom(netip.AddrFrom16([16]byte(b[8:24])), binary.BigEndian.Uint16(b[2:4]))
	case e.family == familyUnix:
		e.path = unixPath(b[2:])
	}
	return e
}

// unixPath is the path of a sockaddr_un: up to its NUL, or whole where it begins with one and is abstract.
func unixPath(b []byte) string {
	if end := bytes.IndexByte(b, 0); end > 0 {
		return string(b[:end])
	}
	return string(b)
}

// appendSockaddr writes an address as the family of a socket has it: one of IPv4 is mapped for IPv6.
func appendSockaddr(b []byte, f family, to netip.AddrPort) []byte {
	start := len(b)
	b = binary.NativeEndian.AppendUint16(b, uint16(f))
	b = binary.BigEndian.AppendUint16(b, to.Port())
	if f == familyIPv4 {
		four := to.Addr().Unmap().As4()
		b = append(b, four[:]...)
		return append(b, make([]byte, sockaddrIn-(len(b)-start))...)
	}
	b = append(b, 0, 0, 0, 0)
	sixteen := to.Addr().As16()
	b = append(b, sixteen[:]...)
	return append(b, make([]byte, sockaddrIn6-(len(b)-start))...)
}
