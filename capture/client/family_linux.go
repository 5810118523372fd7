package client

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// procStat is what /proc says of a process (proc_pid_stat(5)).
type procStat struct {
	parent, group int
	state         byte
	id            processID // when it was started, in ticks since the machine was
}

// descendants adds to known the process and all that descend from it, or from one of known, within this process's
// group: one that left the group, as a daemon does, has left the family.
func descendants(root int, known map[int]processID) {
	paths, _ := filepath.Glob("/proc/[0-9]*")
	all := map[int]procStat{}
	for _, path := range paths {
		pid, err := strconv.Atoi(filepath.Base(path))
		if err != nil {
			continue
		}
		if p, ok := readProcess(pid); ok && p.group == syscall.Getpgrp() {
			all[pid] = p
		}
	}
	if p, ok := all[root]; ok && p.parent == os.Getpid() {
		known[root] = p.id
	}
	for grown := true; grown; {
		grown = false
		for pid, p := range all {
			_, isKnown := known[pid]
			if _, ofKnown := known[p.parent]; ofKnown && !isKnown {
				known[pid], grown = p.id, true
			}
		}
	}
}

// running reports whether a process is there and has not ended.
func running(pid int, id processID) bool {
	p, ok := readProcess(pid)
	return ok && p.id == id && p.state != 'Z' && p.state != 'X'
}

func readProcess(pid int) (procStat, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return procStat{}, false
	}
	// The second field is the program's name in parentheses, and may hold any byte.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return procStat{}, false
	}
	parent, err1 := strconv.Atoi(string(fields[1]))
	group, err2 := strconv.Atoi(string(fields[2]))
	started, err3 := strconv.ParseUint(string(fields[19]), 10, 64)
	return procStat{parent, group, fields[0][0], processID(started)}, err1 == nil && err2 == nil && err3 == nil
}
