package cmdline

import (
	"os"
	"runtime"

	"github.com/flaketap/flaketap/internal/console"
)

// Private warns of a file with a secret that others on this machine can read. It is taken all the same: where secrets
// are mounted into containers they are often open to all, and nobody else is there.
func Private(c *console.Console, path string) {
	if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		c.Warn("flaketap: others on this machine can read %s: chmod 600 %[1]s", path)
	}
}
