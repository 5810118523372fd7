package settle

import (
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
)

// Stages tell how far an API is with what it does by itself after a write, by what it answers to one read. What moved
// since an answer came sooner or later, or since the work ended otherwise, does not move by itself.
type Stages struct {
	places   []exchange.Place            // that tell
	known    []stage                     // the recorded one, and those that may be in its place
	seen     transitions                 // of the operation
	recorded transitions                 // of the same thing, in the recording itself
	stations map[exchange.Place][]string // by the general place of an object, its members that tell by words
}

// stage is what answers have that are as far as a recorded one: by place, any of these values.
type stage map[exchange.Place][]Value

// Apart lists the places that tell a stage, where that of an answer may not be in the place of the recorded one; nil
// where it may. It may where it is the same, or one that was recorded later; and, in the place of one that the API was
// seen to go on from, where the API goes on from it as well, or most work ends with it.
func (s *Stages) Apart(r *exchange.Response) []exchange.Place {
	if s == nil || slices.ContainsFunc(s.known, func(k stage) bool { return k.fits(r) }) {
		return nil
	}
	return s.places
}

// Tells does what [Stages.Apart] does for a member of an element of an array; onTheWay is what [Stages.OnTheWay] says
// of that. Both values are raw tokens, "" where nothing is there.
func (s *Stages) Tells(general exchange.Place, onTheWay bool, recorded, live string) bool {
	if parts := general.Segments(); s == nil || !slices.Contains(parts, "*") || parts[len(parts)-1] == "*" {
		return false
	}
	was, now := token(recorded), token(live)
	if onTheWay && !s.seen.betweenWords(general) {
		return false
	}
	return was != now && s.seen.tell(general, was) && !s.recorded.has(general, was, now) &&
		!(s.seen.leads(general, was) && s.seen.leads(general, now))
}

// OnTheWay reports whether an object was recorded at a stage that the API goes on from; member returns the raw token of
// one of its members, "" where it has none.
func (s *Stages) OnTheWay(general exchange.Place, member func(key string) string) bool {
	if s == nil {
		return false
	}
	return slices.ContainsFunc(s.stations[general], func(key string) bool {
		return s.seen.leads(general.Key(key), token(member(key)))
	})
}

func (k stage) fits(r *exchange.Response) bool {
	for p, values := range k {
		raw, _ := compare.At(r, p)
		if !slices.ContainsFunc(values, func(v Value) bool { return v.is(raw) }) {
			return false
		}
	}
	return true
}

// Stages returns what is known of the stages of reads that follow a write, by the number of the recorded exchange; of
// those whose answers were seen to change.
func (l *Learner) Stages() map[uint64]*Stages {
	out := map[uint64]*Stages{}
	for _, all := range l.byOperation() {
		c := courseOf(all)
		for _, g := range all {
			g.stages(c, out)
		}
	}
	return out
}

// stages adds those of the reads of a group.
func (g *group) stages(c *course, out map[uint64]*Stages) {
	places := g.tellers(c.transitions)
	if len(places) == 0 && len(c.transitions) == 0 {
		return
	}
	recorded := transitions{}
	if t := g.of[0]; t != nil {
		recorded.follow(t)
	}
	passed, byState := g.passed(places), map[string]*alike{}
	var known []stage
	for i := len(g.seqs) - 1; i >= 0; i-- {
		r := g.answers[g.seqs[i]]
		now := state(r, places)
		if byState[now] == nil {
			byState[now] = g.alike(r, places, passed, c.transitions)
		}
		words := byState[now].words
		if k := byState[now].stage(r, places); !slices.ContainsFunc(known, k.same) {
			known = append(known, k)
		}
		s := &Stages{places: places, known: slices.Clip(known), seen: c.transitions, recorded: recorded,
			stations: c.stations}
		if c.onTheWay(words) || passed[now] && len(words) == 0 {
			s.known = append(s.known, c.others(words))
		}
		out[g.seqs[i]] = s
	}
}

// others is what may be in the place of a stage that is on the way: the words that an API goes on from, and those that
// most work ends with.
func (c *course) others(words stage) stage {
	k := stage{}
	for p := range words {
		for word := range c.words[p] {
			if c.leads(p, word) || c.mostEnds(p, word) {
				k[p] = append(k[p], Value{Place: p, JSON: word, Type: typeOf(word)})
			}
		}
	}
	return k
}

