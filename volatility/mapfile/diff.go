package mapfile

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
)

// ChangeKind says what became of a place, or of an operation, from one map to another.
type ChangeKind string

// The kinds of changes, in the order in which they are told.
const (
	Began   ChangeKind = "began"   // volatile, and was not
	Unseen  ChangeKind = "unseen"  // volatile, and the old map never saw it, or too seldom to have seen it move
	Stopped ChangeKind = "stopped" // no longer volatile
	Judged  ChangeKind = "judged"  // another judgement or category; volatile as before, or not
	Held    ChangeKind = "holds"   // something else holds of it
	Surer   ChangeKind = "surer"   // its bound is lower
	Unsurer ChangeKind = "unsurer" // its bound is higher
	Came    ChangeKind = "came"    // the old map does not know it
	Went    ChangeKind = "went"    // the new map does not know it
)

// Change is what became of one place of one operation.
type Change struct {
	Operation exchange.Operation // as the new map calls it, where it has it
	Status    int
	Place     exchange.Place // "" for the operation itself, which came or went
	Kinds     []ChangeKind   // at least one; a place that came may have begun to move, too
	Old, New  *Field         // nil where a map does not list it
}

// Is reports whether a change is of a kind.
func (c Change) Is(k ChangeKind) bool { return slices.Contains(c.Kinds, k) }

// Changes is the difference of two maps.
type Changes struct {
	Changes []Change // in the order of the new map; operations that went come last
	Notes   []string // what the comparison cannot know
	Same    int      // places that are as they were
}

// Began returns the changes of places that are volatile in the new map and were seen not to be in the old one: what
// fails a gate.
func (c Changes) Began() []Change { return c.Of(Began) }

// Of returns the changes of a kind.
func (c Changes) Of(k ChangeKind) []Change {
	var out []Change
	for _, x := range c.Changes {
		if x.Is(k) {
			out = append(out, x)
		}
	}
	return out
}

// Diff says what changed from one map of an API to another. Operations are the same where host, method, status and
// template are, whatever the template's parameters are called. A map that was written without its stable places lacks
// them: what it does not list of an operation that it has is taken for stable. Places apart ([Field.Apart]) are left
// out. For which requests a place drifts is no part of the difference: other requests were sent.
//
// A place began to move where it was seen for stable before, often enough that it would have moved as it does now. What
// the old map never saw is no change of the API but news. Where one of the maps is a lock, what a lock says of
// the other is compared.
func Diff(old, new *Map) Changes {
	oldRuns, newRuns := len(old.Runs), len(new.Runs)
	if old.Locked || new.Locked {
		old, new = old.Lock(), new.Lock()
	}
	d := mapDiff{oldComplete: old.Complete(), newComplete: new.Complete(), oldRuns: oldRuns,
		newRuns: newRuns, locked: old.Locked}
	if !d.oldComplete {
		d.out.Notes = append(d.out.Notes, "the old map lists no stable places: what it does not list is taken for stable")
	}
	if !d.newComplete {
		d.out.Notes = append(d.out.Notes, "the new map lists no stable places: what it does not list is taken for stable")
	}
	partner := pairOperations(old, new)
	paired := map[*Operation]bool{}
	for _, op := range new.Operations {
		was := partner[op]
		paired[was] = true
		d.operation(was, op)
	}
	for _, was := range old.Operations {
		if !paired[was] {
			d.operation(was, nil)
		}
	}
	return d.out
}

// parameter is a parameter within a template.
var parameter = regexp.MustCompile(`\{[^{}/]*\}`)

// pairOperations finds the old operation of each new one: the one of the same name, else one whose template differs in
// the names of parameters alone.
func pairOperations(old, new *Map) map[*Operation]*Operation {
	type key struct {
		exchange.Operation
		status int
	}
	plain := func(op *Operation) key {
		k := key{op.Operation, op.Status}
		k.Template = parameter.ReplaceAllString(k.Template, "{}")
		return k
	}
	exact, loose := map[key]*Operation{}, map[key][]*Operation{}
	taken := map[*Operation]bool{}
	for _, op := range old.Operations {
		exact[key{op.Operation, op.Status}] = op
		loose[plain(op)] = append(loose[plain(op)], op)
	}
	out := map[*Operation]*Operation{}
	for _, op := range new.Operations {
		if was := exact[key{op.Operation, op.Status}]; was != nil {
			out[op], taken[was] = was, true
		}
	}
	for _, op := range new.Operations {
		if out[op] != nil {
			continue
		}
		for _, was := range loose[plain(op)] {
			if !taken[was] {
				out[op], taken[was] = was, true
				break
			}
		}
	}
	return out
}

