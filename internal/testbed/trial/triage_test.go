package trial

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/report/flaky"
	"github.com/flaketap/flaketap/report/triage"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/mutant"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// night is a session whose last run is that of a CI: the recording and the runs before it are what was known.
type night struct {
	*Session
	of   *mapfile.Map
	runs int // that were before
}

func nightOf(t testing.TB, s *Session, runs int) *night {
	t.Helper()
	return &night{Session: s, of: judge(t, s, runs), runs: runs}
}

// failure is a test of a strict suite that fails: one test for each of the client's sequences, which asserts of every
// answer all that was recorded, and ends at the first difference.
type failure struct{ sequence, message string }

// failures are the tests that fail where some answers of the last run are others, by the number of the exchange; nil
// for as they were.
func (n *night) failures(planted map[uint64]*exchange.Response) []failure {
	var out []failure
	failed := map[string]bool{}
	for _, step := range n.Steps {
		mark := step.Exchange.Sequence
		if failed[mark] {
			continue
		}
		answer := step.Observations[n.runs].Response
		if other := planted[step.Exchange.Seq]; other != nil {
			answer = other
		}
		for _, d := range compare.Responses(step.Exchange.Response, answer) {
			if d.Kind == compare.Notation || d.Place == exchange.PlaceReason || mapfile.MovesByProtocol(d.Place) {
				continue
			}
			failed[mark] = true
			out = append(out, failure{mark, fmt.Sprintf("expected: %s but was: %s", d.Before, d.After)})
			break
		}
	}
	return out
}

// triage says of tests that failed in the last run what they failed by.
func (n *night) triage(failed []failure, planted map[uint64]*exchange.Response) *triage.Report {
	run := n.Runs[n.runs]
	looked := map[string]bool{} // sequences; none where all are
	for _, f := range failed {
		looked[f.sequence] = true
	}
	var steps []exchange.Step
	for _, s := range n.Steps {
		if len(looked) > 0 && !looked[s.Exchange.Sequence] {
			continue
		}
		o := *s.Observations[n.runs]
		if other := planted[s.Exchange.Seq]; other != nil {
			o.Response = other
		}
		steps = append(steps, exchange.Step{Exchange: s.Exchange,
			Observations: append(slices.Clone(s.Observations[:n.runs]), &o)})
	}
	var all []results.Detailed
	for _, f := range failed {
		all = append(all, results.Detailed{Trace: f.message,
			Result: results.Result{Name: f.sequence, Outcome: results.Fail, Message: f.message}})
	}
	judged := &analysis.Result{Recording: n.Recording, Runs: n.Runs[:n.runs+1], Steps: steps, Bindings: n.Bindings,
		Operations: n.Operations, Map: n.of}
	in := &triage.Input{
		Flaky: &flaky.Input{Judged: judged, Source: suite.Source{Steps: steps, Operations: n.Operations, Map: n.of},
			Results: []flaky.Execution{{Run: run.Number, Results: all}}},
		Beside: &analysis.Beside{Run: run.Number}, Basis: triage.Basis{Recorded: true, Executions: 1 + n.runs},
	}
	return in.Judge()
}

// mutants are faults in the answers of the last run: so many of all kinds, on steady and on moving places in turn.
func (n *night) mutants(seed uint64, many int) []mutant.Mutant {
	var s mutant.Survey
	for _, step := range n.Steps {
		s.AddExchange(n.Operations[step.Exchange.Seq], step.Exchange)
	}
	return s.Mutants(mutant.Kinds(), many, seed, func(op exchange.Operation, status int, place exchange.Place) mutant.Judgement {
		if known := n.of.Operation(op, status); known != nil {
			return mutant.Known(known, place)
		}
		return mutant.Judgement{}
	})
}

// plant plants a fault in all answers of the last run, and returns those that are others by it.
func (n *night) plant(m mutant.Mutant) map[uint64]*exchange.Response {
	var past mutant.Past
	planted := map[uint64]*exchange.Response{}
	for _, step := range n.Steps {
		if n.Operations[step.Exchange.Seq] != m.Operation {
			continue
		}
		o := step.Observations[n.runs]
		if raw, changed := past.Plant(m, &exchange.Exchange{Request: o.Sent, Response: o.Response}); changed {
			head, body, _ := bytes.Cut(raw, []byte("\r\n\r\n"))
			planted[step.Exchange.Seq] = exchange.ParseResponse(exchange.Message{Head: append(head, "\r\n\r\n"...), Body: body})
		}
	}
	return planted
}

// touched are the failures of tests that have an answer with the fault.
func (n *night) touched(planted map[uint64]*exchange.Response) []failure {
	own := map[string]bool{}
	for _, step := range n.Steps {
		own[step.Exchange.Sequence] = own[step.Exchange.Sequence] || planted[step.Exchange.Seq] != nil
	}
	return slices.DeleteFunc(n.failures(planted), func(f failure) bool { return !own[f.sequence] })
}

