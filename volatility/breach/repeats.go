package breach

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Repeat is an answer that no longer has a value of an answer before it. Its finding is [Broken].
type Repeat struct {
	At int // which of the answers
	Finding
}

// minRepeated is how long a value is, as a raw token, that two places have in common by no chance.
const minRepeated = 6

// Repeats holds the answers of one run, in order, against each other: where a place moves and had the value of a place
// of an earlier answer in the recording and in each earlier run, another one each time, it is to have it now. Values
// that follow the clock are passed over: two that were read quickly one after the other are equal until one day they
// are not.
func Repeats(answers []Answer) []Repeat {
	type origin struct {
		at    int
		place exchange.Place
	}
	first := map[[sha256.Size]byte]origin{} // by the values of all executions
	var out []Repeat
	now := make([]map[exchange.Place]string, len(answers))
	for i, a := range answers {
		now[i] = scalars(a.Now.Response, a.Now.Fault)
		for _, l := range lanes(a) {
			key := l.key()
			from, known := first[key]
			if !known {
				first[key] = origin{i, l.place}
				continue
			}
			is, there := now[i][l.place]
			was, gave := now[from.at][from.place]
			if from.at == i || !there || !gave || textOf(is) == textOf(was) {
				continue
			}
			f := Finding{Place: l.place, Kind: Broken, Field: l.field, Is: is, Of: l.of}
			f.Says = fmt.Sprintf("is not what the answer to %s before it has at %s, as it was in each of %d executions",
				answers[from.at].Operations[0].Operation, from.place, l.of)
			out = append(out, Repeat{i, f})
		}
	}
	return out
}

// lane is what a place that moves held in the recording and in the earlier runs.
type lane struct {
	place  exchange.Place
	field  *mapfile.Field
	of     int    // executions
	all    []byte // the values, and the runs that they are from
	values map[string]bool
}

// lanes lists the places of an answer's body that had at least [Enough] values.
func lanes(a Answer) []*lane {
	if a.Step.Exchange == nil {
		return nil
	}
	at := map[exchange.Place]*lane{}
	var order []*lane
	add := func(run int, r *exchange.Response, f *exchange.Fault) {
		compare.Read(r, f).Walk(func(place exchange.Place, raw string) {
			if !repeatable(place, raw) {
				return
			}
			if at[place] == nil {
				at[place] = &lane{place: place, values: map[string]bool{}}
				order = append(order, at[place])
			}
			at[place].add(run, textOf(raw))
		})
	}
	add(0, a.Step.Exchange.Response, a.Step.Exchange.Fault)
	earlier := a.Step.Observations
	for _, o := range earlier[max(0, len(earlier)-MaxEarlier):] {
		add(o.Run, o.Response, o.Fault)
	}
	j := &judging{Answer: a, op: a.operation(exchange.StatusOf(a.Step.Exchange.Response))}
	return slices.DeleteFunc(order, func(l *lane) bool {
		if len(l.values) < Enough || j.apart(l.place) {
			return true
		}
		l.field = j.op.At(l.place)
		return l.field == nil || !l.field.Volatile() || l.field.Category == mapfile.Time
	})
}

// add adds the value of a run; 0 is the recording.
func (l *lane) add(run int, text string) {
	l.of++
	l.all = fmt.Appendf(l.all, "%d %d %s ", run, len(text), text)
	l.values[text] = true
}

// key tells places that had the same values in the same runs from others.
func (l *lane) key() [sha256.Size]byte { return sha256.Sum256(l.all) }

// repeatable reports whether a value of a place may be told from others: a scalar of a body, and no short one.
func repeatable(place exchange.Place, raw string) bool {
	return place.Root() == "body" && len(raw) >= minRepeated && raw[0] != '[' && raw[0] != '{'
}

// scalars are the values of an answer that may be told from others.
func scalars(r *exchange.Response, f *exchange.Fault) map[exchange.Place]string {
	out := map[exchange.Place]string{}
	compare.Read(r, f).Walk(func(place exchange.Place, raw string) {
		if repeatable(place, raw) {
			out[place] = raw
		}
	})
	return out
}
