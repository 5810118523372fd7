package cmdline

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/flaketap/flaketap/store"
)

func TestHint(t *testing.T) {
	bind := func(cause error) error {
		return fmt.Errorf("listen: %w", &net.OpError{Op: "listen", Net: "tcp", Err: os.NewSyscallError("bind", cause)})
	}
	for _, test := range []struct {
		err  error
		want string
	}{
		{bind(syscall.EADDRINUSE), "the port is in use"},
		{bind(syscall.EACCES), "ports below 1024"},
		{fmt.Errorf("open: %w", &fs.PathError{Op: "open", Path: "flaketap.db", Err: syscall.EACCES}), "check the owner"},
		{fmt.Errorf("read suite: %w", &fs.PathError{Op: "open", Path: filepath.Join(t.TempDir(), "x"), Err: fs.ErrNotExist}), "correct the path"},
		{fmt.Errorf("read suite: %w", &fs.PathError{Op: "open", Path: "absent", Err: fs.ErrNotExist}), "correct the path, which begins in /"},
		{fmt.Errorf("create recording: %w", &fs.PathError{Op: "open", Path: "not/there", Err: fs.ErrNotExist}), "there is no folder not: make it"},
		{fmt.Errorf("listen for the page: %w", &net.OpError{Op: "listen", Net: "tcp", Err: &net.AddrError{Err: "missing port in address", Addr: "1.2.3"}}), "an address is HOST:PORT"},
		{fmt.Errorf("write behaviors: %w", &fs.PathError{Op: "write", Path: "found/index.json", Err: syscall.ENOSPC}), "free some disk space"},
		{fmt.Errorf("make folder: %w", &fs.PathError{Op: "mkdir", Path: "found", Err: syscall.EROFS}), "name another place"},
		{fmt.Errorf("make folder: %w", &fs.PathError{Op: "mkdir", Path: filepath.Join(os.TempDir(), "flaketap-verify-7"), Err: syscall.EROFS}), "have TMPDIR"},
		{fmt.Errorf("make folder: %w", &fs.PathError{Op: "mkdir", Path: filepath.Join(os.TempDir(), "flaketap-mock-7"), Err: syscall.EACCES}), "have TMPDIR"},
		{fmt.Errorf("make folder: %w", &fs.PathError{Op: "mkdir", Path: filepath.Join(os.TempDir(), "found"), Err: syscall.EACCES}), "check the owner"},
		{bind(syscall.EADDRNOTAVAIL), "this machine has no such address"},
		{fmt.Errorf("open recording: %w: %w: 3 bytes of 4", store.ErrNotRecording, store.ErrCutShort), "copy it again"},
		{fmt.Errorf("open recording: %w: page 3", store.ErrDamaged), "record again"},
		{fmt.Errorf("reset: x509: certificate signed by unknown authority"), "--reset 'curl -fk"},
	} {
		if got := hint(test.err); !strings.Contains(got, test.want) {
			t.Errorf("of %q: %q, want %q", test.err, got, test.want)
		}
	}
}

// A folder for temporary files that is not there is told by the variable that names it.
func TestHintOfTemporaryFolder(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nope"))
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	_, err := os.MkdirTemp("", "flaketap-mock-")
	if got := hint(fmt.Errorf("make folder: %w", err)); !strings.Contains(got, "have TMPDIR") {
		t.Errorf("of %q: %q", err, got)
	}
}
