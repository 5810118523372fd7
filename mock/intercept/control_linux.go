package intercept

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// Layout of struct cmsghdr on 64 bits (cmsg(3)); what follows one is filled up to a multiple of cmsgAlign.
const (
	cmsgLevel = 8
	cmsgType  = 12
	cmsgSize  = 16
	cmsgAlign = 8
)

// maxControl bounds the control data of a message that are read. Kernels take 128 KiB at most (net.core.optmem_max).
const maxControl = 128 << 10

// loopbackDevice is the index of the loopback device in every network: the first one that is there.
const loopbackDevice = 1

// leaves says whether control data have a datagram leave by a device other than loopback, or by a route, whatever
// address it names: to localhost too. What is cut short the kernel refuses itself.
func leaves(control []byte) bool {
	for len(control) >= cmsgSize {
		size := binary.NativeEndian.Uint64(control)
		if size < cmsgSize || size > uint64(len(control)) {
			return false
		}
		if namesWay(binary.NativeEndian.Uint32(control[cmsgLevel:]), binary.NativeEndian.Uint32(control[cmsgType:]),
			control[cmsgSize:size]) {
			return true
		}
		next := (size + cmsgAlign - 1) / cmsgAlign * cmsgAlign
		control = control[min(next, uint64(len(control))):]
	}
	return false
}

// namesWay says whether one of the control data names a device to leave by, or a route.
func namesWay(level, option uint32, data []byte) bool {
	device := -1 // where its index is
	switch {
	case level == unix.IPPROTO_IP && option == unix.IP_PKTINFO:
		device = 0
	case level == unix.IPPROTO_IPV6 && (option == unix.IPV6_PKTINFO || option == unix.IPV6_2292PKTINFO):
		device = 16 // behind the address
	case level == unix.IPPROTO_IP && option == unix.IP_RETOPTS,
		level == unix.IPPROTO_IPV6 && (option == unix.IPV6_RTHDR || option == unix.IPV6_2292RTHDR):
		return true
	}
	if device < 0 || len(data) < device+4 {
		return false
	}
	index := binary.NativeEndian.Uint32(data[device:])
	return index != 0 && index != loopbackDevice
}
