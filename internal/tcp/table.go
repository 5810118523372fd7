package tcp

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"slices"
	"strconv"
)

// Listening is the state of a listening socket in the tables of the kernel (proc_pid_net(5), tcp).
const Listening = "0A"

// ParseAddress reads an address of such a table: 32-bit words in the order of the machine, in hexadecimal, a colon,
// and the port.
func ParseAddress(text []byte) (netip.AddrPort, bool) {
	host, port, found := bytes.Cut(text, []byte(":"))
	raw := make([]byte, hex.DecodedLen(len(host)))
	if _, err := hex.Decode(raw, host); err != nil || !found || len(raw)%4 != 0 {
		return netip.AddrPort{}, false
	}
	for word := range slices.Chunk(raw, 4) {
		binary.NativeEndian.PutUint32(word, binary.BigEndian.Uint32(word))
	}
	addr, ok := netip.AddrFromSlice(raw)
	n, err := strconv.ParseUint(string(port), 16, 16)
	return netip.AddrPortFrom(addr.Unmap(), uint16(n)), ok && err == nil
}
