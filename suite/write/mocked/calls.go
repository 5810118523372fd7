package mocked

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// The elements of a list are judged together, since most lists are of things alike. The calls that an API makes are
// not: one that asks for the rates of today is no reason to assert less of the others. So where all trials make the
// same calls in the same order, each is judged by its number, which is its place in the list, too, and its target by
// its parts.

// judgedCall is a call with the parts of its target by their numbers.
type judgedCall struct {
	mock.Asked
	Parts map[string]string `json:"parts"`
}

// callsPlace is where a journal has its calls.
var callsPlace = exchange.PlaceBody.Key("calls")

// partPlace is where a judged journal has a part of a call's target.
func partPlace(call, part int) exchange.Place { return callsPlace.Index(call).Key("parts").Index(part) }

// ofPart reports whether a place is one that only judged journals have.
func ofPart(p exchange.Place) bool {
	segments := p.Segments()
	return p.Within(callsPlace) && len(segments) > 3 && segments[3] == "parts"
}

// allInStep reports whether all trials made the same calls in the same order.
func allInStep(trials []mock.Noted) bool {
	return !slices.ContainsFunc(trials, func(t mock.Noted) bool { return !inStep(trials[0].Calls, t.Calls) })
}

// inStep reports whether two trials made the same calls in the same order, though with other values, perhaps.
func inStep(a, b []mock.Asked) bool {
	if len(a) != len(b) {
		return false
	}
	for i, one := range a {
		same := func(c mock.Asked) bool {
			return c.Service == one.Service && c.Method == one.Method && c.Target == one.Target
		}
		if one.Service != b[i].Service || one.Method != b[i].Method || !same(b[i]) && slices.ContainsFunc(b, same) {
			return false // another one, or one that has changed places
		}
	}
	return true
}

// numbered is a trial whose journal has each call by its number.
func numbered(trial []*exchange.Exchange, calls []mock.Asked) []*exchange.Exchange {
	byNumber := map[string]judgedCall{}
	for i, c := range calls {
		j := judgedCall{Asked: c, Parts: map[string]string{}}
		for k, part := range partOf.FindAllString(c.Target, -1) {
			if plain, err := url.QueryUnescape(part); err == nil {
				part = plain
			}
			j.Parts[strconv.Itoa(k)] = part
		}
		byNumber[strconv.Itoa(i)] = j
	}
	return journaling(trial, map[string]any{"calls": byNumber})
}

// partOf is a part of a target: a segment of its path, a name or a value of its query.
var partOf = regexp.MustCompile(`[^/?&=]+`)

// stateTargets has the map say of each target that moves, or would, which of its parts do not; and no more of the
// parts, which a journal does not have by themselves.
func stateTargets(src *suite.Source, calls []mock.Asked) {
	step := src.Steps[1]
	op := src.Map.Operation(src.Operations[step.Exchange.Seq], step.Exchange.Response.Status)
	if op == nil {
		return
	}
	var parts mapfile.Operation
	op.Fields = slices.DeleteFunc(op.Fields, func(f *mapfile.Field) bool {
		if ofPart(f.Place) {
			parts.Fields = append(parts.Fields, f)
		}
		return ofPart(f.Place)
	})
	op.Index()
	for _, f := range op.Fields {
		kept := f.Holds.Relations[:0]
		for _, r := range f.Holds.Relations {
			if !slices.ContainsFunc(r.Of, ofPart) {
				kept = append(kept, r)
			}
		}
		f.Holds.Relations = kept
	}
	for i, c := range calls {
		if f := op.At(callsPlace.Index(i).Key("target")); f != nil && f.Volatile() && !f.Apart() {
			f.Holds.Pattern, f.Holds.Captures = targetPattern(c.Target, func(part int) bool {
				of := parts.At(partPlace(i, part))
				return of != nil && of.Volatile()
			}), nil
		}
	}
}

// stateEndless has the map say, of calls that were made so often that nobody counts them while a request was not
// answered, that they are made again: how often in the time of a test depends on the machine.
func stateEndless(src *suite.Source, calls []mock.Asked) {
	step := src.Steps[1]
	op := src.Map.Operation(src.Operations[step.Exchange.Seq], step.Exchange.Response.Status)
	if op == nil {
		return
	}
	for i, c := range calls {
		place := callsPlace.Index(i).Key("times")
		if f := op.At(place); c.Times < mock.Often || f != nil && f.Volatile() {
			continue
		}
		op.Fields = append(slices.DeleteFunc(op.Fields, func(f *mapfile.Field) bool { return f.Place == place }),
			&mapfile.Field{Place: place, Judgement: mapfile.WouldMove, Category: mapfile.Unk, Of: len(step.Observations),
				Holds: mapfile.Holds{Type: "integer", Min: "2"}})
		op.Index()
	}
}

// targetPattern is a pattern of targets that have the parts of one which do not move.
func targetPattern(target string, moves func(part int) bool) string {
	var out strings.Builder
	end := 0
	for k, at := range partOf.FindAllStringIndex(target, -1) {
		out.WriteString(regexp.QuoteMeta(target[end:at[0]]))
		if end = at[1]; moves(k) {
			out.WriteString(partOf.String())
		} else {
			out.WriteString(regexp.QuoteMeta(target[at[0]:end]))
		}
	}
	return "^" + out.String() + regexp.QuoteMeta(target[end:]) + "$"
}
