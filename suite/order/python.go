package order

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"

	"github.com/flaketap/flaketap/internal/environ"
)

var (
	//go:embed python/flaketap_order.py
	pythonOrder []byte
	//go:embed python/sitecustomize.py
	pythonStart []byte
)

// python turns suites of pytest, by a plugin, and of unittest, by what its loader makes of tests.
func python() Turner {
	return Turner{
		Name:      "Python",
		backwards: true,
		reads:     func(file string) bool { return filepath.Ext(file) == ".py" },
		files:     map[string][]byte{"flaketap_order.py": pythonOrder, "sitecustomize.py": pythonStart},
		env: func(env []string, dir string, o Order) []string {
			env = environ.Prepend(env, "PYTHONPATH", dir, string(os.PathListSeparator))
			env = environ.Prepend(env, "PYTEST_PLUGINS", "flaketap_order", ",")
			return append(env, fmt.Sprintf("FLAKETAP_ORDER=%d", int(o)))
		},
	}
}
