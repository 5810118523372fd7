package breach

import (
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
)

// difference is one that an earlier answer had from the recording, to be looked up.
type difference struct {
	place exchange.Place
	kind  compare.Kind
	after string
	sizes [2]int
}

func keyOf(d compare.Difference) difference { return difference{d.Place, d.Kind, d.After, d.Sizes} }

// differences judges the places at which the answer is another than the recorded one.
func (j *judging) differences() {
	if j.recorded == nil {
		return
	}
	before := map[difference]bool{}
	for _, a := range j.earlier {
		if !a.SameStatus(j.recorded) {
			continue
		}
		for _, d := range j.recorded.Differences(a) {
			before[keyOf(d)] = true
		}
	}
	for _, d := range j.recorded.Differences(j.now) {
		if d.Kind != compare.Notation && !j.apart(d.Place) {
			j.differs(d, before[keyOf(d)])
		}
	}
}

// differs judges one difference; before says that an earlier answer had the same.
func (j *judging) differs(d compare.Difference, before bool) {
	field, moves := j.field(d.Place)
	f := Finding{Place: d.Place, Kind: Moves, Field: field, Was: d.Before, Is: d.After, Says: differsBy(d)}
	if d.Kind == compare.Resized {
		f.Was, f.Is, f.resized = strconv.Itoa(d.Sizes[0]), strconv.Itoa(d.Sizes[1]), true
	}
	switch {
	case before:
	case !moves:
		f.Kind = Never
		j.count(&f)
	case d.Kind == compare.Removed && field.Place.Matches(d.Place) && !field.Holds.Optional && isMember(d):
		f.Kind = Broken
	case d.Kind == compare.Resized && field.Place.Matches(d.Place) && field.Holds.Order == "any":
		f.Kind = Broken // the recorded elements in any order hold
	}
	j.add(f)
}

// isMember reports whether a difference is at a member of an object or a header, and not at an element of an array,
// which comes and goes with the length.
func isMember(d compare.Difference) bool { return !strings.HasSuffix(string(d.General), "/*") }

// differsBy says in words how a place differs.
func differsBy(d compare.Difference) string {
	switch d.Kind {
	case compare.Retyped:
		return "has another type"
	case compare.Added:
		return "is new"
	case compare.Removed:
		return "is gone"
	case compare.Reordered:
		return "has its elements in another order"
	case compare.Resized:
		return "has another number of elements"
	}
	return "has another value"
}
