package volatility

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/notation"
)

// maxMaps bounds the objects of one operation whose keys are found to be data.
const maxMaps = 64

// joinDataKeys finds the objects whose keys are made up for each answer, such as sessions by their id, and puts one
// place, with a wildcard for the key, where those of the keys seen were: tomorrow's are others.
func joinDataKeys(_ *judge, d *operationDraft) {
	d.from.joinDataKeys()
	if d.from.asRecorded != nil {
		d.from.asRecorded.joinDataKeys()
	}
}

func (o *operation) joinDataKeys() {
	for range maxMaps {
		parent, made := o.nextMap()
		if parent == "" {
			return
		}
		o.fold(parent, made)
	}
}

// nextMap returns the outermost object that has keys made up for each answer, and which keys are; "" where there is
// none left.
func (o *operation) nextMap() (found exchange.Place, made func(key string) bool) {
	moving, members := make(map[exchange.Place][]*fieldStats), make(map[exchange.Place]int)
	for _, t := range o.places {
		members[t.place.Parent()]++
		above := o.places[string(t.place.Parent())]
		comes := t.kinds.added+t.kinds.removed > 0 || above != nil && t.recorded > 0 && t.recorded < above.recorded
		if comes && t.place.Within(exchange.PlaceBody) && !strings.HasSuffix(string(t.place), "/"+exchange.Wildcard) {
			parent := t.place.Parent()
			moving[parent] = append(moving[parent], t)
		}
	}
	for parent, coming := range moving {
		above := o.places[string(parent)]
		if above == nil || !above.values.types[notation.Object] {
			continue
		}
		own := madeUp(coming, members[parent])
		if own != nil && (found == "" || cmp.Or(cmp.Compare(len(parent), len(found)), cmp.Compare(parent, found)) < 0) {
			found, made = parent, own
		}
	}
	return found, made
}

// minMade is how many made-up keys an object has to have where all that is known is that answers have others of them.
const minMade = 3

// madeUp returns what tells a key that is data, where some of the keys of members that come and go are: some of them no
// recorded answer had, or each answer has some of its own and there are no others, all in all of the given number. It
// returns nil where none are. One in a few of those drawn letter by letter has too few digits to look it: it is taken
// for one by its length, where others show it.
func madeUp(coming []*fieldStats, all int) func(key string) bool {
	alike, long := make(map[string]int), make(map[int]int)
	for _, t := range coming {
		k := key(t.place)
		alike[digitless(k)]++
		if len(k) >= notation.MinWord && notation.ShapesOf(k)&notation.GeneratedShapes != 0 {
			long[len(k)]++
		}
	}
	made := func(k string) bool {
		return strings.ContainsAny(k, "0123456789") && alike[digitless(k)] > 1 ||
			notation.ShapesOf(k)&notation.GeneratedShapes != 0 ||
			long[len(k)] >= minMade && notation.IsToken(k)
	}
	keys, came := 0, 0
	for _, t := range coming {
		if !made(key(t.place)) {
			continue
		}
		keys++
		if t.recorded == 0 {
			came++
		}
	}
	if keys >= 2 && came > 0 || keys >= minMade && keys == all {
		return made
	}
	return nil
}

func key(place exchange.Place) string {
	segments := place.Segments()
	return segments[len(segments)-1]
}

// digitless returns a word with each of its digits as 0.
func digitless(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, s)
}

// fold joins what was counted of the members of an object whose keys are data, and of what is within them. Those under
// keys that somebody chose stay apart.
func (o *operation) fold(parent exchange.Place, made func(key string) bool) {
	above, mixed := o.places[string(parent)], false
	for _, name := range slices.Sorted(maps.Keys(o.places)) {
		rest, within := strings.CutPrefix(name, string(parent)+"/")
		segment, rest, deeper := strings.Cut(rest, "/")
		if !within {
			continue
		}
		if segment != exchange.Wildcard && !made(key(exchange.Place("/"+segment))) {
			mixed = true
			continue
		}
		place := parent.Each()
		if deeper {
			place += exchange.Place("/" + rest)
		}
		t := o.places[name]
		joined := o.places[string(place)]
		if joined == t {
			continue
		}
		if joined == nil {
			joined = &fieldStats{place: place}
			joined.values.hosts = o.hosts
			o.places[string(place)] = joined
		}
		joined.absorb(t)
		joined.of, joined.recorded = min(joined.of, above.of), min(joined.recorded, above.recorded)
		joined.changed = min(joined.changed, joined.of)
		joined.keys.any = !deeper
		delete(o.places, name)
	}
	for _, t := range o.places {
		t.keys.besideChosen = t.keys.besideChosen || mixed && t.place.Within(parent.Each())
	}
}

