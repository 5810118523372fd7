//go:build unix

package guard

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// patience is how long a process may take to begin or to end; it is only ever used up by a failure.
const patience = 30 * time.Second

// hold makes a named pipe, and returns it with what waits until a process has it open, and until none has any more.
func hold(t *testing.T) (path string, begun, over func()) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "held")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	opened, released := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(released)
		f, err := os.Open(path) // once somebody writes
		close(opened)
		if err == nil {
			_, _ = f.Read(make([]byte, 1)) // until nobody can
			f.Close()
		}
	}()
	await := func(what chan struct{}) func() {
		return func() {
			t.Helper()
			select {
			case <-what:
			case <-time.After(patience):
				t.Fatal("no process has begun, or one is left")
			}
		}
	}
	return path, await(opened), await(released)
}

// started starts a script, in a group of its own or in that of the tests.
func started(t *testing.T, script string, own bool) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: own}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// untouched ends a process, which nobody is to have asked to end before.
func untouched(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || ws.Signal() != syscall.SIGKILL {
		t.Errorf("it had ended before: %v", cmd.ProcessState)
	}
}

// Where this process is killed and can do nothing any more, a group ends all the same, whoever is in it, and so does a
// process with what descends from it in a group of others: what does not listen is killed.
func TestProcessesEndWithUs(t *testing.T) {
	for name, child := range map[string]string{
		"willing":  "sleep 1000",
		"stubborn": `trap "" TERM; while :; do sleep 1; done`,
	} {
		for _, own := range []bool{true, false} {
			t.Run(map[bool]string{true: "group", false: "family"}[own]+" "+name, func(t *testing.T) {
				if !own && runtime.GOOS != "linux" {
					t.Skip("what descends from a process is told on Linux alone")
				}
				t.Parallel()
				path, begun, over := hold(t)
				beside := started(t, "exec sleep 1000", false)
				cmd := started(t, "sh -c 'exec >"+path+"; "+child+"; true' & wait", own)
				g := OfGroup(cmd.Process.Pid)
				if !own {
					g.Dismiss()
					g = OfFamily(cmd.Process.Pid)
				}
				begun()
				_ = g.held.Close() // as the kernel does for a process that was killed
				_ = cmd.Wait()
				over()
				_ = g.cmd.Wait() // its status says how its last command went
				untouched(t, beside)
			})
		}
	}
}

// What listens is asked to end, and has time to.
func TestProcessesAreAskedFirst(t *testing.T) {
	path, begun, over := hold(t)
	put := filepath.Join(t.TempDir(), "put")
	cmd := started(t, "trap 'echo away >"+put+"; exit' TERM; exec 3>"+path+"; while :; do sleep 0.1; done", true)
	g := OfGroup(cmd.Process.Pid)
	begun()
	_ = g.held.Close()
	_ = cmd.Wait()
	over()
	_ = g.cmd.Wait()
	if data, err := os.ReadFile(put); err != nil || string(data) != "away\n" {
		t.Errorf("it was killed: %q, %v", data, err)
	}
}

// A guard that is dismissed has gone, and leaves what it watched over alone.
func TestDismissed(t *testing.T) {
	path, begun, _ := hold(t)
	cmd := started(t, "exec >"+path+"; exec sleep 1000", true)
	g := OfGroup(cmd.Process.Pid)
	begun()
	g.Dismiss()
	if err := syscall.Kill(g.cmd.Process.Pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the guard is there: %v", err)
	}
	untouched(t, cmd)
	var none *Guard
	none.Dismiss()
}
