package client

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"iter"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// connections lists the TCP connections of this machine that somebody has made or is making, by their sockets' inodes,
// with the address that each leads to (proc_pid_net(5)).
func connections() iter.Seq2[uint64, netip.AddrPort] {
	return func(yield func(uint64, netip.AddrPort) bool) {
		for _, path := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
			f, err := os.Open(path)
			if err != nil {
				continue
			}
			lines := bufio.NewScanner(f)
			for lines.Scan() {
				socket, to, ok := parseConnection(lines.Bytes())
				if ok && !yield(socket, to) {
					f.Close()
					return
				}
			}
			f.Close()
		}
	}
}

// parseConnection reads a line of /proc/net/tcp. ok is false of what has no socket, or no other end.
func parseConnection(line []byte) (socket uint64, to netip.AddrPort, ok bool) {
	fields := bytes.Fields(line)
	if len(fields) < 10 {
		return 0, to, false
	}
	const listening = "0A"
	to, ok = parseAddress(fields[2])
	socket, err := strconv.ParseUint(string(fields[9]), 10, 64)
	return socket, to, ok && err == nil && socket != 0 && to.Port() != 0 && string(fields[3]) != listening
}

// parseAddress reads an address of /proc/net/tcp: 32-bit words in the order of the machine, in hexadecimal, a colon,
// and the port.
func parseAddress(text []byte) (netip.AddrPort, bool) {
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

// sockets lists the sockets that processes of the family have open, by their inodes.
func (f *family) sockets() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for _, pid := range f.members() {
			dir := filepath.Join("/proc", strconv.Itoa(pid), "fd")
			entries, err := os.ReadDir(dir) // not ours, or gone
			if err != nil {
				continue
			}
			for _, e := range entries {
				name, _ := os.Readlink(filepath.Join(dir, e.Name()))
				number, isSocket := strings.CutPrefix(name, "socket:[")
				socket, err := strconv.ParseUint(strings.TrimSuffix(number, "]"), 10, 64)
				if isSocket && err == nil && !yield(socket) {
					return
				}
			}
		}
	}
}

// members lists the processes of the family.
func (f *family) members() []int {
	if !f.own {
		known := map[int]processID{}
		descendants(f.pid, known)
		pids := make([]int, 0, len(known))
		for pid := range known {
			pids = append(pids, pid)
		}
		return pids
	}
	paths, _ := filepath.Glob("/proc/[0-9]*")
	var pids []int
	for _, path := range paths {
		pid, err := strconv.Atoi(filepath.Base(path))
		if err != nil {
			continue
		}
		if group, err := syscall.Getpgid(pid); err == nil && group == f.pid {
			pids = append(pids, pid)
		}
	}
	return pids
}
