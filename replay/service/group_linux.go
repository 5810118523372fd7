package service

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// groupAlive reports whether a process of the group is left. One that has ended and was not waited for, as where the
// first process of a container does not do so, has gone.
func groupAlive(cmd *exec.Cmd) bool {
	return len(members(cmd.Process.Pid)) > 0
}

// member is a process of a group.
type member struct{ pid, parent int }

// members lists the processes of a group that run.
func members(group int) (all []member) {
	paths, _ := filepath.Glob("/proc/[0-9]*")
	for _, path := range paths {
		stat, err := os.ReadFile(path + "/stat")
		if err != nil {
			continue
		}
		// The second field is the program's name in parentheses, and may hold any byte (proc_pid_stat(5)).
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 3 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
			continue
		}
		if of, err := strconv.Atoi(string(fields[2])); err != nil || of != group {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(path))
		parent, perr := strconv.Atoi(string(fields[1]))
		if err == nil && perr == nil {
			all = append(all, member{pid, parent})
		}
	}
	return all
}
