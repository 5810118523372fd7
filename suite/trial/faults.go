package trial

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/internal/wire"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/mutant"
	"github.com/flaketap/flaketap/suite/write/build"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
	"github.com/flaketap/flaketap/volatility/compare"
)

// maxFaults bounds how many faults are planted: for each, the suite is planned once more.
const maxFaults = 100

// fault is a mutant with what the tests were answered where it was planted.
type fault struct {
	mutant.Mutant
	faulty  []play.Played  // all answers of a trial, some of them with the fault
	changed map[uint64]int // by recorded exchange, the index of each of those
}

// faults plants mutants, each by itself, in what the tests were answered in the first trial.
func (r *Result) faults(src suite.Source) (sound []play.Played, out []fault) {
	sound = r.options.Answers.Once(1)
	var survey mutant.Survey
	for i := range sound {
		survey.AddExchange(src.Operations[sound[i].Seq], sound[i].Exchange())
	}
	judge := func(op exchange.Operation, status int, place exchange.Place) mutant.Judgement {
		if known := src.Map.Operation(op, status); known != nil {
			return mutant.Known(known, place)
		}
		return mutant.Judgement{}
	}
	for _, m := range survey.Mutants(mutant.Kinds(), maxFaults, 1, judge) {
		f := fault{Mutant: m, changed: map[uint64]int{}}
		var past mutant.Past
		for i, one := range sound {
			if src.Operations[one.Seq] == m.Operation {
				if raw, ok := past.Plant(m, one.Exchange()); ok {
					end := wire.HeadEnd(raw)
					one.Response = exchange.ParseResponse(exchange.Message{Head: raw[:end], Body: raw[end:]})
					f.changed[one.Seq] = i
				}
			}
			f.faulty = append(f.faulty, one)
		}
		if len(f.changed) > 0 {
			out = append(out, f)
		}
	}
	return sound, out
}

// survivors lists the faults that no assertion of the plan tells. An assertion tells a fault where the plan would say
// less if a trial had been answered so; what runs have told of headers and of values that earlier answers gave is not
// weakened by trials, and is held against the faulty answer itself.
func (r *Result) survivors(ctx context.Context, src suite.Source, sound []play.Played, all []fault) ([]fault, error) {
	before, err := r.checksWith(src, sound)
	if err != nil {
		return nil, err
	}
	var out []fault
	for _, f := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if r.tellsEqual(sound, f) {
			continue
		}
		after, err := r.checksWith(src, f.faulty)
		if err != nil {
			return nil, err
		}
		if reflect.DeepEqual(before, after) {
			out = append(out, f)
		}
	}
	return out, nil
}

// checksWith lists the assertions of the plan, step by step, as they were if there had been one more trial.
func (r *Result) checksWith(src suite.Source, more []play.Played) ([][]plan.Check, error) {
	o := r.options
	o.Answers = o.Answers.With(more)
	p, err := build.Plan(src, o)
	if err != nil {
		return nil, err
	}
	var out [][]plan.Check
	for _, t := range p.Tests {
		for _, s := range t.Steps {
			for i := range s.Checks {
				s.Checks[i].Why, s.Checks[i].Off = "", ""
			}
			out = append(out, s.Checks)
		}
	}
	return out, nil
}

// tellsEqual reports whether an assertion of a header or of a text holds of an answer without a fault, and fails of it
// with the fault.
func (r *Result) tellsEqual(sound []play.Played, f fault) bool {
	bySeq := map[uint64]play.Played{}
	for _, one := range sound {
		bySeq[one.Seq] = one
	}
	for _, t := range r.Plan.Tests {
		given := map[string]string{}
		for _, s := range t.Steps {
			one, there := bySeq[s.Seq]
			if !there {
				continue
			}
			values := maps.Clone(one.Values)
			maps.Copy(values, given)
			at, changed := f.changed[s.Seq]
			for _, c := range s.Checks {
				if changed && r.equals(&c, one, values) && !r.equals(&c, f.faulty[at], values) {
					return true
				}
			}
			for _, c := range s.Captures {
				if value, ok := message.Value(one.Response, c.Place); ok {
					given[c.Name] = value
				}
			}
		}
	}
	return false
}

// equals reports whether an answer has the text that a check asserts of a header or of a value; false of other checks.
func (r *Result) equals(c *plan.Check, one play.Played, values map[string]string) bool {
	switch {
	case c.If != 0 && c.If != one.Status:
		return false
	case c.Kind == plan.CheckHeader:
		var want []string
		for _, line := range c.Lines {
			want = append(want, r.text(line, one, values))
		}
		_, name, _ := strings.Cut(strings.TrimPrefix(string(c.Place), "/"), "/")
		return slices.Equal(want, one.Header.Values(name))
	case c.Kind != plan.CheckEqual || c.Extent != plan.Whole:
		return false
	}
	want, found := r.text(c.Text, one, values), tokens(one.Response, c.Place)
	return len(found) > 0 && !slices.ContainsFunc(found, func(raw string) bool {
		got := plan.TextOf(raw)
		return got != want && !(c.Suffix && strings.HasSuffix(got, want))
	})
}

// text is a text of the plan with its values.
func (r *Result) text(t plan.Text, one play.Played, values map[string]string) string {
	var out strings.Builder
	for _, p := range t {
		text := p.Literal
		switch {
		case p.Bound != "":
			text = values[p.Bound]
		case p.Secret != "":
			text = r.Plan.Secrets[p.Secret]
		case p.Host:
			text = one.Host
		}
		out.WriteString(p.Escape.Apply(text))
	}
	return out.String()
}

// tokens are the raw tokens that an answer has at a place.
func tokens(r *exchange.Response, at exchange.Place) (out []string) {
	compare.Walk(r, func(place exchange.Place, raw string) {
		if at.Matches(place) {
			out = append(out, raw)
		}
	})
	return out
}
