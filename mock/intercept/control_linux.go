package intercept

import (
	"encoding/binary"
	"slices"

	"golang.org/x/sys/unix"
)

// maxControl bounds the control data of a message that are read. Kernels take 128 KiB at most (net.core.optmem_max).
const maxControl = 128 << 10

// loopbackDevice is the index of the loopback device in every network: the first one that is there.
const loopbackDevice = 1

// leaves says whether control data have a datagram leave by a device other than loopback, or by a route, whatever
// address it names: to localhost too. What is cut short the kernel refuses itself.
func leaves(control []byte) bool {
	all, err := unix.ParseSocketControlMessage(control)
	return err == nil && slices.ContainsFunc(all, namesWay)
}

// namesWay says whether one of the control data names a device to leave by, or a route.
func namesWay(m unix.SocketControlMessage) bool {
	device := -1 // where its index is
	switch level, option := m.Header.Level, m.Header.Type; {
	case level == unix.IPPROTO_IP && option == unix.IP_PKTINFO:
		device = 0
	case level == unix.IPPROTO_IPV6 && (option == unix.IPV6_PKTINFO || option == unix.IPV6_2292PKTINFO):
		device = 16 // behind the address
	case level == unix.IPPROTO_IP && option == unix.IP_RETOPTS,
		level == unix.IPPROTO_IPV6 && (option == unix.IPV6_RTHDR || option == unix.IPV6_2292RTHDR):
		return true
	}
	if device < 0 || len(m.Data) < device+4 {
		return false
	}
	index := binary.NativeEndian.Uint32(m.Data[device:])
	return index != 0 && index != loopbackDevice
}