// tellers lists the places that tell how far an API is: those that change along trails, but for the ones that do so at
// the ends of these as well, and everywhere in values of one kind.
func (g *group) tellers(seen transitions) []exchange.Place {
	unseen := g.unseen()
	places := slices.DeleteFunc(g.telling(unseen), func(p exchange.Place) bool {
		return seen[p] != nil && !seen.enough(p) && !slices.Contains(unseen, p)
	})
	last := g.answers[g.seqs[len(g.seqs)-1]]
	passed := g.passed(places)
	if passed[state(last, places)] {
		return places
	}
	ends := g.alike(last, places, passed, seen).ends
	return slices.DeleteFunc(places, func(p exchange.Place) bool {
		raw, _ := compare.At(last, p)
		return seen[p] == nil && slices.ContainsFunc(ends, func(x look) bool {
			at, ok := compare.At(x.response, p)
			return ok && !x.assumed && !compare.Same(at, raw)
		}) && !agreed(p, raw, ends)
	})
}

// same reports whether two stages of one group are one.
func (k stage) same(other stage) bool {
	for p, values := range k {
		if !slices.Equal(values, other[p]) {
			return false
		}
	}
	return len(k) == len(other)
}

// alike are the answers of a group that are as far as a recorded one. They are the same for all that are recorded in
// one state.
type alike struct {
	words stage  // what is known of the stage by words alone
	looks []look // those that have that, but for such that reads went on from where they did not from the recorded one
	ends  []look // of these the ends of trails
	seen  map[valueKey][]Value
}

type valueKey struct {
	place   exchange.Place
	failure bool // failures are among them
}

func (g *group) alike(recorded *exchange.Response, places []exchange.Place, passed map[string]bool,
	seen transitions) *alike {
	a := &alike{words: seen.stage(places, recorded), seen: map[valueKey][]Value{}}
	own := passed[state(recorded, places)]
	for _, t := range g.trails {
		for i, x := range t.looks {
			if x.response.Status != recorded.Status || !a.words.fits(x.response) ||
				passed[state(x.response, places)] && !own {
				continue
			}
			a.looks = append(a.looks, x)
			if i == len(t.looks)-1 && !t.cut {
				a.ends = append(a.ends, x)
			}
		}
	}
	return a
}

// stage returns what is common to the answers that are as far as a recorded one.
func (a *alike) stage(recorded *exchange.Response, places []exchange.Place) stage {
	k := maps.Clone(a.words)
	for _, p := range places {
		if k[p] == nil {
			raw, _ := compare.At(recorded, p)
			k[p] = a.values(p, raw)
		}
	}
	return k
}

// values returns what answers of one stage have at a place that tells by no words of its own: the recorded value, where
// most ends agree on it; any word that was seen and does not name a failure, where the recorded one does not; or any
// value of the types that were seen.
func (a *alike) values(p exchange.Place, raw string) []Value {
	if agreed(p, raw, a.ends) {
		return []Value{{Place: p, JSON: raw, Type: typeOf(raw)}}
	}
	key := valueKey{p, namesFailure(raw)}
	out, known := a.seen[key]
	if known {
		return out
	}
	for _, x := range a.looks {
		at, _ := compare.At(x.response, p)
		v := Value{Place: p, JSON: wordOf(at), Type: typeOf(at)}
		if v.Type == Array {
			v.Least = min(lengthOf(at), 1)
		}
		if !slices.Contains(out, v) && len(out) < maxValues && (!namesFailure(v.JSON) || key.failure) {
			out = append(out, v)
		}
	}
	a.seen[key] = out
	return out
}

// agreed reports whether most ends that show a value have this scalar. An end that a replay waited for shows words
// alone.
func agreed(p exchange.Place, raw string, ends []look) bool {
	switch typeOf(raw) {
	case "", Null, Array, Object:
		return false
	}
	least, n, of := 1, 0, 0
	if !IsWord(raw) {
		least = minNumbers
	}
	for _, x := range ends {
		at, ok := compare.At(x.response, p)
		if x.assumed && !IsWord(at) {
			continue
		}
		of++
		if ok && compare.Same(at, raw) {
			n++
		}
	}
	return n >= least && n*100 >= of*Support
}

// wordOf returns a raw token that is a word, and "" of any other.
func wordOf(raw string) string {
	if IsWord(raw) {
		return raw
	}
	return ""
}
