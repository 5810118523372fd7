package mutant

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
)

// Judgement is what is known of a place.
type Judgement struct {
	Volatile  bool // its value moves, or that of something it is a part of
	Unordered bool // an array whose elements come in any order
	Optional  bool // it is not always there
	Ignored   bool // nobody wants to know: it gets no mutants
	// Place names it together with others of its kind, with wildcards for keys that are made up anew in each answer; ""
	// where there is no such name.
	Place exchange.Place
}

// maxSites bounds how many places a survey remembers.
const maxSites = 200_000

// Survey gathers the places of answers. The zero value is ready.
type Survey struct {
	sites    map[site]*seen
	statuses map[exchange.Operation][]int
	sequel   // what needs to know which answer came before which
}

// site is one place in the answers of an operation that have one status.
type site struct {
	op     exchange.Operation
	status int
	place  exchange.Place
}

// seen is what a place held.
type seen struct {
	kinds    string // the first bytes of its tokens, each once: `"` for strings, a digit or - for numbers, t f n { [
	long     bool   // a string or array that can be cut in half
	length   int    // of its strings, in bytes; -1 where they differ in it, or are of several words
	shuffles bool   // an array whose order can be told
	text     bool   // a body that is no JSON
	size     int    // of its arrays, the most elements
	held     string // its first scalar but null, as a raw token; "" where that is long
	varied   bool   // it held others
	// what it repeats in every answer: a value of the request, or of an earlier answer; "" where it repeats none
	repeats string
	any     bool // it has held anything
}

// Add takes in one answer of an operation.
func (s *Survey) Add(op exchange.Operation, r *exchange.Response) {
	s.add(op, r, func(string) string { return "" })
}

// add is Add, where repeats says which value, if any, a raw token repeats.
func (s *Survey) add(op exchange.Operation, r *exchange.Response, repeats func(raw string) string) {
	if s.sites == nil {
		s.sites, s.statuses = map[site]*seen{}, map[exchange.Operation][]int{}
	}
	if !slices.Contains(s.statuses[op], r.Status) {
		s.statuses[op] = append(s.statuses[op], r.Status)
	}
	json := compare.IsJSON(r.MediaType())
	a := compare.Read(r, nil)
	empty := a.Size() == 0
	a.Each(func(general []byte, raw string) {
		if bytes.Contains(general, []byte("/@")) {
			if _, _, part := exchange.Place(general).Text(); part {
				return
			}
		}
		if raw == "" || bytes.Equal(general, []byte(exchange.PlaceReason)) ||
			empty && bytes.Equal(general, []byte(exchange.PlaceBody)) {
			return
		}
		at := site{op, r.Status, exchange.Place(general)}
		v := s.sites[at]
		if v == nil {
			if len(s.sites) >= maxSites {
				return
			}
			v = &seen{}
			s.sites[at] = v
		}
		v.add(raw)
		v.repeat(repeats(raw))
		v.text = v.text || at.place == exchange.PlaceBody && !json
	})
}

func (v *seen) add(raw string) {
	first := raw[:1]
	if first == "-" || first >= "0" && first <= "9" {
		first = "0"
	}
	if !strings.Contains(v.kinds, first) {
		v.kinds += first
	}
	v.hold(first, raw)
	switch {
	case first != `"`:
	case v.length == 0 && !strings.Contains(raw, " "):
		v.length = len(raw)
	case v.length != len(raw):
		v.length = -1
	}
	parts := [][]byte(nil)
	if first == "[" {
		parts = elements([]byte(raw))
		v.size = max(v.size, len(parts))
	}
	switch {
	case v.long && (v.shuffles || first != "["):
	case first == `"`:
		_, v.long = half([]byte(raw))
	case first == "[":
		v.long = v.long || len(parts) > 1
		v.shuffles = v.shuffles || len(parts) > 1 && !bytes.Equal(reverse([]byte(raw)), []byte(raw))
	}
}

// maxHeld bounds the tokens that are remembered, in bytes.
const maxHeld = 100

