package settle

import (
	"cmp"
	"slices"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
)

// maxVain bounds the ends in vain of one oracle.
const maxVain = 16

// wordAt is a word at a place of an answer with a status.
type wordAt struct {
	status int
	place  exchange.Place
	raw    string
}

// stay is what was seen of a word.
type stay struct {
	ended  bool          // a trail has it at its end
	left   bool          // a trail went on from it
	lasted time.Duration // from the first look in a row to the last, most
}

// ends are the words that the reads of one operation were answered at the places of its oracles.
type ends struct {
	seen    map[wordAt]*stay
	longest time.Duration // that a read took to be ready
}

// maxWords bounds the words that are told apart.
const maxWords = 1 << 12

func endsOf(all []*group) ends {
	e := ends{seen: map[wordAt]*stay{}}
	var places []exchange.Place
	for _, g := range all {
		if g.oracle == nil {
			continue
		}
		e.longest = max(e.longest, g.oracle.Times.Longest)
		for _, v := range g.oracle.Values {
			if IsWord(v.JSON) && !slices.Contains(places, v.Place) && len(places) < maxPlaces {
				places = append(places, v.Place)
			}
		}
	}
	for _, p := range places {
		for _, g := range all {
			for _, t := range g.trails {
				e.see(t, p)
			}
		}
	}
	return e
}

// see takes in what a trail has at a place.
func (e *ends) see(t *trail, p exchange.Place) {
	var now wordAt
	from := 0
	for i := 0; i <= len(t.looks); i++ {
		var next wordAt
		if i < len(t.looks) {
			r := t.looks[i].response
			if raw, ok := compare.At(r, p); ok && IsWord(raw) {
				next = wordAt{r.Status, p, raw}
			}
		}
		if i < len(t.looks) && next == now {
			continue
		}
		if now.raw != "" {
			if s := e.stay(now); s != nil {
				s.left = s.left || i < len(t.looks)
				s.ended = s.ended || i == len(t.looks) && !t.cut
				s.lasted = max(s.lasted, t.looks[i-1].at.Sub(t.looks[from].at))
			}
		}
		now, from = next, i
	}
}

// stay returns what was seen of a word; nil where there are too many.
func (e *ends) stay(w wordAt) *stay {
	s := e.seen[w]
	if s == nil && len(e.seen) < maxWords {
		s = &stay{}
		e.seen[w] = s
	}
	return s
}

// forGood reports whether no read went on from a word, and one was seen to stay there, or the word says that something
// failed.
func (e *ends) forGood(w wordAt, s *stay) bool {
	return s.ended && !s.left && (namesFailure(w.raw) || s.lasted > e.longest)
}

// inVain lists the words at an oracle's places that reads of its operation have ended with instead, for good.
func (e *ends) inVain(o *Oracle) []Value {
	var out []Value
	for w, s := range e.seen {
		wanted := func(v Value) bool { return v.Place == w.place && IsWord(v.JSON) && v.JSON != w.raw }
		if w.status == o.Status && slices.ContainsFunc(o.Values, wanted) && e.forGood(w, s) {
			out = append(out, Value{Place: w.place, JSON: w.raw, Type: typeOf(w.raw)})
		}
	}
	slices.SortFunc(out, func(a, b Value) int {
		return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.JSON, b.JSON))
	})
	return out[:min(len(out), maxVain)]
}
