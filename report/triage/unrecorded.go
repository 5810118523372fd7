package triage

import (
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/volatility/breach"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// expects tells what a failure was about where the answers of the run are not known: the line that failed names a
// place, and the failure shows what that had, as what was expected. Where it is steady, the run must have had another
// value; where the same name means places that move, and such that do not, nothing is told.
func (t *judging) expects([]tied) bool {
	if t.Basis.Recorded || t.doubt != "" {
		return false
	}
	var steady, moving []tied
	shown := false
	for _, x := range t.named() {
		if !x.found.Kind.Breach() {
			moving = append(moving, x)
			shown = shown || t.Shows(x.found.Place, x.found.Was)
		} else if t.Shows(x.found.Place, x.found.Was) {
			steady = append(steady, x)
		}
	}
	switch {
	case len(steady) > 0 && len(moving) == 0 && !steady[0].found.Unsure:
		t.is(Regression, fmt.Sprintf("the line that failed is about %s, and the failure shows the value that it always had: "+
			"this run had another", t.Flaky.Judged.Redactor.ShowPlace(steady[0].found.Place)), steady)
		t.do("record the run, too (flaketap record --db run.db -- CMD, then --run run.db): what it answered is the evidence")
		return true
	case len(moving) > 0 && len(steady) == 0 && shown:
		return t.explained(moving, "")
	}
	return false
}

// named lists the places that the line which failed names, with what they had: in the exchanges of the test, else in
// all that were recorded, else in the map.
func (t *judging) named() []tied {
	var out []tied
	add := func(e *exchange.Exchange, place exchange.Place, f *mapfile.Field, raw string) {
		if f == nil || f.Apart() || !t.Names(place) {
			return
		}
		x := tied{sight{breach.Finding{Place: place, Kind: breach.Never, Field: f, Was: raw, Of: f.Of,
			Says: "failed an assertion", Unsure: f.Of < breach.Enough}, e, e.Seq}, report.KnownByLine}
		if f.Volatile() {
			x.found.Kind = breach.Moves
		}
		out = append(out, x)
	}
	steps := t.Steps
	if t.TiedBy == "" {
		steps = t.Flaky.Judged.Steps
	}
	for _, s := range steps {
		op := t.Flaky.Judged.Map.Operation(t.Flaky.Judged.Operations[s.Exchange.Seq],
			exchange.StatusOf(s.Exchange.Response))
		if op != nil {
			compare.Walk(s.Exchange.Response, func(p exchange.Place, raw string) { add(s.Exchange, p, op.At(p), raw) })
		}
	}
	if len(t.Flaky.Judged.Steps) > 0 {
		return out
	}
	for _, op := range t.Flaky.Judged.Map.Operations {
		e := &exchange.Exchange{Request: exchange.Request{Method: op.Method, Target: op.Template},
			Response: &exchange.Response{Status: op.Status}}
		for _, f := range op.Fields {
			raw := string(f.Holds.Equal)
			for _, sample := range f.Samples {
				if raw == "" || t.Shows(f.Place, string(sample)) {
					raw = string(sample)
				}
			}
			add(e, f.Place, f, raw)
		}
	}
	return out
}

// remains tells by elimination: all that differs in the answers of a test are places that move, and the line that
// failed speaks against none of them.
func (t *judging) remains(all []tied) bool {
	var by []tied
	for _, x := range all {
		switch {
		case newHeader(x.found):
		case x.found.Kind.Breach():
			return false
		case x.found.Place.Root() != "header":
			by = append(by, x)
		}
	}
	if len(by) == 0 || t.Alone || t.Rough || t.speaks() {
		return false
	}
	slices.SortStableFunc(by, func(a, b tied) int { return rank(a) - rank(b) })
	return t.explained(by, "nothing else differs in the answers of the test")
}

// rank puts what follows state behind what moves by itself.
func rank(x tied) int {
	if f := x.found.Field; f != nil && f.Category == mapfile.State {
		return 1
	}
	return 0
}

// speaks reports whether the line that failed names a place of the test's answers: then it is about that one.
func (t *judging) speaks() bool {
	if t.Line() == "" {
		return false
	}
	named := false
	for _, s := range t.Steps {
		compare.Walk(s.Exchange.Response, func(place exchange.Place, _ string) { named = named || t.Names(place) })
	}
	return named
}

// unknown says what is missing to tell.
func (t *judging) unknown(all []tied) {
	own := len(t.Steps) + len(t.Failed.Added)
	var unsure, near []tied
	for _, x := range all {
		switch {
		case x.found.Kind.Breach() && x.found.Unsure:
			unsure = append(unsure, x)
		case x.found.Kind.Breach():
			near = append(near, x)
		}
	}
	switch {
	case t.TiedBy == "" && own == 0 && (t.Basis.Recorded || len(t.Flaky.Judged.Steps) > 0):
		t.is(Unknown, "nothing ties the test to its exchanges", nil)
		t.lacks("which requests are the test's: have the suite name its tests to the recorder (docs/why.md), or give the suite " +
			"with --suite")
	case len(unsure) > 0:
		t.is(Unknown, fmt.Sprintf("an answer was as it never had been, in %s: too few to tell",
			console.Count(unsure[0].found.Of, "answer")), unsure)
		t.lacks("more runs before this one: %d answers make a steady place known", breach.Enough)
	case len(near) > 0:
		t.is(Unknown, "an answer was as it never had been, and nothing ties it to the failure", near)
		t.lacks("which requests are the test's: have the suite name its tests to the recorder (docs/why.md)")
	case !t.Basis.Recorded:
		t.is(Unknown, "what the run answered is not known, and its failure shows no value of a place that is known", nil)
		t.lacks("the recording of the run: flaketap record --db run.db -- CMD, then --run run.db")
		if t.Flaky.Judged.Map.Locked && len(t.Flaky.Judged.Steps) == 0 {
			t.lacks("what places have that do not move: a lock never says that; give a map (flaketap map --all --out map.json) in " +
				"its place, or the earlier recordings (--db)")
		}
	case len(all) == 0 && own > 0:
		t.is(Unknown, fmt.Sprintf("nothing in its %s differs from earlier runs", console.Count(own, "answer")), nil)
		t.lacks("what it failed by, if by no answer: look at the test itself, its clock, its random values, what it shares " +
			"with other tests")
	default:
		t.is(Unknown, "what differs in its answers is known to move, and nothing ties it to the failure", all)
		if t.Line() != "" {
			t.lacks("what the line that failed looks at: it names none of these places")
		} else {
			t.lacks("the line that failed: give the suite with --suite, or results that show it")
		}
	}
	if t.Line() == "" && t.Basis.Recorded && len(t.Flaky.Sources) == 0 && len(t.out.Missing) < 2 {
		t.lacks("the suite (--suite): the line that failed tells what it looks at")
	}
	t.do("run it again on the same version: what fails each time is no flake")
}
