package cmdline

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
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
		{fmt.Errorf("reset: x509: certificate signed by unknown authority"), "--reset 'curl -fk"},
	} {
		if got := hint(test.err); !strings.Contains(got, test.want) {
			t.Errorf("of %q: %q, want %q", test.err, got, test.want)
		}
	}
}
