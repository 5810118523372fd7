//go:build unix

package service

import (
	"os"
	"os/exec"
	"strconv"
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

// guard is a shell that ends the group of an API when this process is killed and cannot do so itself: it waits at the
// end of a pipe that then closes.
type guard struct {
	cmd  *exec.Cmd
	held *os.File
}

// watching is what a guard does: $1 is the group. It is not for the signals of a terminal or a supervisor, which this
// process may outlive.
const watching = `trap '' HUP INT TERM
read -r _
kill -s TERM -- "-$1" || exit 0
for i in 1 2 3 4 5 6 7 8 9 10; do
	sleep 0.5 || sleep 1
	kill -s 0 -- "-$1" || exit 0
done
kill -s KILL -- "-$1"`

// watchOver puts a guard beside the group of a process. Where none can be had, there is none: nil.
func watchOver(group int) *guard {
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer r.Close()
	cmd := exec.Command("sh", "-c", watching, "flaketap-guard", strconv.Itoa(group))
	cmd.Stdin, cmd.Dir = r, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		_ = w.Close()
		return nil
	}
	return &guard{cmd, w}
}

// dismiss ends the guard: there is nothing left to watch over.
func (g *guard) dismiss() {
	if g == nil {
		return
	}
	_ = g.cmd.Process.Kill() // first, or it would take the closing for our end
	_ = g.cmd.Wait()
	_ = g.held.Close()
}
