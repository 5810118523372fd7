package process

import (
	"bytes"
	"iter"
	"os"
	"strconv"
)

// Process is one process, as it was when it was looked at (proc_pid_stat(5)).
type Process struct {
	PID, Parent, Group int
	Started            uint64 // in ticks since the machine was: tells it from a later one with the same number
	Ended              bool   // it waits to be waited for
}

// Find looks at a process; ok is false where there is none.
func Find(pid int) (p Process, ok bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return p, false
	}
	return parse(pid, stat)
}

// parse reads a file stat. The second field is the program's name in parentheses, and may hold any byte.
func parse(pid int, stat []byte) (p Process, ok bool) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return p, false
	}
	parent, err1 := strconv.Atoi(string(fields[1]))
	group, err2 := strconv.Atoi(string(fields[2]))
	started, err3 := strconv.ParseUint(string(fields[19]), 10, 64)
	p = Process{PID: pid, Parent: parent, Group: group, Started: started}
	p.Ended = fields[0][0] == 'Z' || fields[0][0] == 'X'
	return p, err1 == nil && err2 == nil && err3 == nil
}

// All lists the processes that there are, in no order.
func All() iter.Seq[Process] {
	return func(yield func(Process) bool) {
		dir, err := os.Open("/proc")
		if err != nil {
			return
		}
		names, _ := dir.Readdirnames(-1) // those before an error are there
		dir.Close()
		for _, name := range names {
			pid, err := strconv.Atoi(name)
			if err != nil {
				continue
			}
			if p, ok := Find(pid); ok && !yield(p) {
				return
			}
		}
	}
}

// Descendants lists what descends from a process, without itself, among those that all lists.
func Descendants(of int, all iter.Seq[Process]) (out []Process) {
	children := map[int][]Process{}
	for p := range all {
		children[p.Parent] = append(children[p.Parent], p)
	}
	for next := []int{of}; len(next) > 0; next = next[1:] {
		for _, p := range children[next[0]] {
			out = append(out, p)
			next = append(next, p.PID)
		}
		delete(children, next[0]) // a circle, as numbers may be used again while one looks, has an end
	}
	return out
}
