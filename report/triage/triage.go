package triage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/flaky"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/breach"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Input is what is known of a CI run.
type Input struct {
	// Flaky has the results of the run, the recordings of earlier ones, judged, and the suite, if it was given.
	Flaky *flaky.Input
	// Beside is the recording of the run, put beside the earlier ones; nil where there is none.
	Beside *analysis.Beside
	// Alone says that there are no earlier recordings: what is judged is that of the run, by the map alone.
	Alone bool
	Basis Basis

	operations map[exchange.Operation][]*mapfile.Operation // of the map; nil until they are asked for
	given      map[exchange.Fingerprint][]given            // by the run; nil until they are asked for
	belonging
}

// Judge says of each failed test whose fault it is.
func (in *Input) Judge() *Report {
	in.belonging = in.belongs()
	in.Basis.Doubt = in.doubt
	r := &Report{Basis: in.Basis, Counts: map[Verdict]int{}, Tests: []Test{}, Unnoticed: []Evidence{}}
	for _, v := range Verdicts() {
		r.Counts[v] = 0
	}
	judged := map[any]bool{} // requests of failed tests: numbers in the recording, and exchanges that have none there
	for _, f := range in.Flaky.Failed() {
		for _, s := range f.Steps {
			judged[s.Exchange.Seq] = true
		}
		for _, e := range f.Added {
			judged[e] = true
		}
		t := &judging{Input: in, Failed: f, seen: append(in.seen(f.Steps, f.Added), in.repeats(f.Steps)...)}
		out := t.verdict()
		r.Counts[out.Verdict]++
		r.Tests = append(r.Tests, out)
	}
	slices.SortStableFunc(r.Tests, func(a, b Test) int {
		return cmp.Or(cmp.Compare(slices.Index(Verdicts(), a.Verdict), slices.Index(Verdicts(), b.Verdict)),
			slices.Compare(a.gravity(), b.gravity()))
	})
	in.unnoticed(r, judged)
	return r
}

// unnoticed lists the breaches of answers that no failed test has: all but those that were judged.
func (in *Input) unnoticed(r *Report, judged map[any]bool) {
	if !in.Basis.Recorded {
		return
	}
	steps := slices.DeleteFunc(slices.Clone(in.Flaky.Judged.Steps),
		func(s exchange.Step) bool { return judged[s.Exchange.Seq] })
	var added []*exchange.Exchange
	if in.Beside != nil {
		added = slices.DeleteFunc(slices.Clone(in.Beside.Added), func(e *exchange.Exchange) bool { return judged[e] })
	}
	for _, s := range in.seen(steps, added) {
		if !s.found.Kind.Breach() || s.found.Unsure || newHeader(s.found) {
			continue
		}
		if len(r.Unnoticed) == MaxUnnoticed {
			r.More++
			continue
		}
		r.Unnoticed = append(r.Unnoticed, in.evidence(s, ""))
	}
}

// gravity orders tests of one verdict, the gravest first: by what decided, then by how it is tied to the failure.
func (t *Test) gravity() []int {
	kinds := []string{string(breach.Server), string(breach.Never), string(breach.Broken)}
	if len(t.Evidence) == 0 {
		return []int{len(kinds) + 1}
	}
	kind := slices.Index(kinds, t.Evidence[0].Kind)
	if kind < 0 {
		kind = len(kinds)
	}
	return []int{kind, ties(t.Evidence[0].KnownBy)}
}

// sight is one finding about an answer of the run.
type sight struct {
	found breach.Finding
	now   *exchange.Exchange // as it was in the run: the recorded one where the run is what is judged
	seq   uint64             // of the recorded counterpart; 0 for none
}

// seen holds the answers that the run gave to some requests against what was seen before.
func (in *Input) seen(steps []exchange.Step, added []*exchange.Exchange) []sight {
	var out []sight
	for _, s := range steps {
		out = append(out, in.step(s)...)
	}
	if in.Beside == nil {
		return out
	}
	for _, e := range added {
		op := in.Beside.Operations[e.Seq]
		if in.apart[op] {
			continue
		}
		for _, f := range breach.Judge(breach.Answer{Now: e, Operations: in.known(op)}) {
			out = append(out, sight{f, e, 0})
		}
	}
	return out
}

