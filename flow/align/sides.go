package align

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
)

// side is a track as numbers: equal numbers in exact are equal fingerprints; in alike the same operation; in masked
// besides the same values, but for those that one side alone has.
type side struct {
	exact, masked, alike []int32
	reads                []bool // it is a safe request: who waits for something asks for it so
}

// pick returns what a side has at some positions.
func (s side) pick(at []int) side {
	var out side
	for _, i := range at {
		out.exact, out.masked, out.alike = append(out.exact, s.exact[i]), append(out.masked, s.masked[i]), append(out.alike,
			s.alike[i])
		out.reads = append(out.reads, s.reads[i])
	}
	return out
}

// numberer numbers keys in the order in which they come.
type numberer[K comparable] map[K]int32

func (n numberer[K]) of(key K) int32 {
	id, known := n[key]
	if !known {
		id = int32(len(n))
		n[key] = id
	}
	return id
}

// sides numbers two tracks.
func sides(recorded, run *Track) (a, b side) {
	exact, masked := numberer[exchange.Fingerprint]{}, numberer[uint64]{}
	both := [2]*Track{recorded, run}
	shared := sharedValues(recorded, run)
	alike := operationIDs(recorded, run)
	out := [2]side{}
	var key []byte
	for n, t := range both {
		for i := range t.steps {
			s := &t.steps[i]
			key = binary.BigEndian.AppendUint32(key[:0], uint32(alike[n][s.route]))
			for _, v := range s.values {
				if shared(v) {
					key = binary.BigEndian.AppendUint64(key, v.both)
				} else {
					key = binary.BigEndian.AppendUint64(key, v.place)
				}
			}
			out[n].exact = append(out[n].exact, exact.of(s.exact))
			out[n].masked = append(out[n].masked, masked.of(hash(string(key))))
			out[n].alike = append(out[n].alike, alike[n][s.route])
			out[n].reads = append(out[n].reads, t.routes[s.route].outline.Request.Safe())
		}
	}
	return out[0], out[1]
}

// sharedValues returns what tells whether both sides hold a value equally often at a place. One that they do not was
// made up for one of the runs, or is of those that come in any number.
func sharedValues(recorded, run *Track) func(valueAt) bool {
	var all [2][]uint64
	for n, t := range [2]*Track{recorded, run} {
		for i := range t.steps {
			for _, v := range t.steps[i].values {
				all[n] = append(all[n], v.both)
			}
		}
		slices.Sort(all[n])
	}
	shared := all[0][:0]
	for a, b := all[0], all[1]; len(a) > 0 && len(b) > 0; {
		n, m := repeated(a), repeated(b)
		switch c := cmp.Compare(a[0], b[0]); {
		case c < 0:
			m = 0
		case c > 0:
			n = 0
		case n == m:
			shared = append(shared, a[0])
		}
		a, b = a[n:], b[m:]
	}
	return func(v valueAt) bool {
		_, ok := slices.BinarySearch(shared, v.both)
		return ok
	}
}

// repeated returns how often a sorted list has its first value.
func repeated(list []uint64) int {
	n := 1
	for n < len(list) && list[n] == list[0] {
		n++
	}
	return n
}

// operationIDs numbers the routes of both tracks by operation: by the templates made over all of them together, and by
// their paths without the segments that were made up for one side.
func operationIDs(recorded, run *Track) [2][]int32 {
	all := slices.Concat(recorded.routes, run.routes)
	outlines := make([]*exchange.Exchange, len(all))
	for i, r := range all {
		outlines[i] = r.outline
	}
	ops := flow.Templates(outlines)
	groups := make(groups, len(all))
	for i := range groups {
		groups[i] = int32(i)
	}
	byOperation, byPath := map[exchange.Operation]int{}, map[string]int{}
	made := madeSegments(recorded, run)
	for i, r := range all {
		if first, ok := byOperation[ops[i]]; ok {
			groups.join(first, i)
		} else {
			byOperation[ops[i]] = i
		}
		path := made(r)
		if first, ok := byPath[path]; ok {
			groups.join(first, i)
		} else {
			byPath[path] = i
		}
	}
	for i := range groups {
		groups[i] = groups.of(int32(i))
	}
	return [2][]int32{groups[:len(recorded.routes)], groups[len(recorded.routes):]}
}

// groups joins numbers: each points to another of its group, the first to itself.
type groups []int32

func (g groups) of(i int32) int32 {
	for g[i] != i {
		g[i] = g[g[i]]
		i = g[i]
	}
	return i
}

func (g groups) join(i, j int) {
	a, b := g.of(int32(i)), g.of(int32(j))
	g[max(a, b)] = min(a, b)
}

// madeSegments returns what writes the path of a route without the segments that were made up: those that one side
// alone has in that place, and that are no word, or stand as a value in a request of that side too. The first segment
// never is.
func madeSegments(recorded, run *Track) func(route) string {
	type at struct {
		index   int
		segment string
	}
	var segments [2]map[at]bool
	for n, t := range [2]*Track{recorded, run} {
		segments[n] = map[at]bool{}
		for _, r := range t.routes {
			for i, s := range r.segments {
				segments[n][at{i, s}] = true
			}
		}
	}
	return func(r route) string {
		var b strings.Builder
		b.WriteString(r.outline.Request.Method)
		for i, s := range r.segments {
			made := false
			if one, other := segments[0][at{i, s}], segments[1][at{i, s}]; i > 0 && one != other {
				own := recorded.words
				if other {
					own = run.words
				}
				text := message.UnescapePath(s)
				made = !words.LooksLikeWord(text) || own[text]
			}
			b.WriteByte('/')
			if made {
				s = "{}"
			}
			b.WriteString(s)
		}
		if r.segments == nil {
			b.WriteString(" " + r.outline.Request.Target)
		}
		return b.String()
	}
}
