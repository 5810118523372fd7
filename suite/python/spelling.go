package python

import (
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/source"
)

// Clients call the parts of an answer by names of their own: status_code or status, json(), await json() or get_json(),
// text or await text(). What is written again calls them as the test does, else as other tests of the file do, else as
// requests and httpx do.

// spelling is how the parts of an answer are asked for: what goes before and behind its name.
type spelling map[expr.Part][2]string

// usual is how requests and httpx spell them.
func usual() spelling {
	return spelling{expr.Status: {"", ".status_code"}, expr.Text: {"", ".text"}, expr.Headers: {"", ".headers"},
		expr.JSON: {"", ".json()"}}
}

// of is how a part of an answer is asked for.
func (s spelling) of(answer string, part expr.Part) string { return s[part][0] + answer + s[part][1] }

// attributeOf spells an attribute of an answer, methodOf a method, which may have to be awaited.
func attributeOf(name string) [2]string { return [2]string{"", "." + name} }

func methodOf(name string, awaited bool) [2]string {
	if awaited {
		return [2]string{"(await ", "." + name + "())"}
	}
	return [2]string{"", "." + name + "()"}
}

// spell notes how a test asks an answer for a part.
func (r *follower) spell(answer string, part expr.Part, as [2]string) {
	of := r.file.spelled[r.test]
	if of == nil {
		of = map[string]spelling{}
		r.file.spelled[r.test] = of
	}
	if of[answer] == nil {
		of[answer] = spelling{}
	}
	if of[answer][part][0] == source.NoPython {
		return
	}
	if of[answer][part] = as; as[0] != source.NoPython {
		r.file.usual[part] = as
	}
}

// spelling is how a test, by the parts of whose answers these are, asks an answer for its own. Where nothing in the
// test is awaited it may be no place to await in.
func (w *suiteFile) spelling(parts map[string]spelling, answer string) spelling {
	waits := slices.ContainsFunc(slices.Collect(maps.Values(parts)), spelling.waits)
	out := usual()
	for part, as := range w.usual {
		if waits || !awaits(as) {
			out[part] = as
		}
	}
	maps.Copy(out, parts[answer])
	return out
}

func (s spelling) waits() bool { return slices.ContainsFunc(slices.Collect(maps.Values(s)), awaits) }

func awaits(as [2]string) bool { return strings.Contains(as[0], "await ") }
