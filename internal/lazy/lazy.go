// Package lazy makes what a command may never need when it is first asked for. The stages that lead an API are starts
// of this program, and an API waits for them: what a package makes as it begins is paid for by each.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression that is compiled when it is first asked for; one that is wrong panics then. It may be
// asked for by several goroutines.
func Regexp(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
