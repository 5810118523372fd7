package intercept

import (
	"encoding/binary"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// controlling is the bytes of one of the control data, filled up to where the next begins.
func controlling(level, option uint32, data []byte) []byte {
	b := binary.NativeEndian.AppendUint64(nil, uint64(unix.CmsgLen(len(data))))
	b = binary.NativeEndian.AppendUint32(b, level)
	b = binary.NativeEndian.AppendUint32(b, option)
	b = append(b, data...)
	return append(b, make([]byte, unix.CmsgSpace(len(data))-len(b))...)
}

// via is an in_pktinfo, or an in6_pktinfo, that names a device.
func via(option, device uint32) []byte {
	index := binary.NativeEndian.AppendUint32(nil, device)
	if option == unix.IP_PKTINFO {
		return controlling(unix.IPPROTO_IP, option, append(index, make([]byte, 8)...))
	}
	return controlling(unix.IPPROTO_IPV6, option, append(make([]byte, 16), index...))
}

func TestLeaves(t *testing.T) {
	rights := controlling(unix.SOL_SOCKET, unix.SCM_RIGHTS, []byte{5, 0, 0, 0})
	tos := controlling(unix.IPPROTO_IP, unix.IP_TOS, []byte{8})
	for _, tc := range []struct {
		name    string
		control []byte
		want    bool
	}{
		{"nothing", nil, false},
		{"a file that is handed over", rights, false},
		{"a service class", tos, false},
		{"the address to send from", via(unix.IP_PKTINFO, 0), false},
		{"loopback", via(unix.IP_PKTINFO, loopbackDevice), false},
		{"loopback by IPv6", via(unix.IPV6_PKTINFO, loopbackDevice), false},
		{"a device", via(unix.IP_PKTINFO, 2), true},
		{"a device by IPv6", via(unix.IPV6_PKTINFO, 2), true},
		{"a device by its option of old", via(unix.IPV6_2292PKTINFO, 3), true},
		{"a route", controlling(unix.IPPROTO_IP, unix.IP_RETOPTS, []byte{131, 7, 4, 192, 0, 2, 1}), true},
		{"a route of IPv6", controlling(unix.IPPROTO_IPV6, unix.IPV6_RTHDR, make([]byte, 24)), true},
		{"a device behind others", slices.Concat(rights, tos, via(unix.IP_PKTINFO, 2)), true},
		{"a device cut off", via(unix.IP_PKTINFO, 2)[:unix.SizeofCmsghdr+2], false},
		{"no size", make([]byte, 64), false},
	} {
		if got := leaves(tc.control); got != tc.want {
			t.Errorf("%s: %t", tc.name, got)
		}
	}
}

func FuzzLeaves(f *testing.F) {
	f.Add(via(unix.IP_PKTINFO, 2))
	f.Add(slices.Concat(controlling(unix.IPPROTO_IP, unix.IP_TOS, []byte{8}), via(unix.IPV6_PKTINFO, 2)))
	f.Fuzz(func(t *testing.T, b []byte) {
		if leaves(b) && len(b) < unix.SizeofCmsghdr {
			t.Errorf("%d bytes name a way", len(b))
		}
	})
}
