package python

import (
	"maps"
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/source"
)

// spell notes how a test asks an answer for a part.
func (r *follower) spell(answer string, part expr.Part, as [2]string) {
	of := r.file.spelled[r.test]
	if of == nil {
		of = map[string]source.Spelling{}
		r.file.spelled[r.test] = of
	}
	if of[answer] == nil {
		of[answer] = source.Spelling{}
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
func (w *suiteFile) spelling(parts map[string]source.Spelling, answer string) source.Spelling {
	waits := slices.ContainsFunc(slices.Collect(maps.Values(parts)), source.Spelling.Waits)
	out := source.Usual()
	for part, as := range w.usual {
		if waits || !source.Awaits(as) {
			out[part] = as
		}
	}
	maps.Copy(out, parts[answer])
	return out
}
