//go:build unix

package ui

import (
	"os"
	"os/exec"
	"syscall"
)

// apart has a command end once, by the page: a terminal sends its signals to all processes of a group, and a replay
// that is told twice leaves what it is at.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
}