// mapDiff gathers the changes.
type mapDiff struct {
	oldComplete, newComplete bool
	oldRuns, newRuns         int
	locked                   bool
	out                      Changes
}

// operation compares what two maps say of an operation, either of which may be nil.
func (d *mapDiff) operation(was, is *Operation) {
	named := is
	if is == nil {
		named = was
		is = &Operation{}
		d.add(Change{Kinds: []ChangeKind{Went}}, named)
	}
	if was == nil {
		was = &Operation{}
		d.add(Change{Kinds: []ChangeKind{Came}}, named)
	}
	fields := slices.DeleteFunc(slices.Clone(is.Fields), (*Field).Apart)
	seen := map[*Field]bool{}
	for _, f := range fields {
		g := was.At(f.Place)
		seen[g] = true
		d.place(named, g, f, silence{
			stable: was.Exchanges > 0 && !d.oldComplete, known: len(was.Fields) > 0 || was.Exchanges > 0,
			seen: was.Exchanges * d.oldRuns, exchanges: was.Exchanges, chance: d.newRuns > 1 && d.newRuns < minAgreeing,
			several: is.Exchanges > 1,
		})
	}
	if named == was {
		return // that the operation went says it of its places
	}
	for _, g := range was.Fields {
		if seen[g] || g.Apart() || is.At(g.Place) != nil {
			continue
		}
		d.place(named, g, nil, silence{stable: !d.newComplete, known: true})
	}
}

// silence is what it means where one of two maps says nothing of a place.
type silence struct {
	stable bool // the map takes the place for stable
	known  bool // the old map has the operation
	seen   int  // how often at most the old map has seen the place; 0 where nothing tells

	exchanges int  // that the old map has of the operation
	chance    bool // runs of the new map may agree by chance
	several   bool // the new map has several exchanges of the operation
}

// minAgreeing is how many runs have to agree with each other before that is no chance: as few as the judgement warns
// of.
const minAgreeing = 4

// began reports whether a place that moves began to, by what the old map says of it: g, or nothing. Where the runs
// agree with each other, and not with the recording, it is the recorded answers that were seen to differ, however many
// the runs are. So it is where a place moves seldom, and in several exchanges: one rare value that was recorded differs
// from what all runs answer.
func (s silence) began(g, f *Field) bool {
	seen := s.seen
	if g != nil {
		seen = g.Of
	}
	if f.Judgement == Drift && s.chance {
		return false
	}
	together := f.Judgement == Drift || s.several && 0 < f.Changed && 2*f.Changed < f.Of
	if together && s.exchanges > 0 {
		seen = min(seen, s.exchanges)
	}
	return g == nil && s.seen == 0 || wouldHaveMoved(&Field{Of: seen}, f)
}

// place compares what two maps say of a place, either of which may say nothing.
func (d *mapDiff) place(op *Operation, g, f *Field, unsaid silence) {
	c := Change{Old: g, New: f}
	if g != nil && g.Apart() {
		g = nil // what nobody asserted began to move as soon as somebody does
		unsaid.stable, unsaid.seen = true, 0
	}
	moved, moves := g != nil && g.Volatile(), f != nil && f.Volatile()
	switch {
	case moves && !moved:
		if (g != nil || unsaid.stable) && unsaid.began(g, f) {
			c.Kinds = append(c.Kinds, Began)
		} else {
			c.Kinds = append(c.Kinds, Unseen)
		}
	case moved && !moves:
		if f == nil || stopped(f, g) {
			c.Kinds = append(c.Kinds, Stopped)
		}
	case g != nil && f != nil && !sameReason(g, f):
		c.Kinds = append(c.Kinds, Judged)
	}
	switch {
	case g == nil && !unsaid.stable && unsaid.known:
		c.Kinds = append(c.Kinds, Came)
	case f == nil && !unsaid.stable:
		c.Kinds = append(c.Kinds, Went)
	case g != nil && f != nil:
		if !(d.locked && moved != moves) && !sameHolds(g, f) { // of what is stable a lock says no more
			c.Kinds = append(c.Kinds, Held)
		}
		if k := sureness(g, f); k != "" {
			c.Kinds = append(c.Kinds, k)
		}
	}
	if len(c.Kinds) == 0 {
		if unsaid.known {
			d.out.Same++
		}
		return
	}
	d.add(c, op)
}

