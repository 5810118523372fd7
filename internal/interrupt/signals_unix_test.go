//go:build unix

package interrupt

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// TestCatch sends this process what asks it to end: each signal arrives once, and a limit on the size of files is an
// error of the write. A hang-up that these tests have to ignore (nohup) stays ignored.
func TestCatch(t *testing.T) {
	all := []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, os.Interrupt.(syscall.Signal), syscall.SIGTERM}
	if signal.Ignored(syscall.SIGHUP) {
		all = slices.DeleteFunc(all, func(s syscall.Signal) bool { return s == syscall.SIGHUP })
	}
	signals := Catch()
	for _, sent := range all {
		if err := syscall.Kill(os.Getpid(), sent); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-signals:
			if got != sent {
				t.Errorf("%v arrived, and %v was sent", got, sent)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("%v does not arrive", sent)
		}
	}

	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	limit := old
	limit.Cur = 1 << 20
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	err := os.WriteFile(filepath.Join(t.TempDir(), "large"), make([]byte, 2<<20), 0o600)
	if again := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); again != nil {
		t.Fatal(again)
	}
	if !errors.Is(err, syscall.EFBIG) {
		t.Errorf("a write beyond the limit gives %v", err)
	}
}

// brokenPipeEnv tells the test binary to be a process that writes to a stderr which nobody reads.
const brokenPipeEnv = "FLAKETAP_TEST_BROKEN_PIPE"

// TestBrokenPipe: a process whose stderr nobody reads any more goes on once it has called CatchBrokenPipe, and is ended
// without.
func TestBrokenPipe(t *testing.T) {
	if how := os.Getenv(brokenPipeEnv); how != "" {
		if how == "caught" {
			CatchBrokenPipe()
		}
		_, _ = os.Stderr.WriteString("to nobody")
		os.Exit(7) // it lives
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for how, want := range map[string]string{"caught": "exit status 7", "left": "signal: broken pipe"} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		cmd := exec.Command(exe, "-test.run=^TestBrokenPipe$")
		cmd.Env, cmd.Stderr = append(os.Environ(), brokenPipeEnv+"="+how), w
		err = cmd.Run()
		w.Close()
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", how, err, want)
		}
	}
}

func TestStopSaysItsSignal(t *testing.T) {
	if got := (&Stop{Signal: syscall.SIGTERM}).Error(); got != "stopped by a signal: terminated" {
		t.Error(got)
	}
}
