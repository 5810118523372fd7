package intercept

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// maxListening bounds how many listeners of a network are seen.
const maxListening = 1000

// listening4And6 lists where the processes of a process's network listen, but for what listens there for us.
func listening4And6(pid int32) (all []netip.AddrPort) {
	for _, name := range []string{"tcp", "tcp6"} {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, name)) // of a process that has gone there is none
		for _, at := range parseListening(text) {
			if at.Port() != homePort {
				all = append(all, at)
			}
		}
	}
	return all
}

// parseListening reads the addresses of listening sockets from a table of the kernel (proc_pid_net(5), tcp).
func parseListening(table []byte) (all []netip.AddrPort) {
	lines := bufio.NewScanner(bytes.NewReader(table))
	for lines.Scan() && len(all) < maxListening {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || fields[3] != "0A" {
			continue
		}
		host, port, _ := strings.Cut(fields[1], ":")
		b, err := hex.DecodeString(host)
		n, wrong := strconv.ParseUint(port, 16, 16)
		if err != nil || wrong != nil || len(b) != 4 && len(b) != 16 {
			continue
		}
		for i := 0; i < len(b); i += 4 { // in words of this machine
			binary.BigEndian.PutUint32(b[i:], binary.NativeEndian.Uint32(b[i:]))
		}
		addr, _ := netip.AddrFromSlice(b)
		all = append(all, netip.AddrPortFrom(addr.Unmap(), uint16(n)))
	}
	return all
}
