package triage

import (
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/volatility/breach"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// expects tells a regression where the answers of the run are not known: the line that failed names a steady place, and
// the failure shows the value that it always had, as what was expected. What stood there instead is not known to be
// right, so only a place that is the only one of that name decides.
func (t *judging) expects([]tied) bool {
	if t.Basis.Recorded {
		return false
	}
	var found []tied
	for _, s := range t.Steps {
		op := t.Flaky.Judged.Map.Operation(t.Flaky.Judged.Operations[s.Exchange.Seq], status(s.Exchange))
		if op == nil {
			continue
		}
		compare.Walk(s.Exchange.Response, func(place exchange.Place, raw string) {
			f := op.At(place)
			if f == nil || f.Apart() || !t.Names(place) {
				return
			}
			x := tied{sight{breach.Finding{Place: place, Kind: breach.Never, Field: f, Was: raw, Of: f.Of,
				Says: "failed an assertion", Unsure: f.Of < breach.Enough}, s.Exchange, s.Exchange.Seq}, report.KnownByLine}
			switch {
			case f.Volatile():
				x.found.Kind = breach.Moves
			case !t.Shows(raw):
				return
			}
			found = append(found, x)
		})
	}
	if len(found) == 0 || slices.ContainsFunc(found, func(x tied) bool { return !x.found.Kind.Breach() || x.found.Unsure }) {
		return false
	}
	t.is(Regression, fmt.Sprintf("the line that failed is about %s, and the failure shows the value that it always had: this "+
		"run had another", t.Flaky.Judged.Redactor.ShowPlace(found[0].found.Place)), found)
	t.do("record the run, too (flaketap record --db run.db -- CMD, then --run run.db): what it answered is the evidence")
	return true
}

func status(e *exchange.Exchange) int {
	if e.Response == nil {
		return 0
	}
	return e.Response.Status
}

// remains tells by elimination: all that differs in the answers of a test are places that move, and the line that failed
// speaks against none of them.
func (t *judging) remains(all []tied) bool {
	var by []tied
	for _, x := range all {
		switch root := x.found.Place.Root(); {
		case x.found.Kind.Breach() && root != "header":
			return false
		case root != "header":
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
	case t.TiedBy == "" && own == 0:
		t.is(Unknown, "nothing ties the test to its exchanges", nil)
		t.lacks("which requests are the test's: have the suite name its tests to the recorder (docs/why.md), or give the suite " +
			"with --suite")
	case len(unsure) > 0:
		t.is(Unknown, fmt.Sprintf("an answer was as it never had been, in %d answers: too few to tell", unsure[0].found.Of), unsure)
		t.lacks("more runs before this one: %d answers make a steady place known", breach.Enough)
	case len(near) > 0:
		t.is(Unknown, "an answer was as it never had been, and nothing ties it to the failure", near)
		t.lacks("which requests are the test's: have the suite name its tests to the recorder (docs/why.md)")
	case !t.Basis.Recorded:
		t.is(Unknown, "what the run answered is not known, and its failure shows no value of a place that is known", nil)
		t.lacks("the recording of the run: flaketap record --db run.db -- CMD, then --run run.db")
	case len(all) == 0 && own > 0:
		t.is(Unknown, fmt.Sprintf("its %d answers are what they were in earlier runs", own), nil)
		t.lacks("nothing that the API answered: look at the test itself, its clock, its random values, what it shares with others")
	default:
		t.is(Unknown, "what differs in its answers is known to move, and nothing ties it to the failure", all)
		t.lacks("the line that failed: give the suite with --suite, or results that show it")
	}
	if t.Line() == "" && t.Basis.Recorded && len(t.Flaky.Sources) == 0 && len(t.out.Missing) < 2 {
		t.lacks("the suite (--suite): the line that failed tells what it looks at")
	}
	t.do("run it again on the same version: what fails each time is no flake")
}
