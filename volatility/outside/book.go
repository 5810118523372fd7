package outside

import (
	"bytes"
	"hash/maphash"
	"index/suffixarray"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/notation"
)

const (
	// maxNames bounds how many values of one operation are told apart, by their names.
	maxNames = 1000
	// maxValues bounds how many values of all are held.
	maxValues = 4_000_000
	// minEcho is how long a value is at least that is looked for in the request to the service.
	minEcho = 3
)

// Book holds what services answered, by the exchange that asked. The zero Book is empty, and so is a nil one.
type Book struct {
	seed    maphash.Seed
	values  map[at]map[int]value // by the numbers of their names
	numbers map[string]int
	names   []string     // by number
	echoes  map[int]bool // the names of values that the API had sent itself
	led     map[int]bool // the runs in which services were asked anything
	count   int
}

// at is an exchange of the recording, of run 0, or its counterpart in a run.
type at struct {
	seq uint64
	run int
}

// value is one that a service answered. Of several by one name it is all of them.
type value struct {
	digest uint64
	text   string // of one alone; "" where it is none that could be told
}

// Add adds what a service was asked for an exchange in a run, 0 for the recording, and what it answered. path names the
// path that was asked for, without what differs from request to request.
func (b *Book) Add(seq uint64, run int, x *exchange.External, path string) {
	if b.values == nil {
		b.seed, b.values, b.numbers = maphash.MakeSeed(), map[at]map[int]value{}, map[string]int{}
		b.echoes, b.led = map[int]bool{}, map[int]bool{}
	}
	b.led[run] = true
	base := x.Service() + path
	sent, _ := x.Request.Payload()
	body, target := sentText{text: sent}, sentText{text: []byte(x.Request.Target)}
	compare.Read(x.Response, x.Fault).Each(func(general []byte, raw string) {
		place := exchange.Place(general)
		name, told := "", place != exchange.PlaceReason
		switch place.Root() {
		case "status":
			name = base + "#status"
		case "body":
			name = base + "#" + strings.TrimPrefix(string(place), "/body")
		default:
			told = false
		}
		v := notation.ScalarOf(raw)
		if !told || v.Kind >= notation.Array || b.count >= maxValues {
			return
		}
		text := v.Plain()
		number := b.add(at{seq, run}, name, text)
		if len(text) >= minEcho && (body.has(text) || target.has(text)) {
			b.echoes[number] = true
		}
	})
}

// sentText is a text of the request, in which values of the answer are looked for: there may be as many of these as it
// has bytes.
type sentText struct {
	text  []byte
	asked int
	index *suffixarray.Index // nil while few were looked for, as it takes longer to make
}

// has reports whether a value stands in the text.
func (s *sentText) has(value string) bool {
	const few = 100
	if s.asked++; s.asked <= few {
		return bytes.Contains(s.text, []byte(value))
	}
	if s.index == nil {
		s.index = suffixarray.New(s.text)
	}
	return s.index.Lookup([]byte(value), 1) != nil
}

// add adds one value, and returns the number of its name.
func (b *Book) add(to at, name, text string) int {
	number, known := b.numbers[name]
	if !known {
		number = len(b.names)
		b.numbers[name], b.names = number, append(b.names, name)
	}
	digest := maphash.String(b.seed, text)
	all := b.values[to]
	if all == nil {
		all = map[int]value{}
		b.values[to] = all
	}
	if v, again := all[number]; again {
		all[number] = value{digest: digest ^ (v.digest*31 + 1)}
		return number
	}
	const most = 200 // bytes of a value that another may equal
	if len(text) > most {
		text = ""
	}
	all[number] = value{digest, strings.Clone(text)}
	b.count++
	return number
}

// Pair is what became of the values of one exchange, from the recording to a run.
type Pair []held

// held is a value in both.
type held struct {
	name          int
	moved         bool
	absent        bool // in one of them
	before, after string
}

// Pair returns it for an exchange; nil where services answered nothing for it, and where nothing is known of the run or
// the recording, as of an API whose connections were its own.
func (b *Book) Pair(seq uint64, run int) Pair {
	if b == nil || !b.led[0] || !b.led[run] {
		return nil
	}
	was, is := b.values[at{seq, 0}], b.values[at{seq, run}]
	var out Pair
	numbers := slices.AppendSeq(slices.Collect(maps.Keys(was)), maps.Keys(is))
	slices.Sort(numbers)
	for _, number := range slices.Compact(numbers) {
		before, recorded := was[number]
		after, observed := is[number]
		absent := !recorded || !observed
		out = append(out, held{name: number, moved: absent || before.digest != after.digest, absent: absent,
			before: before.text, after: after.text})
	}
	return out
}
