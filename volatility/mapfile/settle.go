package mapfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/volatility/notation"
)

// Settle returns the lock of a map with what an earlier map or lock says kept as it was said there, as far as the new
// map does not speak against it: a file in git changes where something changed, and not with the sample. What was said
// of a place stays where
//
//   - it moved then and was not seen to now, unless 299 observations show it still;
//   - it would move, by what explained its value then;
//   - it moves, and the runs do not measure another reason (they measure that it follows the clock, the address, a
//     condition of the runs, or that only an order differs);
//   - what was stated of its values is true of those seen now.
//
// Operations and places that the new map did not see stay too. To begin anew, write the lock without an earlier one.
func (m *Map) Settle(earlier *Map) *Map {
	lock, before := m.Lock(), earlier.Lock()
	partner := pairOperations(before, lock)
	paired := map[*Operation]bool{}
	for _, op := range lock.Operations {
		if was := partner[op]; was != nil {
			paired[was] = true
			op.settle(was)
		}
	}
	for _, was := range before.Operations {
		if !paired[was] {
			lock.Operations = append(lock.Operations, was)
		}
	}
	slices.SortStableFunc(lock.Operations, func(a, b *Operation) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Template, b.Template), cmp.Compare(a.Method, b.Method),
			cmp.Compare(a.Status, b.Status))
	})
	lock.Recount()
	return lock
}

// settle keeps of an operation what an earlier lock says of it, the names of its parameters included.
func (o *Operation) settle(was *Operation) {
	o.Operation = was.Operation
	// what is one place of the earlier lock, with a wildcard for a key, is no place of its own now
	o.Fields = slices.DeleteFunc(o.Fields, func(f *Field) bool {
		g := was.At(f.Place)
		return g != nil && g.Place != f.Place
	})
	o.Index()
	for _, g := range was.Fields {
		switch f := o.At(g.Place); {
		case f == nil:
			o.Fields = append(o.Fields, g)
		case f.Place == g.Place:
			f.settle(g)
		}
	}
	slices.SortFunc(o.Fields, func(a, b *Field) int { return cmp.Compare(a.Place, b.Place) })
	o.Index()
}

// settle keeps what was said of a place before and is not spoken against.
func (f *Field) settle(g *Field) {
	switch {
	case f.Rule != nil || g.Rule != nil:
	case g.Volatile() && f.Volatile():
		if f.Category == g.Category || !f.measured() {
			f.Judgement, f.Category = g.Judgement, g.Category
		}
		if f.bears(g.Holds) {
			f.Holds = g.Holds
		}
	case g.Judgement == WouldMove, g.Volatile() && !shows(f.Of, rare), !g.Volatile() && !f.Volatile() && !g.unsure():
		*f = *g
	}
}

// rare is how often a place may move of which a lock says that it does, and still not be seen to for long: a lock that
// is written every night is to have it all the same.
const rare = 1.0 / 100

// measured reports whether the category of a field was measured in the runs, rather than taken from what its values
// look like or from how many runs happened to agree.
func (f *Field) measured() bool {
	if len(f.Explanations) == 0 {
		return false
	}
	return slices.ContainsFunc(f.Explanations[0].Evidence, func(code string) bool {
		switch ParseEvidence(code).Sign {
		case SignFollowsClock, SignOrderOnly, SignFollowsAddress, SignMovedOnlyBy, SignByMachine:
			return true
		}
		return false
	})
}

// bears reports whether what was stated in canonical words before is true of what was seen of the field, as far as its
// own statements and its samples tell.
func (f *Field) bears(before Holds) bool {
	now := f.Holds
	for t := range strings.SplitSeq(now.Type, "|") {
		if !before.allows(t) {
			return false
		}
	}
	for _, raw := range now.OneOf {
		if len(before.OneOf) > 0 && !before.among(string(raw)) {
			return false
		}
	}
	clock := before.Clock == 0 || now.Clock > 0 && now.Clock <= before.Clock
	tied := (before.Echo == "" || before.Echo == now.Echo) && (before.Bound == "" || before.Bound == now.Bound) &&
		(before.Order == "" || before.Order == now.Order) && len(before.Relations) <= len(now.Relations)
	if !clock || !tied || now.Optional && !before.Optional {
		return false
	}
	written := Holds{Format: before.Format, Pattern: before.Pattern}
	return !slices.ContainsFunc(f.Samples, func(raw json.RawMessage) bool {
		return whole(raw) && written.Satisfied(string(raw), time.Time{}) != nil
	})
}

// allows reports whether a JSON type is one of those stated. A whole number is a number too.
func (h *Holds) allows(name string) bool {
	return h.Type == "" || name == "" || slices.ContainsFunc(strings.Split(h.Type, "|"), func(t string) bool {
		return t == name || t == notation.Number.String() && name == notation.Integer.String()
	})
}

// whole reports whether a sample is the value itself: not a token for a secret, not the beginning of a long text.
func whole(raw []byte) bool {
	return !bytes.HasPrefix(raw, []byte(`"secret:`)) && !bytes.HasSuffix(raw, []byte(`…"`))
}
