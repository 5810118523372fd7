package client

import (
	"bufio"
	"bytes"
	"iter"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/flaketap/flaketap/internal/tcp"
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
	to, ok = tcp.ParseAddress(fields[2])
	socket, err := strconv.ParseUint(string(fields[9]), 10, 64)
	return socket, to, ok && err == nil && socket != 0 && to.Port() != 0 && string(fields[3]) != tcp.Listening
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
