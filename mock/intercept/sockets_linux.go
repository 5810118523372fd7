package intercept

import (
	"bytes"
	"errors"
	"net"
	"net/netip"
	"slices"

	"golang.org/x/sys/unix"
)

// Arguments of socket(2).
const (
	argDomain = iota
	argType
	argProtocol
)

// sockType are the bits of a socket's type that are no flags.
const sockType = 0xf

// Arguments of setsockopt(2).
const (
	argSocket = iota
	argLevel
	argOption
	argValue
	argLength
)

// options are some of one level of setsockopt(2).
type options struct {
	level uint32
	names []uint32
}

// reaching are the options by which a socket reaches other machines whatever address is named: the kernel itself tells
// its neighbors of groups that are joined, and sends what is bound to a device, or to a route, by that, to localhost
// too.
var reaching = []options{
	{unix.SOL_SOCKET, []uint32{unix.SO_BINDTODEVICE, unix.SO_BINDTOIFINDEX}},
	{unix.IPPROTO_IP, []uint32{unix.IP_ADD_MEMBERSHIP, unix.IP_ADD_SOURCE_MEMBERSHIP, unix.MCAST_JOIN_GROUP,
		unix.MCAST_JOIN_SOURCE_GROUP, unix.IP_UNICAST_IF, unix.IP_OPTIONS}},
	{unix.IPPROTO_IPV6, []uint32{unix.IPV6_JOIN_GROUP, unix.IPV6_JOIN_ANYCAST, unix.MCAST_JOIN_GROUP,
		unix.MCAST_JOIN_SOURCE_GROUP, unix.IPV6_UNICAST_IF, unix.IPV6_PKTINFO, unix.IPV6_2292PKTOPTIONS,
		unix.IPV6_RTHDR}},
}

// clearedByNone are those of reaching that a value of no length takes back, clearedByZeros those that zeros do.
var (
	clearedByNone = []options{
		{unix.SOL_SOCKET, []uint32{unix.SO_BINDTODEVICE}},
		{unix.IPPROTO_IP, []uint32{unix.IP_OPTIONS}},
		{unix.IPPROTO_IPV6, []uint32{unix.IPV6_2292PKTOPTIONS, unix.IPV6_RTHDR}},
	}
	clearedByZeros = []options{
		{unix.SOL_SOCKET, []uint32{unix.SO_BINDTODEVICE, unix.SO_BINDTOIFINDEX}},
		{unix.IPPROTO_IP, []uint32{unix.IP_UNICAST_IF}},
		{unix.IPPROTO_IPV6, []uint32{unix.IPV6_UNICAST_IF, unix.IPV6_PKTINFO}},
	}
)

// maxCleared is how long a value of zeros is at most, in bytes: a struct ifreq, which some name a device by.
const maxCleared = 40

// sets says whether a call of setsockopt(2) is for one of some options.
func sets(n notification, some []options) bool {
	return slices.ContainsFunc(some, func(o options) bool {
		return o.level == uint32(n.Args[argLevel]) && slices.Contains(o.names, uint32(n.Args[argOption]))
	})
}

// socket refuses a socket that cannot be led, as a kernel does that does not know its family.
func (s *supervisor) socket(n notification) response {
	of := family(n.Args[argDomain])
	if of == familyIPv4 && n.Args[argType]&sockType == unix.SOCK_PACKET {
		of = unix.AF_PACKET // by its name of old
	}
	return s.refuseWith(n, unix.EAFNOSUPPORT, otherKind, of.String(), "sockets of this kind are not led")
}

// set refuses an option by which a socket reaches other machines, as a machine does that has no device for it, unless
// it is taken back.
func (s *supervisor) set(n notification) response {
	if r, done := s.clear(n); done {
		return r
	}
	if group, joins := groupOf(n); joins {
		return s.refuseWith(n, unix.ENODEV, datagram, group.String(), "of a group that is joined the kernel tells other machines")
	}
	return s.refuseWay(n)
}

// clear takes an option back. That its value has no length is said by the call itself, which goes on; of a value of
// zeros the process could make another one meanwhile, so zeros of ours are set, where the socket can be duplicated.
// done is false where it is not taken back, or cannot be so.
func (s *supervisor) clear(n notification) (r response, done bool) {
	size := uint32(n.Args[argLength])
	if size == 0 && sets(n, clearedByNone) {
		return goOn(n), true
	}
	if size == 0 || size > maxCleared || s.rewrite || !sets(n, clearedByZeros) {
		return r, false
	}
	value, zeros := make([]byte, size), make([]byte, size)
	if readMemory(n.Thread, n.Args[argValue], value) != nil || !bytes.Equal(value, zeros) {
		return r, false
	}
	fd, err := duplicate(n.Thread, int(int32(n.Args[argSocket])))
	if err != nil {
		return r, false
	}
	defer unix.Close(fd)
	if !s.listener.waits(n.ID) { // it may be another process's socket
		return failed(n, unix.ENODEV), true
	}
	err = unix.SetsockoptString(fd, int(n.Args[argLevel]), int(n.Args[argOption]), string(zeros))
	var errno unix.Errno
	if errors.As(err, &errno) {
		return failed(n, errno), true
	}
	return response{ID: n.ID}, true
}

// refuseWay refuses to send by a device, or by a route.
func (s *supervisor) refuseWay(n notification) response {
	return s.refuseWith(n, unix.ENODEV, unknownKind, "a device or a route",
		"what is bound to one leaves this machine by it, be it for localhost")
}

// groupOf is the multicast group that an option joins, as far as it can be read; joins is false for the other ones of
// reaching, whose numbers differ from these at each level.
func groupOf(n notification) (group endpoint, joins bool) {
	at, size := n.Args[argValue], 0
	switch uint32(n.Args[argOption]) {
	case unix.MCAST_JOIN_GROUP, unix.MCAST_JOIN_SOURCE_GROUP:
		const behind = 8                                          // the device, and what fills up
		group, _ = readSockaddr(n.Thread, at+behind, sockaddrIn6) // what cannot be read is told as such; so below
		return group, true
	case unix.IP_ADD_MEMBERSHIP, unix.IP_ADD_SOURCE_MEMBERSHIP:
		size = net.IPv4len
	case unix.IPV6_JOIN_GROUP, unix.IPV6_JOIN_ANYCAST:
		size = net.IPv6len
	default:
		return group, false
	}
	b := make([]byte, size)
	if readMemory(n.Thread, at, b) == nil {
		addr, _ := netip.AddrFromSlice(b)
		group.ip = netip.AddrPortFrom(addr, 0)
	}
	return group, true
}
