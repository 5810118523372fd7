package client

import (
	"os"
	"slices"
	"syscall"

	"github.com/flaketap/flaketap/internal/process"
)

// descendants adds to known the process and all that descend from it, or from one of known, within this process's
// group: one that left the group, as a daemon does, has left the family.
func descendants(root int, known map[int]processID) {
	var all []process.Process
	for p := range process.All() {
		if p.Group == syscall.Getpgrp() {
			all = append(all, p)
		}
		if p.PID == root && p.Group == syscall.Getpgrp() && p.Parent == os.Getpid() {
			known[root] = processID(p.Started)
		}
	}
	roots := make([]int, 0, len(known))
	for pid := range known {
		roots = append(roots, pid)
	}
	for _, pid := range roots {
		for _, p := range process.Descendants(pid, slices.Values(all)) {
			if _, isKnown := known[p.PID]; !isKnown {
				known[p.PID] = processID(p.Started)
			}
		}
	}
}

// running reports whether a process is there and has not ended.
func running(pid int, id processID) bool {
	p, ok := process.Find(pid)
	return ok && processID(p.Started) == id && !p.Ended
}
