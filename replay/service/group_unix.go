//go:build unix

package service

import (
	"os/exec"
	"syscall"
)

// newGroup gives a command a process group of its own, which the signals of a terminal do not reach.
func newGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// ownGroup gives a command a process group of its own, so that its children are killed with it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// askGroup asks a command and its children to end. One that is stopped could not take it.
func askGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) // that there is none left is what is wanted; so below
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGCONT)
}

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

func signalName(n int) string { return syscall.Signal(n).String() }
