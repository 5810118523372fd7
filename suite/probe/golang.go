package probe

import (
	"strings"

	rewritten "github.com/flaketap/flaketap/suite/probe/golang"
)

// golang mutes suites of package testing and testify: the copy is rewritten, as go test compiles what it is given.
func golang() Probe {
	return Probe{
		Name:  "Go",
		reads: func(file string) bool { return strings.HasSuffix(file, "_test.go") },
		mute:  rewritten.Mute,
	}
}
