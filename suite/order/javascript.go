package order

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/flaketap/flaketap/internal/environ"
)

//go:embed javascript/flaketap_order.cjs
var javascriptOrder []byte

// javascript has Jest and Vitest shuffle the tests of each file, by NODE_OPTIONS and arguments that are added, and
// draws an order of Jest's files and of all that Mocha runs; node:test keeps the order as it is written.
func javascript() Turner {
	const start = "flaketap_order.cjs"
	return Turner{
		Name: "JavaScript",
		reads: func(file string) bool {
			return slices.Contains([]string{".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx"}, filepath.Ext(file))
		},
		files: map[string][]byte{start: javascriptOrder},
		env: func(env []string, dir string, o Order) []string {
			return append(environ.Require(env, filepath.Join(dir, start)), fmt.Sprintf("FLAKETAP_ORDER=%d", int(o)))
		},
	}
}
