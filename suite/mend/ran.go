package mend

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/script"
)

// unrun are the files of which no test ran, while tests of others did. Such a file has no answers of its own, though
// its calls may be like those of another. There are none where a runner may name tests otherwise than their files do.
func (r *Round) unrun(scripts []*script.Script) map[*script.Script]bool {
	out := map[*script.Script]bool{}
	ran := 0
	for _, s := range scripts {
		if slices.ContainsFunc(s.Tests, func(t *script.Test) bool {
			return slices.ContainsFunc(r.o.Ran, func(id results.ID) bool { return id.Is(t.Name) && !r.ofAnother(s.File, id) })
		}) {
			ran++
		} else if namesPlainly(s) {
			out[s] = true
		}
	}
	if ran == 0 {
		return nil
	}
	return out
}

// namesPlainly reports whether the tests of a file have the names that it says: none that it puts together.
func namesPlainly(s *script.Script) bool {
	return !strings.Contains(s.Text, "DisplayName") && !slices.ContainsFunc(s.Tests, func(t *script.Test) bool {
		return strings.ContainsAny(t.Name, "%$"+script.Unknown)
	})
}

// ofAnother reports whether a runner says of a test that it stands in another file of the suite: in Python and on the
// JVM it names the module or the class.
func (r *Round) ofAnother(file string, id results.ID) bool {
	if !slices.Contains([]string{".py", ".java", ".kt"}, filepath.Ext(file)) {
		return false
	}
	words := strings.FieldsFunc(id.Suite, func(c rune) bool {
		return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	})
	named := func(path string) bool {
		base := filepath.Base(path)
		return slices.Contains(words, strings.TrimSuffix(base, filepath.Ext(base)))
	}
	return !named(file) && slices.ContainsFunc(r.files, func(f File) bool {
		return f.isTest() && filepath.Ext(f.Path) == filepath.Ext(file) && named(f.Path)
	})
}