// absorb adds what was seen of another place, as if it had been seen of this one.
func (t *fieldStats) absorb(u *fieldStats) {
	t.values.absorb(&u.values)
	t.recorded += u.recorded
	t.of += u.of
	t.changed += u.changed
	u.endStep()
	t.dispersion.Absorb(u.dispersion)
	t.repeats.absorb(u.repeats)
	for run, n := range u.byRun {
		t.countIn(run, n)
	}
	t.kinds.absorb(u.kinds)
	t.runs.absorb(u.runs)
	t.clock.absorb(u.clock)
	t.elapsed.within += u.elapsed.within
	t.elapsed.beyond += u.elapsed.beyond
	t.network.absorb(u.network)
	t.text.within += u.text.within
	if u.links.echo.any {
		t.links.echo.narrow(u.links.echo.list)
	}
	if u.links.bound.any {
		t.links.bound.narrow(u.links.bound.list)
	}
	if u.links.made.any {
		t.links.made.narrow(u.links.made.list)
	}
	if u.links.inText.any {
		t.links.inText.narrow(u.links.inText.list)
	}
	t.trend.falls = true // of members of many keys nothing is the next
	t.digest.absorb(u.digest)
	t.order.Absorb(u.order)
	t.progress.Absorb(u.progress)
	t.links.things.own += u.links.things.own
	t.links.things.others += u.links.things.others
	t.repetitions = repetitions{t.repetitions.pairs + u.repetitions.pairs, t.repetitions.differ + u.repetitions.differ,
		t.repetitions.random + u.repetitions.random}
	for fp := range u.moved {
		t.remember(fp)
	}
}

func (v *values) absorb(u *values) {
	n, filled := v.n+u.n, v.filled+u.filled
	if u.template != nil {
		v.learn()
	}
	for _, raw := range slices.Concat(u.distinct, u.long) {
		v.add(notation.ScalarOf(raw))
	}
	for k, seen := range u.types {
		v.types[k] = v.types[k] || seen
	}
	v.n, v.filled = n, filled
	for _, size := range u.sizes {
		v.addSizes([2]int{size, size})
	}
	if !u.overflow {
		return
	}
	v.overflow, v.merges = true, maxMerges+1
	v.drawn = append(v.drawn, u.drawn[:min(len(u.drawn), maxReservoir-len(v.drawn))]...)
	if u.strings > 0 {
		v.shapes &= u.shapes
		v.chance.Absorb(u.chance)
		v.strings += u.strings
		v.spelling = &notation.Spelling{} // not all strings were kept
		v.spelling.GiveUp()
		v.minLen, v.maxLen = min(v.minLen, u.minLen), max(v.maxLen, u.maxLen)
	}
	if u.numbers > 0 {
		v.addNumber(u.minRaw)
		v.addNumber(u.maxRaw)
		v.coarse = v.coarse || u.coarse
	}
}

func (k *changeKinds) absorb(u changeKinds) {
	k.value += u.value
	k.retyped += u.retyped
	k.added += u.added
	k.removed += u.removed
	k.reordered += u.reordered
	k.resized += u.resized
	k.notation += u.notation
	k.shuffled += u.shuffled
	k.null += u.null
	k.sameSet += u.sameSet
	k.more += u.more
}

func (p *runPattern) absorb(u runPattern) {
	p.jitter += u.jitter
	p.drift += u.drift
	p.continued += u.continued
	p.single += u.single
	p.inRow += u.inRow
	p.returns += u.returns
	p.rising += u.rising
	p.sinking += u.sinking
	p.wavering += u.wavering
}

func (c *clockStats) absorb(u clockStats) {
	c.read += u.read
	c.unread += u.unread
	c.follows += u.follows
	c.strays += u.strays
	c.near += u.near
	c.session += u.session
	c.date += u.date
	c.repeatsCreated += u.repeatsCreated
	c.absorbNear(u)
	c.counts += u.counts
	c.inText += u.inText
	c.daily += u.daily
	c.unzoned += u.unzoned
	c.unit = max(c.unit, u.unit)
	c.farthest = max(c.farthest, u.farthest)
	for i, n := range u.lasts {
		c.lasts[i] += n
	}
	c.lastTried += u.lastTried
	c.steady.Absorb(u.steady)
}

func (n *addressStats) absorb(u addressStats) {
	n.host += u.host
	n.noHost += u.noHost
	n.hostMoves += u.hostMoves
	n.otherMoves += u.otherMoves
	n.dialed += u.dialed
	n.port += u.port
	n.noPort += u.noPort
	n.environment = cmp.Or(n.environment, u.environment)
}
