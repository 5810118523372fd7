package breach

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Kind says how a place of an answer stands to what was seen before.
type Kind string

// The kinds of findings, the gravest first.
const (
	Server Kind = "server" // a status of 5xx, or no answer, where there never was one
	Never  Kind = "never"  // a steady place has what it never had
	Broken Kind = "broken" // a place that moves breaks what holds of it
	State  Kind = "state"  // a place that follows what was sent before is further than ever: more, longer, higher
	Moves  Kind = "moves"  // a place that moves differs, within what holds of it
)

// Breach reports whether an answer should not have been so.
func (k Kind) Breach() bool { return k == Server || k == Never || k == Broken }

// Finding is what is to be said of one place of an answer.
type Finding struct {
	Place exchange.Place
	Kind  Kind
	Field *mapfile.Field // nil where the map knows none
	// Was and Is are the raw tokens that stood there in the recording, and stand there now; "" for nothing.
	Was, Is string
	Says    string // how it differs, without a value
	Of      int    // the answers that Never and Server rest on; those of the map where the request itself is new
	Unsure  bool   // they are too few to tell

	resized bool // Was and Is are the lengths of an array
}

// Enough is how many answers make a place known for steady, as in a lock.
const Enough = mapfile.EnoughSeen

// Answer is one answer that is held against the evidence.
type Answer struct {
	Now *exchange.Exchange // the request as it was sent this time, and what came back
	// Step is the recorded exchange of the same request, and what earlier runs observed of it; its Exchange is nil where
	// the request is a new one.
	Step exchange.Step
	// Operations is what the map says of the operation of the request, one for each recorded status.
	Operations []*mapfile.Operation
}

// operation is what the map says of answers with a status; nil where it says nothing.
func (a *Answer) operation(status int) *mapfile.Operation {
	for _, op := range a.Operations {
		if op.Status == status {
			return op
		}
	}
	return nil
}

// MaxEarlier bounds the earlier answers that one answer is compared with. The latest count.
const MaxEarlier = 64

// Judge holds an answer against what was seen before, and lists the findings, the gravest first, of one kind those of
// the status and the body before those of headers.
func Judge(a Answer) []Finding {
	j := &judging{Answer: a, now: compare.Read(a.Now.Response, a.Now.Fault), found: map[exchange.Place]Finding{}}
	if e := a.Step.Exchange; e != nil {
		j.recorded, j.print = compare.Read(e.Response, e.Fault), exchange.Exact(e)
		j.op = a.operation(exchange.StatusOf(e.Response))
		earlier := a.Step.Observations
		for _, o := range earlier[max(0, len(earlier)-MaxEarlier):] {
			j.earlier = append(j.earlier, compare.Read(o.Response, o.Fault))
		}
	} else {
		j.op = a.operation(exchange.StatusOf(a.Now.Response))
	}
	if !j.status() {
		j.differences()
		j.statements()
		j.common()
		j.orders()
		j.shuffled()
	}
	out := make([]Finding, 0, len(j.found))
	for _, f := range j.found {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(grave(a.Kind), grave(b.Kind)), cmp.Compare(root(a.Place), root(b.Place)),
			cmp.Compare(a.Place, b.Place))
	})
	return out
}

// grave orders kinds.
func grave(k Kind) int { return slices.Index([]Kind{Server, Never, Broken, State, Moves}, k) }

// root orders places by what tests look at first.
func root(p exchange.Place) int {
	return slices.Index([]string{"header", "body", "status"}, p.Root()) * -1
}

// judging is one answer under judgement.
type judging struct {
	Answer
	now, recorded *compare.Answer // recorded is nil for a request that is new
	earlier       []*compare.Answer
	print         exchange.Fingerprint // of the recorded request
	op            *mapfile.Operation   // of the recorded status; nil where the map has none
	found         map[exchange.Place]Finding
}

// add keeps a finding, the gravest of each place.
func (j *judging) add(f Finding) {
	if was, known := j.found[f.Place]; known && grave(was.Kind) <= grave(f.Kind) {
		return
	}
	j.found[f.Place] = f
}

// status judges the status, and reports whether it is another than recorded, or a new one.
func (j *judging) status() (other bool) {
	if j.recorded == nil {
		return j.newStatus()
	}
	was, is := j.recorded.Status(), j.now.Status()
	if was == is {
		return false
	}
	f := Finding{Place: exchange.PlaceStatus, Was: was, Is: is, Of: 1 + len(j.earlier), Says: "never answered so"}
	if j.op != nil {
		f.Field = j.op.At(exchange.PlaceStatus)
	}
	seen := slices.ContainsFunc(j.earlier, func(a *compare.Answer) bool { return a.Status() == is })
	switch moves := f.Field != nil && f.Field.AppliesTo(j.print); {
	case f.Field != nil && f.Field.Ignored():
		return true
	case seen, moves && f.Field.Holds.Satisfied(is, j.Now.Start) == nil && len(f.Field.Holds.OneOf) > 0:
		f.Kind, f.Says = Moves, "answered so before"
	case fatal(is):
		f.Kind = Server
	default:
		f.Kind = Never
		j.count(&f)
	}
	j.add(f)
	return true
}

// newStatus judges the status of a request that is new, which only the map can tell of.
func (j *judging) newStatus() (other bool) {
	is := j.now.Status()
	if j.op != nil || !fatal(is) || len(j.Operations) == 0 {
		return j.op == nil
	}
	f := Finding{Place: exchange.PlaceStatus, Kind: Server, Field: j.Operations[0].At(exchange.PlaceStatus), Is: is,
		Says: "never answered so"}
	if f.Field != nil && f.Field.Volatile() && f.Field.Holds.Satisfied(is, j.Now.Start) == nil {
		f.Kind, f.Says = Moves, "answered so before"
	}
	for _, op := range j.Operations {
		f.Of += op.Exchanges
		f.Was = strconv.Itoa(op.Status)
	}
	j.add(f)
	return true
}

// fatal reports whether a status is one that no API should answer: of a server's error, or none at all.
func fatal(status string) bool {
	return strings.HasPrefix(status, "5") || strings.HasPrefix(status, `"fault:`)
}

// count notes how many answers a steady place rests on.
func (j *judging) count(f *Finding) {
	f.Of = 1 + len(j.earlier)
	field := f.Field
	if field == nil { // no answer of the operation ever had it
		field = j.op.At(exchange.PlaceStatus)
	}
	if field != nil && !field.Volatile() {
		f.Of = max(f.Of, field.Of)
	}
	f.Unsure = f.Of < Enough
}

// field returns what decides on a place: what the map says of it, else of what it is in. It is nil where the map knows
// neither, and moves says whether answers to this request move there.
func (j *judging) field(place exchange.Place) (f *mapfile.Field, moves bool) {
	if j.op == nil {
		return nil, false
	}
	f = j.op.At(place)
	if f != nil {
		if f.AppliesTo(j.print) || j.recorded == nil && f.Volatile() {
			return f, true
		}
		if len(f.Holds.Equal) > 0 {
			return f, false
		}
	}
	for p := place.Parent(); p != ""; p = p.Parent() {
		if up := j.op.At(p); up != nil && (up.AppliesTo(j.print) || j.recorded == nil && up.Volatile()) {
			return up, true
		}
	}
	return f, false
}

// apart reports whether nothing is to be said of a place.
func (j *judging) apart(place exchange.Place) bool {
	if mapfile.MovesByProtocol(place) || place == exchange.PlaceReason || j.op == nil {
		return true
	}
	f := j.op.At(place)
	return f != nil && f.Protocol || j.op.Ruled(place) == mapfile.Ignore
}
