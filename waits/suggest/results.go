package suggest

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/waits/read"
)

// Failures are those of a wait's test, in the results.
type Failures struct {
	Times int    // in how many of them it failed
	Of    int    // in how many it ran
	Line  int    // where it failed last; 0 where that is not known
	Test  string // as its runner names it
	wait  int
}

// above is how many lines above the line that failed the wait stands; many for one that stands below, and where no line
// is known.
func (f Failures) above() int {
	if f.Line == 0 || f.wait > f.Line {
		return 1 << 20
	}
	return f.Line - f.wait
}

// ran is a test of the results.
type ran struct {
	suite, name string
	failed, of  int
	where       results.Where
}

// tests are those that failed in any of the results, by the last words of their names.
type tests map[string][]*ran

// lastWord is that of a name of a test.
func lastWord(name string) string {
	name = strings.TrimSpace(name)
	return name[strings.LastIndexByte(name, ' ')+1:]
}

// readResults reads files of results, as executions of the same suite.
func readResults(files []string) (tests, error) {
	var all []*ran
	by := map[results.ID]*ran{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("read results: %w", err)
		}
		found, err := results.ReadDetailed(f, name)
		f.Close()
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			t := by[r.ID()]
			if t == nil {
				t = &ran{suite: r.Suite, name: r.Name}
				by[r.ID()] = t
				all = append(all, t)
			}
			if r.Outcome != results.Skip {
				t.of++
			}
			if r.Failed() {
				t.failed++
				t.where = r.Where
			}
		}
	}
	failed := tests{}
	for _, t := range all {
		bare := t.name
		if i := strings.IndexAny(bare, "[("); i > 0 {
			bare = bare[:i] // the name without parameters
		}
		for _, key := range slices.Compact([]string{lastWord(t.name), lastWord(bare)}) {
			if t.failed > 0 {
				failed[key] = append(failed[key], t)
			}
		}
	}
	return failed, nil
}

// of are the failures of the test around a wait.
func (all tests) of(file string, w read.Wait) Failures {
	for _, t := range all[lastWord(w.Test)] {
		if w.Test == "" || !results.SameName(t.name, w.Test) || !t.mayBeIn(file) {
			continue
		}
		f := Failures{Times: t.failed, Of: t.of, Test: results.ID{Suite: t.suite, Name: t.name}.String(), wait: w.Line}
		if path.Base(slashed(t.where.File)) == path.Base(file) {
			f.Line = t.where.Line
		}
		return f
	}
	return Failures{}
}

// mayBeIn reports whether a test may stand in a file: what its runner names, class, module or file, is not another one.
func (t *ran) mayBeIn(file string) bool {
	base := path.Base(file)
	stem := strings.TrimSuffix(base, path.Ext(base))
	if strings.Contains(slashed(t.suite), base) || path.Base(slashed(t.where.File)) == base {
		return true
	}
	for _, part := range strings.FieldsFunc(t.suite, func(r rune) bool { return strings.ContainsRune("./\\$ ", r) }) {
		if part == stem {
			return true
		}
	}
	switch read.LanguageOf(file) {
	case read.Python, read.Java, read.Kotlin:
		return t.suite == ""
	}
	return t.where.File == "" || path.Base(slashed(t.where.File)) == base // packages of Go, titles of JavaScript
}

func slashed(s string) string { return strings.ReplaceAll(s, `\`, "/") }