// now is what the run sent and was answered at a step; nil where it did not send it.
func (in *Input) now(s exchange.Step) *exchange.Exchange {
	switch {
	case in.Alone:
		return s.Exchange
	case in.Beside == nil:
		return nil
	}
	at := slices.IndexFunc(s.Observations, in.ofRun)
	if at < 0 {
		return nil
	}
	o := s.Observations[at]
	return &exchange.Exchange{Seq: s.Exchange.Seq, Start: o.Start, Latency: o.Latency, Request: o.Sent,
		Response: o.Response, Fault: o.Fault, Sequence: s.Exchange.Sequence}
}

// ofRun reports whether an observation is one of the run.
func (in *Input) ofRun(o *exchange.Observation) bool { return o.Run == in.Beside.Run }

// step holds the answer of the run at one step against what was seen before.
func (in *Input) step(s exchange.Step) []sight {
	a, ok := in.answer(s)
	if !ok {
		return nil
	}
	var out []sight
	for _, f := range breach.Judge(a) {
		out = append(out, sight{f, a.Now, s.Exchange.Seq})
	}
	return out
}

// known is what the map says of an operation, by status.
func (in *Input) known(op exchange.Operation) []*mapfile.Operation {
	if in.operations == nil {
		in.operations = map[exchange.Operation][]*mapfile.Operation{}
		for _, o := range in.Flaky.Judged.Map.Operations {
			in.operations[o.Operation] = append(in.operations[o.Operation], o)
		}
	}
	return in.operations[op]
}

// evidence shows a finding.
func (in *Input) evidence(s sight, knownBy string) Evidence {
	redactor := in.Flaky.Judged.Redactor
	e := Evidence{Kind: string(s.found.Kind), KnownBy: knownBy, Method: s.now.Request.Method,
		Target: redact.Target(redactor, s.now.Request.Target), Exchange: s.seq, Place: redactor.ShowPlace(s.found.Place),
		Of: s.found.Of, Unsure: s.found.Unsure, Was: in.token(s.found.Place, s.found.Was),
		Is: in.token(s.found.Place, s.found.Is)}
	if s.now.Response != nil {
		e.Status = s.now.Response.Status
	}
	if f := s.found.Field; f != nil && f.Volatile() {
		e.Category = f.Category
	}
	e.Says = e.sentence(s.found)
	return e
}

// maxToken bounds the tokens that are shown, in bytes.
const maxToken = 200

// token is a raw token as it may be shown.
func (in *Input) token(place exchange.Place, raw string) string {
	return cut(strings.ToValidUTF8(in.Flaky.Judged.Redactor.Show(place, raw), "?"), maxToken)
}

// sentence says what a finding is.
func (e *Evidence) sentence(f breach.Finding) string {
	at := string(e.Place)
	if e.Place == exchange.PlaceStatus {
		at = "the status"
	}
	values := ""
	switch {
	case e.Was != "" && e.Is != "" && e.Was != e.Is:
		values = fmt.Sprintf(": %s, not %s", e.Is, e.Was)
	case e.Is != "":
		values = ": " + e.Is
	case e.Was != "":
		values = ": it was " + e.Was
	}
	switch f.Kind {
	case breach.Server:
		return fmt.Sprintf("the operation %s%s", f.Says, values)
	case breach.Never:
		return fmt.Sprintf("%s %s%s; it never moved in %s", at, f.Says, values, console.Count(f.Of, "answer"))
	case breach.Broken:
		return fmt.Sprintf("%s moves, and breaks what holds of it: it %s%s", at, f.Says, values)
	case breach.State:
		return fmt.Sprintf("%s follows what was sent before, and is further than ever: it %s%s", at, f.Says, values)
	}
	if e.Category == "" {
		return fmt.Sprintf("%s %s%s, as it had before", at, f.Says, values)
	}
	return fmt.Sprintf("%s is known to move (%s), and is within what holds of it%s", at, e.Category, values)
}

// ties orders what ties an answer to a failure, the surest first.
func ties(knownBy string) int {
	return slices.Index([]string{report.KnownByMessage, report.KnownByLine, report.KnownByPlace}, knownBy)
}
