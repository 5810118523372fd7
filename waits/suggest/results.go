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

// ran is a test of the results, and the line where it failed last.
type ran struct {
	*results.Test
	where results.Where
}

// tests are those that failed in any of the results, by the last words of their names.
type tests map[string][]ran

// lastWord is that of a name of a test.
func lastWord(name string) string {
	name = strings.TrimSpace(name)
	return name[strings.LastIndexByte(name, ' ')+1:]
}

// readResults reads files of results, as executions of the same suite.
func readResults(files []string) (tests, error) {
	var executions [][]results.Result
	where := map[results.ID]results.Where{}
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
		executions = append(executions, results.Plain(found))
		for _, r := range found {
			if r.Failed() {
				where[r.ID()] = r.Where
			}
		}
	}
	failed := tests{}
	for _, t := range results.Tally(executions) {
		if t.Failed == 0 {
			continue
		}
		bare := t.Name
		if i := strings.IndexAny(bare, "[("); i > 0 {
			bare = bare[:i] // the name without parameters
		}
		for _, key := range slices.Compact([]string{lastWord(t.Name), lastWord(bare)}) {
			failed[key] = append(failed[key], ran{t, where[t.ID]})
		}
	}
	return failed, nil
}

// of are the failures of the test around a wait.
func (all tests) of(file string, w read.Wait) Failures {
	for _, t := range all[lastWord(w.Test)] {
		if w.Test == "" || !results.SameName(t.Name, w.Test) || !t.mayBeIn(file) {
			continue
		}
		f := Failures{Times: t.Failed, Of: t.Ran, Test: t.String(), wait: w.Line}
		if path.Base(slashed(t.where.File)) == path.Base(file) {
			f.Line = t.where.Line
		}
		return f
	}
	return Failures{}
}

// mayBeIn reports whether a test may stand in a file: what its runner names, class, module or file, is not another one.
func (t ran) mayBeIn(file string) bool {
	base := path.Base(file)
	stem := strings.TrimSuffix(base, path.Ext(base))
	parts := strings.FieldsFunc(t.Suite, func(r rune) bool { return strings.ContainsRune("./\\$ ", r) })
	if strings.Contains(slashed(t.Suite), base) || path.Base(slashed(t.where.File)) == base ||
		slices.Contains(parts, stem) {
		return true
	}
	switch read.LanguageOf(file) {
	case read.Python, read.Java, read.Kotlin:
		return t.Suite == ""
	}
	return t.where.File == "" // packages of Go, titles of JavaScript
}

func slashed(s string) string { return strings.ReplaceAll(s, `\`, "/") }
