//go:build unix

package client

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"os/exec"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/flaketap/flaketap/internal/guard"
)

// family is the client with the processes that it started.
//
// Without a terminal it is a process group of its own, which signals reach whole. With one it stays in the group of the
// recorder, so that the terminal and the shell treat the two as the one job that they are: Ctrl-C reaches both, once,
// Ctrl-Z stops both, the client may read from the terminal, and so may a pager that stands behind them in a pipeline.
// Its processes are then told by their descent.
type family struct {
	pid   int
	own   bool              // it is a process group
	known map[int]processID // the processes told of a signal, where it is none
	guard *guard.Guard
}

// processID tells a process from a later one with the same number.
type processID uint64

// startFamily starts the client.
func startFamily(cmd *exec.Cmd) (*family, error) {
	own := !hasTerminal()
	if own {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	f := &family{pid: cmd.Process.Pid, own: own, known: map[int]processID{}}
	if own {
		f.guard = guard.OfGroup(f.pid)
	} else {
		f.guard = guard.OfFamily(f.pid)
	}
	return f, nil
}

// leave leaves alone what is left of the family, if this process is killed, too.
func (f *family) leave() { f.guard.Dismiss() }

// signal sends a signal to every process of the family.
func (f *family) signal(s syscall.Signal) {
	if f.own {
		_ = syscall.Kill(-f.pid, s) // that there is none left is what is wanted; so below
		if s != syscall.SIGKILL {
			_ = syscall.Kill(-f.pid, syscall.SIGCONT) // one that is stopped could not take it
		}
		return
	}
	descendants(f.pid, f.known)
	// Parents come before what they started: a shell that sees its command die first goes on to the next.
	older := func(a, b int) int {
		return cmp.Or(cmp.Compare(f.known[a], f.known[b]), cmp.Compare(a, b))
	}
	for _, pid := range slices.SortedFunc(maps.Keys(f.known), older) {
		if running(pid, f.known[pid]) {
			_ = syscall.Kill(pid, s)
		}
	}
}

// alive reports whether a process of the family is left, of those that were sent a signal.
func (f *family) alive() bool {
	if f.own {
		return !errors.Is(syscall.Kill(-f.pid, 0), syscall.ESRCH)
	}
	for pid, id := range f.known {
		if running(pid, id) {
			return true
		}
	}
	return false
}

// hearsTerminal reports whether the family gets what is typed at the terminal, as Ctrl-C, by itself.
func (f *family) hearsTerminal() bool {
	if f.own {
		return false
	}
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// hasTerminal reports whether the process has a controlling terminal, in the foreground or not.
func hasTerminal() bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	tty.Close()
	return true
}
