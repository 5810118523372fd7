package align

import (
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
)

// Track is one side of an alignment: of each exchange what [Tracks] looks at, in a few hundred bytes whatever the
// size of the messages. The zero value is an empty one.
type Track struct {
	steps      []trackStep
	routes     []route
	known      map[string]int32 // routes by their key
	words      map[string]bool  // values that are words, beside those of paths
	outliner   flow.Outliner
	ended      time.Time
	concurrent bool // some exchange began before an earlier one had its answer
}

// trackStep is one exchange of a track.
type trackStep struct {
	exact  exchange.Fingerprint
	seq    uint64
	route  int32
	thread flow.Thread
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
	s := trackStep{exact: exchange.Exact(e), seq: e.Seq, route: t.route(e), thread: flow.ThreadOf(e)}
	sites := message.SitesOutsideHeader(&e.Request)
	for _, v := range sites[:min(len(sites), maxAlignedValues)] {
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

// hash returns a number for a text that is the same in each run of the program.
func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s)) // never fails
	return h.Sum64()
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
