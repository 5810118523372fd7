package triage

import (
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/breach"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// lively reports whether something may be expected to move in each run that never did before: as many places as there
// were runs moved once, and never again. That is how many of a kind are yet unseen, after Good and Turing.
func (in *Input) lively() bool {
	once := 0
	for _, op := range in.Flaky.Judged.Map.Operations {
		for _, f := range op.Fields {
			if f.Counts() && f.Judgement == mapfile.Jitter && f.Changed == 1 {
				once++
			}
		}
	}
	return in.Basis.Executions > 1 && once >= in.Basis.Executions-1
}

// given is an answer that the run gave to a request.
type given struct {
	at       time.Time
	response *exchange.Response
}

// givenBy are the answers that the run gave, by request.
func (in *Input) givenBy() map[exchange.Fingerprint][]given {
	if in.given != nil {
		return in.given
	}
	in.given = map[exchange.Fingerprint][]given{}
	for _, s := range in.Flaky.Judged.Steps {
		if e := in.now(s); e != nil && e.Response != nil {
			print := exchange.Exact(e)
			in.given[print] = append(in.given[print], given{e.Start, e.Response})
		}
	}
	return in.given
}

// flips reports whether the run answered the very same request as ever before an answer that is out of all that was
// seen, and again behind it.
func (in *Input) flips(s sight) bool {
	if s.found.Kind == breach.Server || s.found.Was == "" {
		return false
	}
	before, behind := false, false
	for _, g := range in.givenBy()[exchange.Exact(s.now)] {
		if raw, ok := compare.At(g.response, s.found.Place); ok && compare.Same(raw, s.found.Was) {
			before = before || g.at.Before(s.now.Start)
			behind = behind || g.at.After(s.now.Start)
		}
	}
	return before && behind
}
