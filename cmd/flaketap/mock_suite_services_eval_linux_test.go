package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/testbed/external"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/index"
	"github.com/flaketap/flaketap/mock/search/whole"
	"github.com/flaketap/flaketap/mock/serve"
)

// suitedAPI is one of the APIs of internal/testbed/external, with what a search of it has found.
type suitedAPI struct {
	searchedAPI
	api    external.API
	judge  *judge
	labels *external.Labels
	found  search.Result
}

// Suites of what a search finds of APIs whose labels someone else wrote: they pass as often as the promise is made, what is
// written is near to a good answer, and of the planted bugs those that a behavior shows make a test fail once they are
// mended. Those that no test tells are named. FLAKETAP_EVAL_MUTANTS says how many faults are planted in answers;
// FLAKETAP_EVAL_KEEP is a folder that is left with what was found.
func TestEvalMockSuitesServices(t *testing.T) {
	for _, a := range external.APIs() {
		t.Run(a.Name, func(t *testing.T) {
			s := findsIn(t, a)
			tests := s.proven()
			t.Logf("%s by %s, %d trials: %d behaviors, %d of them proven", a.Name, evalBy(t, a), evalTrials(t), len(s.found.Behaviors), tests)
			changes := s.changes(s.bench.found("found"))
			t.Logf("changes from a good answer: median %d of %v", changes[len(changes)/2], changes)
			if changes[len(changes)/2] > 2 {
				t.Error("what is written is far from a good answer")
			}
			for _, form := range []string{"pytest", "jest", "go", "junit5"} {
				t.Run(form, func(t *testing.T) {
					suite := s.suite(t, form)
					suite.patience = time.Hour
					suite.passesEach(evalRuns(t, 20), tests)
					if form == "pytest" {
						s.bites(suite)
						if most := evalNumber(t, "FLAKETAP_EVAL_MUTANTS", 0); most > 0 {
							suite.mutants(most)
						}
					}
				})
			}
		})
	}
}

// findsIn searches an API, and leaves what is found in the folder found of a bench.
func findsIn(t *testing.T, a external.API) *suitedAPI {
	t.Helper()
	b := newBench(t)
	j, l, words := trialsOf(t, a)
	found := searchBy(t, j, requestsOf(l), words, evalBy(t, a))
	if err := whole.Fill(t.Context(), j.api, found, evalTrials(t)/5, nil); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(b.dir, "found")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := serve.WriteFound(dir, found, 1, &console.Console{Quiet: true}); err != nil {
		t.Fatal(err)
	}
	if keep := os.Getenv("FLAKETAP_EVAL_KEEP"); keep != "" {
		b.must("mkdir -p " + keep + " && cp -r found " + keep)
	}
	const at = "http://127.0.0.1:{port}"
	return &suitedAPI{searchedAPI{bench: b, start: j.command, ready: at + "/health", reset: at + "/reset"}, a, j, l, found}
}

// proven counts the behaviors that tests are written of.
func (s *suitedAPI) proven() (n int) {
	for _, b := range s.found.Behaviors {
		if len(b.Proofs) > 0 {
			n++
		}
	}
	return n
}

// bites mends the bugs one after the other, and wants tests to fail whose behavior shows the bug. Those run that send
// what shows it.
func (s *suitedAPI) bites(suite *mockSuite) {
	suite.t.Helper()
	seen := s.labels.Score(s.judge.seen).Bugs.Found
	var told, untold, unseen []string
	for _, bug := range s.labels.Bugs {
		sending, showing := s.testsOf(bug)
		_, failed, out := suite.run("MEND=" + bug.ID + " " + suite.serve(suite.line+" -k '"+strings.Join(sending, " or ")+"'"))
		suite.t.Logf("with a bug mended %d of %d tests fail, %d show it", len(failed), len(sending), len(showing))
		switch {
		case len(failed) > 0:
			told = append(told, bug.ID)
		case len(showing) > 0:
			suite.t.Errorf("%s is mended, and none fails of %q, which show it:\n%s", bug.ID, showing, tail(out))
			untold = append(untold, bug.ID)
		default:
			untold = append(untold, bug.ID)
		}
		if !slices.Contains(seen, bug.ID) {
			unseen = append(unseen, bug.ID)
		}
	}
	suite.t.Logf("of %d planted bugs %d are told once they are mended; the search has seen %d", len(s.labels.Bugs), len(told), len(seen))
	if !isHeldOut(s.api) {
		suite.t.Logf("not told %q; not seen %q", untold, unseen)
	}
}

// testsOf are the numbers of the tests that send a request of a label, and of those that show the label.
func (s *suitedAPI) testsOf(label external.Label) (sending, showing []string) {
	for i, b := range s.found.Behaviors {
		if len(b.Proofs) == 0 {
			continue
		}
		first := b.Proofs[0]
		out := search.Outcome{End: b.End, Status: b.Status, Calls: b.Calls, Took: first[0].Latency, Record: first}
		if r := first[0].Response; r != nil {
			out.Body, _ = r.Payload() // what cannot be read matches nothing
		}
		o := s.judge.outcome(b.Request, out)
		if slices.Contains(label.Request, o.Request) {
			sending = append(sending, "_"+index.Folder(i))
		}
		if label.Matches(&o) {
			showing = append(showing, index.Folder(i))
		}
	}
	return sending, showing
}
