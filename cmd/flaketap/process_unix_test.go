//go:build unix

package main

import (
	"os/exec"
	"syscall"
	"time"
)

// What the tests ask of a Unix system, and of no other, stands here.

// ownSession gives a command that is about to start a session of its own, without a terminal.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// ownGroup gives a command that is about to start a group of its own, which killGroup ends.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// runAs has a command that got a session run as another user.
func runAs(cmd *exec.Cmd, user uint32) {
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: user, Gid: user}
}

// makeFIFO makes a named pipe.
func makeFIFO(path string) error { return syscall.Mkfifo(path, 0o600) }

// ownTime is what this process has used so far.
func ownTime() (time.Duration, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}
