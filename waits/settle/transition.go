package settle

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
)

// token is what a value says of a stage: a word itself; of anything else its type, and whether an array is empty; ""
// where nothing is there.
func token(raw string) string {
	switch kind := typeOf(raw); {
	case IsWord(raw):
		return raw
	case kind == Array && lengthOf(raw) == 0:
		return "[]"
	default:
		return string(kind)
	}
}

// transition is one token that gave way to another one while the same was read again.
type transition struct{ from, to string }

// transitions are those that trails have, by place.
type transitions map[exchange.Place]*changes

// changes are the transitions of one place.
type changes struct {
	seen map[transition]bool
	runs map[int]bool // executions in which there were any
}

// enoughRuns is how many executions must show that a place changes while the same is read again, before that tells
// something: in one, a value that is drawn for each answer may do so.
const enoughRuns = 2

// maxTransitions bounds the places of a group, and the transitions of a place, that are remembered.
const maxTransitions = 256

func (t transitions) add(run int, p exchange.Place, from, to string) {
	c := t[p]
	if from == to || c == nil && len(t) >= maxTransitions {
		return
	}
	if c == nil {
		c = &changes{map[transition]bool{}, map[int]bool{}}
		t[p] = c
	}
	if len(c.seen) < maxTransitions {
		c.seen[transition{from, to}], c.runs[run] = true, true
	}
}

// has reports whether a token gave way to another one at a place.
func (t transitions) has(p exchange.Place, from, to string) bool {
	return t[p] != nil && t[p].seen[transition{from, to}]
}

// enough reports whether a place was seen to change in enough executions.
func (t transitions) enough(p exchange.Place) bool {
	return t[p] != nil && len(t[p].runs) >= enoughRuns
}

// tell reports whether a token says how far an API is: it gave way to another one, or another one to it, and not both.
// What goes back and forth moves by itself.
func (t transitions) tell(p exchange.Place, token string) bool {
	if !t.enough(p) {
		return false
	}
	told := false
	for x := range t[p].seen {
		if x.from != token && x.to != token {
			continue
		}
		if t.has(p, x.to, x.from) {
			return false
		}
		told = true
	}
	return told
}

// leads reports whether something was seen to go on from a token, and not back to it.
func (t transitions) leads(p exchange.Place, token string) bool {
	if !t.tell(p, token) {
		return false
	}
	for x := range t[p].seen {
		if x.from == token {
			return true
		}
	}
	return false
}

// betweenWords reports whether a word gave way to another one at a place.
func (t transitions) betweenWords(p exchange.Place) bool {
	if t[p] == nil {
		return false
	}
	for x := range t[p].seen {
		if IsWord(x.from) && IsWord(x.to) {
			return true
		}
	}
	return false
}

// follow takes in those that a trail has, by general places.
func (t transitions) follow(way *trail) {
	for d := range way.differences {
		if d.Kind != compare.Reordered {
			t.add(way.run, d.General, token(d.Before), token(d.After))
		}
	}
}

// stage returns what is known of the stage of an answer by words alone: those that gave way to others, or others to
// them.
func (t transitions) stage(places []exchange.Place, r *exchange.Response) stage {
	k := stage{}
	for _, p := range places {
		if raw, _ := compare.At(r, p); t.betweenWords(p) && t.tell(p, token(raw)) {
			k[p] = []Value{{Place: p, JSON: wordOf(raw), Type: typeOf(raw)}}
		}
	}
	return k
}

// onTheWay reports whether an API was seen to go on from the words of a stage.
func (t transitions) onTheWay(words stage) bool {
	for p, v := range words {
		if t.leads(p, v[0].JSON) {
			return true
		}
	}
	return false
}

// course is how an API goes on with what it does after a write: what all reads of one operation show of that.
type course struct {
	transitions
	words map[exchange.Place]map[string]int // how many trails ended with a word from which none was seen to go on
	ended map[exchange.Place]int            // how many ended with any such word
	// by the place of an object, its members that tell by words
	stations map[exchange.Place][]string
}

func courseOf(all []*group) *course {
	c := &course{transitions: transitions{}, words: map[exchange.Place]map[string]int{}, ended: map[exchange.Place]int{},
		stations: map[exchange.Place][]string{}}
	for _, g := range all {
		for _, t := range g.trails {
			c.follow(t)
		}
	}
	for p := range c.transitions {
		if c.betweenWords(p) {
			c.count(p, all)
		}
	}
	return c
}

// count takes in the words of a place.
func (c *course) count(p exchange.Place, all []*group) {
	if name := p.Segments(); len(name) > 1 {
		c.stations[p.Parent()] = append(c.stations[p.Parent()], name[len(name)-1])
	}
	words := map[string]int{}
	c.words[p] = words
	for x := range c.transitions[p].seen {
		for _, word := range []string{x.from, x.to} {
			if IsWord(word) {
				words[word] = 0
			}
		}
	}
	for _, g := range all {
		for _, t := range g.trails {
			if raw, ok := compare.At(t.last().response, p); ok && !t.cut && IsWord(raw) && !c.leads(p, raw) {
				words[raw]++
				c.ended[p]++
			}
		}
	}
}

// mostEnds reports whether most trails that came to an end did so with a word.
func (c *course) mostEnds(p exchange.Place, word string) bool {
	n := c.words[p][word]
	return n > 0 && n*100 >= c.ended[p]*Support
}
