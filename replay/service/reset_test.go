//go:build unix

package service

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestResetURL(t *testing.T) {
	var got *http.Request
	addr := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/reset", http.StatusFound)
		case "/broken":
			http.Error(w, "first\nthe database is locked\n", http.StatusInternalServerError)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	if err := Reset("http://" + addr + "/reset").Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got.Method != "POST" || got.ContentLength != 0 {
		t.Errorf("sent %s with %d bytes, want POST with none", got.Method, got.ContentLength)
	}
	for path, want := range map[string]string{
		"/moved":  "reset http://ada:xxxxx@" + addr + "/moved: answered 302 Found",
		"/broken": "reset http://ada:xxxxx@" + addr + "/broken: answered 500 Internal Server Error: the database is locked",
	} {
		err := Reset("http://ada:geheim@" + addr + path).Run(context.Background())
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestResetCommand(t *testing.T) {
	if err := Reset("").Run(context.Background()); err != nil {
		t.Error(err)
	}
	mark := filepath.Join(t.TempDir(), "done")
	if err := Reset("echo x > " + mark).Run(context.Background()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(mark); err != nil {
		t.Error(err)
	}
	err := Reset("echo one; echo 'two: no such table' >&2; exit 3").Run(context.Background())
	const want = `reset "echo one; echo 'two: no such table' >&2; exit 3": exit status 3: two: no such table`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestResetInterrupted: a command that is ended together with all else is no failure of its own.
func TestResetInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Reset("sleep 1000").Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestResetHangs: the command is killed, and so are its children, which here hold a lock that can be waited for.
func TestResetHangs(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "held")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := os.ReadFile(fifo) // ends once nobody has it open for writing
		ended <- err
	}()
	err := Reset("(exec > "+fifo+"; sleep 1000) & sleep 1000").Within(context.Background(), 300*time.Millisecond)
	if err == nil || !strings.HasSuffix(err.Error(), "not finished after 300ms") {
		t.Errorf("got %v", err)
	}
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Error("a child of the reset is still there")
	}
}

// TestResetLeavesAPI: a reset may start the API in the background; it neither waits for it nor breaks its output.
func TestResetLeavesAPI(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "go")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	mark := filepath.Join(t.TempDir(), "lived")
	if err := Reset("(read x < " + fifo + "; echo still talking && echo > " + mark + ") &").Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(fifo, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(20 * time.Second); ; {
		if _, err := os.Stat(mark); err == nil {
			return
		}
		if time.Now().After(until) {
			t.Fatal("what the reset left behind died")
		}
	}
}
