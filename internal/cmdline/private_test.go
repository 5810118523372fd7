package cmdline

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/console"
)

// A secret that others can read is warned of, one that nobody else can is not, nor one that is not there.
func TestPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have other rights there")
	}
	for mode, warned := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o640: true, 0o604: true} {
		path := filepath.Join(t.TempDir(), "credential")
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil { // whatever the umask is
			t.Fatal(err)
		}
		var said strings.Builder
		Private(&console.Console{Err: &said, Quiet: true}, path)
		if got := strings.Contains(said.String(), "chmod 600 "+path); got != warned {
			t.Errorf("%v: it says %q", mode, &said)
		}
		Private(&console.Console{Err: &said}, path+"-none")
		if strings.Contains(said.String(), "-none") {
			t.Errorf("of a file that is not there it says %q", &said)
		}
	}
}
