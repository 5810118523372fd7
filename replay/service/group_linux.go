package service

import (
	"os/exec"

	"github.com/flaketap/flaketap/internal/process"
)

// groupAlive reports whether a process of the group is left. One that has ended and was not waited for, as where the
// first process of a container does not do so, has gone.
func groupAlive(cmd *exec.Cmd) bool {
	return len(members(cmd.Process.Pid)) > 0
}

// members lists the processes of a group that run.
func members(group int) (all []process.Process) {
	for p := range process.All() {
		if p.Group == group && !p.Ended {
			all = append(all, p)
		}
	}
	return all
}