// score is what a triage is worth.
type score struct {
	flakes, wrong            int // tests that failed without any fault, and those of them that were called regressions
	verdicts                 map[triage.Verdict]int
	planted, told            int // faults, and those of which a failed test was called a regression
	steady, steadyTold       int // of these, on places that do not move
	tellable, tellableTold   int // of these, such as an assertion can tell
	unnoticed, unnoticedTold int // faults by which no test failed, and those that were told all the same
	missed                   map[string]int
}

// triaged plays an API with so many runs before the one that is triaged, and adds what is said of it without and with
// faults.
func (s *score) triaged(t *testing.T, api labelled, seed uint64, runs, faults int) {
	t.Helper()
	n := nightOf(t, api.play(t, seed), runs)
	r := n.triage(n.failures(nil), nil)
	s.flakes += len(r.Tests)
	for _, f := range r.Tests {
		s.verdicts[f.Verdict]++
		if f.Verdict == triage.Regression {
			s.wrong++
			t.Logf("seed %d: called a regression without a fault: %s: %s", seed, f.Test, f.Reason)
		}
	}
	sound := len(r.Unnoticed) + r.More
	for _, m := range n.mutants(seed, faults) {
		planted := n.plant(m)
		if len(planted) == 0 {
			continue
		}
		failed := n.touched(planted)
		r := n.triage(failed, planted)
		told := r.Counts[triage.Regression] > 0
		s.add(m, told)
		if len(failed) == 0 {
			s.unnoticed++
			if len(r.Unnoticed)+r.More > sound {
				s.unnoticedTold++
			}
		}
	}
}

func (s *score) add(m mutant.Mutant, told bool) {
	count := func(of, n *int) {
		*of++
		if told {
			*n++
		}
	}
	count(&s.planted, &s.told)
	if !m.Volatile {
		count(&s.steady, &s.steadyTold)
	}
	if m.Assertion() != "" {
		count(&s.tellable, &s.tellableTold)
	}
	if !told {
		s.missed[fmt.Sprintf("%s %s, moving %v, tellable %v", m.Kind, m.Way, m.Volatile, m.Assertion() != "")]++
	}
}

// TestEvalTriage scores triage on recordings of the labelled APIs: a strict suite fails in nearly every run, and no
// failure without a fault may be called a regression; with a fault planted in the answers of the last run, one is to be.
func TestEvalTriage(t *testing.T) {
	for _, api := range apis {
		for _, runs := range []int{4, 9} {
			t.Run(fmt.Sprintf("%s after %d runs", api.name, runs), func(t *testing.T) {
				s := &score{verdicts: map[triage.Verdict]int{}, missed: map[string]int{}}
				for seed := range uint64(2) {
					s.triaged(t, api, seed, runs, 120)
				}
				t.Logf("| %s, %d runs | %d of %d | %d of %d | %d of %d | %d of %d |", api.name, runs, s.wrong, s.flakes,
					s.steadyTold, s.steady, s.tellableTold, s.tellable, s.told, s.planted)
				t.Logf("without a fault: %v; unnoticed %d, told %d", s.verdicts, s.unnoticed, s.unnoticedTold)
				for _, k := range slices.Sorted(maps.Keys(s.missed)) {
					t.Logf("    missed %d: %s", s.missed[k], k)
				}
				if 50*s.wrong > s.flakes {
					t.Errorf("%d of %d failures without a fault are called regressions, more than 2 %%", s.wrong, s.flakes)
				}
			})
		}
	}
}

// TestTriageFaults: a bug that is switched on before the last run is called a regression, whatever kind it is, and before
// it is there nothing is.
func TestTriageFaults(t *testing.T) {
	for _, fault := range demoapi.Faults() {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			subject := shop(0)
			s, err := Play(t.Context(), subject, 6)
			if err != nil {
				t.Fatal(err)
			}
			sound := nightOf(t, s, 5)
			r := sound.triage(sound.failures(nil), nil)
			if len(r.Tests) < 5 || r.Counts[triage.Regression] > 0 {
				t.Errorf("%d tests fail of the sound API, %v", len(r.Tests), r.Counts)
			}
			set := httptest.NewRequest(http.MethodPut, "/admin/dials", strings.NewReader(fmt.Sprintf(`{"fault":%q}`, fault)))
			set.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			if subject.Handler.ServeHTTP(w, set); w.Code/100 != 2 {
				t.Fatalf("set the fault: %d %s", w.Code, w.Body)
			}
			if err := s.replay(7, nil); err != nil {
				t.Fatal(err)
			}
			n := nightOf(t, s, 6)
			r = n.triage(n.failures(nil), nil)
			for _, f := range r.Tests {
				t.Logf("%s %s: %s", f.Verdict, f.Test, f.Reason)
			}
			if r.Counts[triage.Regression] == 0 {
				t.Errorf("the fault is not told: %v", r.Counts)
			}
		})
	}
}
