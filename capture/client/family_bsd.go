//go:build unix && !linux

package client

import "syscall"

// descendants knows the client alone: there is no /proc to find the others in. The terminal tells them of Ctrl-C, and a
// client without a terminal is a group of its own.
func descendants(root int, known map[int]processID) { known[root] = 0 }

func running(pid int, _ processID) bool { return syscall.Kill(pid, 0) == nil }
