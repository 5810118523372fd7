package probe

import (
	_ "embed"
	"os"
	"path/filepath"

	"github.com/flaketap/flaketap/internal/environ"
)

var (
	//go:embed python/flaketap_probe.py
	pythonProbe []byte
	//go:embed python/sitecustomize.py
	pythonStart []byte
)

// python mutes suites of pytest and unittest: sitecustomize is what any Python loads first, and mutes what it imports;
// pytest, which imports tests in its own way, loads the probe as a plugin.
func python() Probe {
	return Probe{
		Name:  "Python",
		reads: func(file string) bool { return filepath.Ext(file) == ".py" },
		files: map[string][]byte{"flaketap_probe.py": pythonProbe, "sitecustomize.py": pythonStart},
		env: func(env []string, r Run) []string {
			env = environ.Prepend(env, "PYTHONPATH", r.Dir, string(os.PathListSeparator))
			env = environ.Prepend(env, "PYTEST_PLUGINS", "flaketap_probe", ",")
			return append(env, "PYTHONDONTWRITEBYTECODE=1")
		},
	}
}