// byChance is the chance that is taken of calling a place one that began to move, where it moved as seldom before and
// nobody saw it.
const byChance = 0.05

// wouldHaveMoved reports whether the observations of a place that is called stable would have shown it moving, had it
// moved as often as it was seen to elsewhere. What never moved and would, does so by what explains it, in every
// observation; so does what a lock alone says to move, as it does not say how often.
func wouldHaveMoved(stable, moving *Field) bool {
	if moving.Changed == 0 {
		return true
	}
	return shows(stable.Of, float64(moving.Changed)/float64(moving.Of))
}

// seldom is how often, at least, a place is taken to move of which only a lock says so, before it is said to have
// stopped.
const seldom = 1.0 / 20

// stopped reports whether a place that moved would have been seen to, had it not stopped.
func stopped(stable, moving *Field) bool {
	if moving.Changed == 0 && moving.Judgement != WouldMove {
		return shows(stable.Of, seldom)
	}
	return wouldHaveMoved(stable, moving)
}

// shows reports whether so many observations show what happens at a rate.
func shows(observations int, rate float64) bool {
	return math.Pow(1-rate, float64(observations)) <= byChance
}

// sameHolds reports whether two maps state the same of a place, in the words that do not depend on the sample. The
// value of a place that never moved is one of them where both maps have one and neither takes it for what moves
// elsewhere.
func sameHolds(g, f *Field) bool {
	constant, still := len(g.Holds.Equal) > 0, len(f.Holds.Equal) > 0
	if constant != still && g.Volatile() != f.Volatile() {
		return false
	}
	if constant && still && g.Judgement != Hint && f.Judgement != Hint &&
		!compare.Same(string(g.Holds.Equal), string(f.Holds.Equal)) {
		return false
	}
	return reflect.DeepEqual(g.Holds.Canonical(), f.Holds.Canonical())
}

// sameReason reports whether two judgements are the same, or differ in the category alone, and what counts first in one
// of them is among what speaks for the other.
func sameReason(g, f *Field) bool {
	if !g.Volatile() && !f.Volatile() {
		return true // a hint disables nothing, and one recording has a day or an hour that another has not
	}
	names := func(x *Field, c Category) bool {
		return slices.ContainsFunc(x.Explanations, func(e Explanation) bool { return e.Category == c })
	}
	return g.Judgement == f.Judgement &&
		(g.Category == f.Category || names(g, f.Category) || names(f, g.Category))
}

// sureness compares the bounds of a place that is called stable, a hint or would-move: how often a place moves that has
// moved says nothing of how sure that is.
func sureness(g, f *Field) ChangeKind {
	switch {
	case g.Changed > 0 || f.Changed > 0 || math.Abs(g.Bound-f.Bound) < 1e-9:
		return ""
	case f.Bound < g.Bound:
		return Surer
	}
	return Unsurer
}

// add adds a change of an operation.
func (d *mapDiff) add(c Change, op *Operation) {
	c.Operation, c.Status = op.Operation, op.Status
	if f := cmp.Or(c.New, c.Old); f != nil {
		c.Place = f.Place
	}
	d.out.Changes = append(d.out.Changes, c)
}

// String returns a change on one line: "GET /orders/{id} 200 /body/id: began".
func (c Change) String() string {
	s := fmt.Sprintf("%s %d", c.Operation, c.Status)
	if c.Place != "" {
		s += " " + string(c.Place)
	}
	return fmt.Sprintf("%s: %v", s, c.Kinds)
}