// hold remembers what the place holds.
func (v *seen) hold(first, raw string) {
	switch {
	case first == "[" || first == "{" || first == "n" || len(raw) > maxHeld || strings.Contains(raw, `\`):
		v.varied = v.varied || v.held != ""
	case v.held == "":
		v.held, v.varied = raw, v.any
	case v.held != raw:
		v.varied = true
	}
}

// repeat remembers what a value of the place repeats, as far as all do.
func (v *seen) repeat(what string) {
	if v.any && v.repeats != what {
		what = ""
	}
	v.repeats, v.any = what, true
}

// becomesOther reports whether an edit makes another value of what the place was first seen to hold.
func (v *seen) becomesOther(m Mutant, token func(Mutant, []byte) ([]byte, bool)) bool {
	if v.held == "" || v.text {
		return false
	}
	_, changed := token(m, []byte(v.held))
	return changed
}

// has reports whether the place was seen with a token of that kind.
func (v *seen) has(kind string) bool { return strings.ContainsAny(v.kinds, kind) }

// Mutants returns mutants of the given kinds, the most telling n of them, all where n is 0. judge says what is known of
// the places. Which ones are chosen follows from the seed and from what was gathered alone: the kinds, the stable and
// the volatile places and the operations come in turn, so that each has its share however few are wanted.
func (s *Survey) Mutants(kinds []Kind, n int, seed uint64, judge func(op exchange.Operation, status int,
	place exchange.Place) Judgement) []Mutant {
	var all []Mutant
	for at, p := range s.places(judge) {
		all = append(all, s.at(at, &p.seen, p.Judgement)...)
	}
	all = append(all, s.again(judge)...)
	all = slices.DeleteFunc(all, func(m Mutant) bool { return !slices.Contains(kinds, m.Kind) })
	chosen := choose(all, seed)
	if n > 0 && n < len(chosen) {
		chosen = chosen[:n]
	}
	return chosen
}

// judged is what a place held, with what is known of it.
type judged struct {
	seen
	Judgement
}

// places returns the places that get mutants, those of one name together.
func (s *Survey) places(judge func(op exchange.Operation, status int, place exchange.Place) Judgement) map[site]judged {
	out := map[site]judged{}
	for at, v := range s.sites {
		known := judge(at.op, at.status, at.place)
		if known.Ignored || excluded(at.place) {
			continue
		}
		at.place = cmp.Or(known.Place, at.place)
		p, there := out[at]
		if !there {
			p = judged{seen{length: v.length, repeats: v.repeats, held: v.held}, known}
		}
		p.merge(v)
		out[at] = p
	}
	return out
}

// merge takes in what another place of the same name held.
func (v *seen) merge(u *seen) {
	for _, kind := range strings.Split(u.kinds, "") {
		if !strings.Contains(v.kinds, kind) {
			v.kinds += kind
		}
	}
	if v.length != u.length {
		v.length = -1
	}
	v.long, v.shuffles, v.text = v.long || u.long, v.shuffles || u.shuffles, v.text || u.text
	v.size, v.varied = max(v.size, u.size), v.varied || u.varied || v.held != u.held
	v.held = max(v.held, u.held) // sites come in any order
	if v.repeats != u.repeats {
		v.repeats = ""
	}
}

// choose puts mutants in the order in which they are worth a run: one of each kind on stable and on volatile places in
// turn, and of each of these one of each operation before a second.
func choose(all []Mutant, seed uint64) []Mutant {
	type ranked struct {
		Mutant
		name string
		hash uint64
		of   uint64 // of its operation: one with many places is not more likely to come first
		rank int    // among those of its operation
	}
	type bucket struct {
		volatile bool
		kind     Kind
	}
	type at struct {
		bucket
		op exchange.Operation
	}
	list := make([]ranked, len(all))
	for i, m := range all {
		name := m.String()
		list[i] = ranked{m, name, hashed(seed, name), hashed(seed, string(m.Kind)+" "+m.Operation.String()), 0}
	}
	slices.SortFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash),
			cmp.Compare(a.name, b.name))
	})
	count := map[at]int{}
	for i := range list {
		m := &list[i]
		of := at{bucket{m.Volatile, m.Kind}, m.Operation}
		m.rank = count[of]
		count[of]++
	}
	slices.SortStableFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank),
			cmp.Compare(a.of, b.of))
	})
	turns := map[bucket]int{}
	for i := range list {
		m := &list[i]
		of := bucket{m.Volatile, m.Kind}
		m.rank = turns[of]
		turns[of]++
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	out := make([]Mutant, len(list))
	for i, r := range list {
		out[i] = r.Mutant
	}
	return out
}

func hashed(seed uint64, name string) uint64 {
	h := fnv.New64a()
	h.Write(binary.LittleEndian.AppendUint64(nil, seed))
	h.Write([]byte(name))
	x := h.Sum64()
	x ^= x >> 33 // FNV alone keeps names that end alike together
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

// at returns the mutants of one place.
func (s *Survey) at(at site, v *seen, known Judgement) []Mutant {
	m := Mutant{Operation: at.op, Status: at.status, Place: at.place, Volatile: known.Volatile, Varied: v.varied}
	if !exchange.Secret(at.place) {
		m.Held = v.held
	}
	if at.place == exchange.PlaceStatus {
		return s.otherStatuses(m)
	}
	var out []Mutant
	for _, f := range faults() {
		m.Kind, m.Way, m.Repeats = f.kind, f.way, ""
		if !f.breaks(m, v, known) {
			continue
		}
		m.Plausible = f.plausible && !(f.kind == Change && m.Volatile)
		if f.kind == Relation {
			m.Repeats = v.repeats
		}
		out = append(out, m)
	}
	return out
}

func last(p exchange.Place) string { return string(p[strings.LastIndexByte(string(p), '/')+1:]) }

// excluded reports whether a place is none of the API's: what frames the message and what belongs to the connection,
// the name of the software that serves it (Server, RFC 9110, 10.2.4), which no author of an API decides and each update
// changes, and the reason phrase.
func excluded(p exchange.Place) bool {
	if p.Root() != "header" {
		return p == exchange.PlaceReason
	}
	switch p {
	case "/header/date", "/header/age", "/header/connection", "/header/keep-alive", "/header/content-length",
		"/header/transfer-encoding",
		"/header/content-encoding", "/header/trailer", "/header/upgrade", "/header/proxy-connection", "/header/alt-svc",
		"/header/server":
		return true
	}
	return false
}
