package flow

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
)

// Track is one side of an alignment: of each exchange what [AlignTracks] looks at, in a few hundred bytes whatever the
// size of the messages. The zero value is an empty one.
type Track struct {
	steps      []trackStep
	routes     []route
	known      map[string]int32 // routes by their key
	words      map[string]bool  // values that are words, beside those of paths
	outliner   Outliner
	ended      time.Time
	concurrent bool // some exchange began before an earlier one had its answer
}

// trackStep is one exchange of a track.
type trackStep struct {
	exact  exchange.Fingerprint
	seq    uint64
	route  int32
	thread thread
	values []valueAt
}

// valueAt is a place of a request and the value there, as hashes: of the place, and of both.
type valueAt struct{ place, both uint64 }

// route is what the exchanges of a track have in common that differ in nothing but their ids.
type route struct {
	segments []string // of the path, ids as idSegment; nil where there is none
	outline  *exchange.Exchange
}

// idSegment stands for every segment that looks like an id.
const idSegment = "0"

// maxAlignedValues bounds the values of one request that an alignment looks at.
const maxAlignedValues = 48

// Add takes the next exchange of the side.
func (t *Track) Add(e *exchange.Exchange) {
	s := trackStep{exact: exchange.Exact(e), seq: e.Seq, route: t.route(e), thread: threadOf(e)}
	for _, v := range message.Sites(&e.Request) {
		if root := v.Place.Root(); root == "header" || root == "cookie" || len(s.values) == maxAlignedValues {
			continue
		}
		s.values = append(s.values, valueAt{hash(string(v.Place)), hash(string(v.Place) + "=" + v.Value)})
		if v.Form != message.InPath && words.LooksLikeWord(v.Value) {
			t.word(v.Value)
		}
	}
	t.steps = append(t.steps, s)
	if !e.Start.IsZero() {
		t.concurrent = t.concurrent || e.Start.Before(t.ended)
		if end := e.Start.Add(e.Latency); end.After(t.ended) {
			t.ended = end
		}
	}
}

// maxWords bounds the words that are remembered.
const maxWords = 1 << 16

func (t *Track) word(s string) {
	if t.words == nil {
		t.words = map[string]bool{}
	}
	if len(t.words) < maxWords && !t.words[s] {
		t.words[strings.Clone(s)] = true
	}
}

// Len returns the number of exchanges that were added.
func (t *Track) Len() int { return len(t.steps) }

// Seq returns the position of the i-th exchange that was added.
func (t *Track) Seq(i int) uint64 { return t.steps[i].seq }

// route returns the number of an exchange's route.
func (t *Track) route(e *exchange.Exchange) int32 {
	outline := t.outliner.Outline(e)
	segments := slices.Clone(message.PathSegments(&e.Request))
	for i, s := range segments {
		if s != "" && words.LooksLikeID(message.UnescapePath(s)) {
			segments[i] = idSegment
		} else {
			segments[i] = strings.Clone(s)
		}
	}
	if segments != nil {
		outline.Request.Target = "/" + strings.Join(segments, "/")
	}
	status := 0
	var shape string
	if r := outline.Response; r != nil {
		status, shape = r.Status, string(r.Body)
	}
	key := outline.Request.Method + " " + outline.Request.Target + " " + shape +
		string(binary.BigEndian.AppendUint32(nil, uint32(status)))
	if n, ok := t.known[key]; ok {
		return n
	}
	if t.known == nil {
		t.known = map[string]int32{}
	}
	outline.Request.Target = strings.Clone(outline.Request.Target)
	n := int32(len(t.routes))
	t.known[key] = n
	t.routes = append(t.routes, route{segments, outline})
	return n
}

// side is a track as numbers: equal numbers in exact are equal fingerprints; in alike the same operation; in masked
// besides the same values, but for those that one side alone has.
type side struct{ exact, masked, alike []int32 }

// pick returns what a side has at some positions.
func (s side) pick(at []int) side {
	var out side
	for _, i := range at {
		out.exact, out.masked, out.alike = append(out.exact, s.exact[i]), append(out.masked, s.masked[i]), append(out.alike,
			s.alike[i])
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
	ops := make([]exchange.Operation, len(all))
	templates(outlines, nil, ops)
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
