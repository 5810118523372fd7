package probe

import (
	_ "embed"
	"path/filepath"
	"slices"

	"github.com/flaketap/flaketap/internal/environ"
)

var (
	//go:embed javascript/flaketap_probe.cjs
	javascriptProbe []byte
	//go:embed javascript/assertions.cjs
	javascriptAssertions []byte
	//go:embed javascript/muting.cjs
	javascriptMuting []byte
	//go:embed javascript/failure.cjs
	javascriptFailure []byte
	//go:embed javascript/source.cjs
	javascriptSource []byte
	//go:embed javascript/imports.mjs
	javascriptImports []byte
)

// packageFolder is where what Node loads stands in the folder of a run: runners leave out of what they say of a
// failure, and of where a snapshot is to be written, what a package did.
const packageFolder = "node_modules/flaketap/"

// javascript mutes suites of Jest, Vitest, Mocha and node:test: NODE_OPTIONS has each Node load the probe before all
// else.
func javascript() Probe {
	const start = packageFolder + "flaketap_probe.cjs"
	return Probe{
		Name: "JavaScript",
		reads: func(file string) bool {
			return slices.Contains([]string{".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx"}, filepath.Ext(file))
		},
		files: map[string][]byte{
			start:                            javascriptProbe,
			packageFolder + "assertions.cjs": javascriptAssertions,
			packageFolder + "muting.cjs":     javascriptMuting,
			packageFolder + "failure.cjs":    javascriptFailure,
			packageFolder + "source.cjs":     javascriptSource,
			packageFolder + "imports.mjs":    javascriptImports,
		},
		env: func(env []string, r Run) []string {
			return environ.Require(env, filepath.Join(r.Dir, filepath.FromSlash(start)))
		},
	}
}
