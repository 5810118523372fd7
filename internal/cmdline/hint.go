package cmdline

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/suite/results"
)

// hint returns the advice that belongs to an error, or "".
func hint(err error) string {
	advice := console.Advice(err)
	// A fault of the target keeps the text of its cause only.
	missing := (*fs.PathError)(nil)
	certificate := strings.Contains(err.Error(), "x509: ")
	switch {
	case advice != "":
		return advice
	case certificate && strings.HasPrefix(err.Error(), "reset"):
		return "if the API's certificate cannot be verified, reset with a command: --reset 'curl -fk -X POST URL'"
	case certificate:
		return "--upstream-ca FILE trusts its authority; --insecure-upstream accepts any certificate, for test environments"
	case errors.Is(err, syscall.EADDRINUSE):
		return "the port is in use; --listen 127.0.0.1:0 uses any free port"
	case errors.Is(err, syscall.EACCES) && strings.HasPrefix(err.Error(), "listen"):
		return "ports below 1024 are for root on most systems; --listen 127.0.0.1:0 takes any free port"
	case errors.Is(err, syscall.EADDRNOTAVAIL) && strings.HasPrefix(err.Error(), "listen"):
		return "this machine has no such address; 127.0.0.1 is for clients on it alone, 0.0.0.0 for others, too"
	case strings.HasPrefix(err.Error(), "listen") && strings.HasSuffix(err.Error(), "missing port in address"):
		return "an address is HOST:PORT; port 0 is any that is free"
	case errors.Is(err, service.ErrReset):
		return "it must put all data back, and exit with 0 or answer 2xx; flaketap doctor --reset tries it"
	case errors.Is(err, service.ErrStart):
		return "try it by itself with flaketap doctor --start; --ready must name a URL that answers 2xx, --ready-timeout " +
			"gives it more time"
	case errors.Is(err, exec.ErrNotFound):
		return "install it, or give its path in the command behind --"
	case errors.Is(err, store.ErrCutShort):
		return "copy it again, whole, while nothing writes to it"
	case errors.Is(err, store.ErrDamaged):
		return "take a copy of it from before, or record again"
	case errors.Is(err, store.ErrNotRecording):
		return "--db FILE names a recording; files of other tools become one by flaketap import FILE"
	case errors.Is(err, results.ErrUnknown):
		return "have the runner write some, as pytest --junitxml=FILE does"
	case temporary(err):
		return "have TMPDIR (on Windows TMP) name a folder for temporary files that can be written into"
	case errors.Is(err, syscall.ENOSPC):
		return "free some disk space, or name a place on another disk"
	case errors.Is(err, syscall.EROFS):
		return "nothing can be written there: name another place"
	case errors.Is(err, fs.ErrPermission):
		return "check the owner and permissions of the file and its folder"
	case errors.As(err, &missing) && errors.Is(err, fs.ErrNotExist):
		return whereLooked(missing.Path)
	}
	return ""
}

// temporary reports whether what failed is to make one of our folders for temporary files, whose place no flag names.
func temporary(err error) bool {
	made, in := (*fs.PathError)(nil), filepath.Clean(os.TempDir())
	if !errors.As(err, &made) {
		return false
	}
	missing := made.Op == "stat" && filepath.Clean(made.Path) == in // as os.MkdirTemp says of a folder that is not there
	return missing || made.Op == "mkdir" && filepath.Dir(made.Path) == in &&
		strings.HasPrefix(filepath.Base(made.Path), "flaketap-")
}

// whereLooked says of a path at which nothing is how far there is something.
func whereLooked(path string) string {
	above := filepath.Dir(path)
	if _, err := os.Stat(above); err != nil {
		return "there is no folder " + above + ": make it, or correct the path"
	}
	if here, err := os.Getwd(); err == nil && !filepath.IsAbs(path) {
		return "correct the path, which begins in " + here
	}
	return "correct the path"
}

// NoRecordingAt does what [NoRecording] does, for work that opens other files besides the recording at that path.
func NoRecordingAt(path string, err error) error {
	if missing := (*fs.PathError)(nil); errors.As(err, &missing) && missing.Path == path {
		return NoRecording(err)
	}
	return err
}

// NoRecording adds, to the error of opening a database that is not there, how to come by one.
func NoRecording(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return console.Advise(err, "make one with flaketap record, or name another with --db FILE")
	}
	return err
}
