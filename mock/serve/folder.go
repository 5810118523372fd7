package serve

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// A folder is where certificates and sockets of one command lie. Somebody listens at a socket in it as long as the
// command lives, so that the next one can tell the folders of those that were killed.
type folder struct {
	path  string
	alive *net.UnixListener
}

const (
	folderPrefix = "flaketap-mock-"
	folderAlive  = "alive"
	maxStale     = 100 // folders that are looked at
)

// makeFolder makes a folder, and removes those of commands that were killed.
func makeFolder() (f *folder, err error) {
	removeStale()
	f = &folder{}
	if f.path, err = os.MkdirTemp("", folderPrefix); err != nil {
		return nil, fmt.Errorf("make folder for certificates: %w", err)
	}
	// It gets its name only once somebody listens.
	first, socket := filepath.Join(f.path, "new"), filepath.Join(f.path, folderAlive)
	if f.alive, err = net.ListenUnix("unix", &net.UnixAddr{Name: first, Net: "unix"}); err == nil {
		f.alive.SetUnlinkOnClose(false)
		err = os.Rename(first, socket)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make folder for certificates: %w", err), f.remove())
	}
	return f, nil
}

// remove removes the folder with all that is in it.
func (f *folder) remove() error {
	err := os.RemoveAll(f.path)
	if f.alive != nil {
		err = errors.Join(err, f.alive.Close())
	}
	return err
}

// removeStale removes the folders that nobody listens in any more. What cannot be removed, as that of another user, or
// cannot be told, stays.
func removeStale() {
	all, _ := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*")) // the pattern is well-formed
	for _, dir := range all[:min(len(all), maxStale)] {
		c, err := net.Dial("unix", filepath.Join(dir, folderAlive))
		switch {
		case err == nil:
			c.Close()
		case errors.Is(err, syscall.ECONNREFUSED):
			_ = os.RemoveAll(dir)
		}
	}
}
