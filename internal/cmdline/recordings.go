package cmdline

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
)

// Recordings lists the files that the values of --db name: a file stands for itself, a folder for what in it ends in
// .db, and a pattern for the files that it matches.
func Recordings(values []string) ([]string, error) {
	var out []string
	add := func(paths ...string) {
		for _, path := range paths {
			if !slices.Contains(out, path) {
				out = append(out, path)
			}
		}
	}
	var none error
	for _, v := range values {
		info, err := os.Stat(v)
		pattern := v
		switch {
		case err == nil && info.IsDir():
			pattern = filepath.Join(v, "*.db")
		case err == nil, !strings.ContainsAny(v, "*?["):
			add(v) // what is not there is told by whoever opens it
			continue
		}
		found, err := filepath.Glob(pattern)
		if err != nil {
			return nil, console.Usage(fmt.Errorf("--db must be a file, a folder or a pattern, got %q", v))
		}
		if len(found) == 0 {
			none = console.Advise(NoMatch(pattern), "make one with flaketap record --db FILE")
		}
		add(found...)
	}
	return out, none
}

// NoMatch is the error that a folder or a pattern, which it is, has no recordings.
type NoMatch string

func (m NoMatch) Error() string { return "no recordings match " + string(m) }
