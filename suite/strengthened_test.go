package suite

import (
	"bytes"
	"slices"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/mutant"
	"github.com/flaketap/flaketap/suite/script"
)

// scored is a suite that is to be scored by the faults that it tells, with the exchanges of its calls.
type scored struct {
	script  *script.Script
	matched map[*script.Call]*exchange.Step
}

func scoredSuite(t *testing.T, file string, data []byte, src Source) scored {
	t.Helper()
	s, err := Read(file, data)
	if err != nil {
		t.Fatal(err)
	}
	matched, _ := matchCalls(s, src)
	return scored{s, matched}
}

// tells reports whether a test that holds in a run fails there with a fault planted.
func (s scored) tells(m mutant.Mutant, src Source, run int) bool {
	return slices.ContainsFunc(s.script.Tests, func(test *script.Test) bool {
		if test.Skipped || failsIn(test, scopeOf(test, s.matched, run)) {
			return false
		}
		broken, planted := map[*script.Call]*exchange.Step{}, false
		for _, c := range test.Calls {
			if step := s.matched[c]; step != nil {
				broken[c] = step
				if src.Operations[step.Exchange.Seq] == m.Operation {
					if other := plant(m, step, run); other != nil {
						broken[c], planted = other, true
					}
				}
			}
		}
		return planted && failsIn(test, scopeOf(test, broken, run))
	})
}

// plant returns a step whose answer in a run has a fault; nil where it has none.
func plant(m mutant.Mutant, s *exchange.Step, run int) *exchange.Step {
	out := *s
	out.Observations = slices.Clone(s.Observations)
	for i, o := range out.Observations {
		if o.Run != run || o.Response == nil {
			continue
		}
		raw, changed := m.Apply(o.Response)
		if !changed {
			return nil
		}
		head := bytes.Index(raw, []byte("\r\n\r\n")) + 4
		other := *o
		other.Response = exchange.ParseResponse(exchange.Message{Head: raw[:head], Body: raw[head:], Plain: true})
		out.Observations[i] = &other
		return &out
	}
	return nil
}

// TestStrengthenedSuitesTellMore patches real suites by some of their executions, and holds them against the others:
// those that were strengthened fail in none, and tell more of the faults that are planted in their answers than the
// patched ones do, which tell nearly all that the suites told as they were.
func TestStrengthenedSuitesTellMore(t *testing.T) {
	for _, f := range fixtures(t) {
		known := min(8, len(f.runs)-1) // the others are held against
		all := source(t, f.runs)
		src := judged(t, source(t, f.runs[:known]), f.starts()[:known-1]...)
		all.Operations = src.Operations
		faults := mutantsOf(src)
		var told [3]int // by the suite as it was, patched, strengthened
		still := 0      // of those that the suite told as it was, by the patched one
		for _, file := range f.suites {
			data := read(t, file)
			suites := []scored{scoredSuite(t, file, data, all)}
			for _, o := range []PatchOptions{{}, {Strengthen: true}} {
				p, err := Patch(file, data, src, o)
				if err != nil {
					t.Fatal(err)
				}
				suites = append(suites, scoredSuite(t, file, p.Data, all))
			}
			for _, m := range faults {
				var tells [3]bool
				for i, s := range suites {
					if tells[i] = s.tells(m, all, known); tells[i] {
						told[i]++
					}
				}
				if tells[0] && tells[1] {
					still++
				}
			}
			for run := known; run < len(f.runs); run++ {
				for i, test := range suites[2].script.Tests {
					plain := suites[1].script.Tests[i]
					if failsIn(test, scopeOf(test, suites[2].matched, run)) && !failsIn(plain, scopeOf(plain, suites[1].matched, run)) {
						t.Errorf("%s: %s fails in run %d for what was added", file, test.Name, run)
					}
				}
			}
		}
		t.Logf("%s: of the faults in answers, told by the suite %d, patched %d (%d of those), strengthened %d", f.name, told[0],
			told[1], still, told[2])
		if still*100 < 98*told[0] || !f.cut && told[2] <= told[1] || told[2] < told[1] {
			t.Errorf("%s: the suite tells %d, patched it tells %d of those, and %d in all, strengthened %d", f.name, told[0], still,
				told[1], told[2])
		}
	}
}

// mutantsOf are all faults that can be planted in recorded answers.
func mutantsOf(src Source) []mutant.Mutant {
	survey := &mutant.Survey{}
	for _, s := range src.Steps {
		survey.Add(src.Operations[s.Exchange.Seq], s.Exchange.Response)
	}
	return survey.Mutants(mutant.Kinds(), 0, 1, func(exchange.Operation, int, exchange.Place) mutant.Judgement {
		return mutant.Judgement{}
	})
}
