//go:build unix && !linux

package service

import (
	"errors"
	"os/exec"
	"syscall"
)

// groupAlive reports whether a process of the group is left.
func groupAlive(cmd *exec.Cmd) bool {
	return !errors.Is(syscall.Kill(-cmd.Process.Pid, 0), syscall.ESRCH)
}
