package order

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/internal/environ"
)

// golang shuffles the tests of each package, as go test does with -shuffle; it knows no way backwards.
func golang() Turner {
	return Turner{
		Name:  "Go",
		reads: func(file string) bool { return strings.HasSuffix(file, "_test.go") },
		env: func(env []string, _ string, o Order) []string {
			return environ.Prepend(env, "GOFLAGS", fmt.Sprintf("-shuffle=%d", int(o)), " ")
		},
	}
}
