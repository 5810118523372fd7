package intercept

import (
	"bufio"
	"bytes"
	"fmt"
	"net/netip"
	"os"

	"github.com/flaketap/flaketap/internal/tcp"
)

// maxListening bounds how many such sockets of a network are seen.
const maxListening = 1000

// listening4And6 lists where the processes of a process's network listen, but for what listens there for us.
func listening4And6(pid int32) (all []netip.AddrPort) {
	for _, name := range []string{"tcp", "tcp6"} {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, name)) // of a process that has gone there is none
		for _, at := range parseTable(text, tcp.Listening) {
			if at.Port() != homePort {
				all = append(all, at)
			}
		}
	}
	return all
}

// unconnected is the state of a socket of UDP that takes datagrams from everybody.
const unconnected = "07"

// parseTable reads the addresses of sockets that are in a state from a table of the kernel (proc_pid_net(5), tcp, udp).
func parseTable(table []byte, state string) (all []netip.AddrPort) {
	lines := bufio.NewScanner(bytes.NewReader(table))
	for lines.Scan() && len(all) < maxListening {
		fields := bytes.Fields(lines.Bytes())
		if len(fields) < 4 || string(fields[3]) != state {
			continue
		}
		if at, ok := tcp.ParseAddress(fields[1]); ok {
			all = append(all, at)
		}
	}
	return all
}
