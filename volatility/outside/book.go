package outside

import (
	"bytes"
	"hash/maphash"
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
	seed   maphash.Seed
	values map[at][]value
	names  map[string]int // numbers names from 1
	echoes map[int]bool   // the names of values that the API had sent itself
	led    map[int]bool   // the runs in which services were asked anything
	count  int
}

// at is an exchange of the recording, of run 0, or its counterpart in a run.
type at struct {
	seq uint64
	run int
}

// value is one that a service answered. Of several by one name it is all of them.
type value struct {
	name   int
	digest uint64
	text   string // of one alone; "" where it is none that could be told
}

// Add adds what a service was asked for an exchange in a run, 0 for the recording, and what it answered. path names the
// path that was asked for, without what differs from request to request.
func (b *Book) Add(seq uint64, run int, x *exchange.External, path string) {
	if b.values == nil {
		b.seed, b.values, b.names = maphash.MakeSeed(), map[at][]value{}, map[string]int{}
		b.echoes, b.led = map[int]bool{}, map[int]bool{}
	}
	b.led[run] = true
	base := x.Service() + path
	sent, _ := x.Request.Payload()
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
		echo := bytes.Contains(sent, []byte(text)) || strings.Contains(x.Request.Target, text)
		b.add(at{seq, run}, name, text, echo && len(text) >= minEcho)
	})
}

// add adds one value.
func (b *Book) add(to at, name, text string, echo bool) {
	number := b.names[name]
	if number == 0 {
		number = len(b.names) + 1
		b.names[name] = number
	}
	if echo {
		b.echoes[number] = true
	}
	digest := maphash.String(b.seed, text)
	all := b.values[to]
	if i := slices.IndexFunc(all, func(v value) bool { return v.name == number }); i >= 0 {
		all[i].digest, all[i].text = digest^(all[i].digest*31+1), ""
		return
	}
	const most = 200 // bytes of a value that another may equal
	if len(text) > most {
		text = ""
	}
	b.values[to] = append(all, value{number, digest, strings.Clone(text)})
	b.count++
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
	for _, v := range was {
		h := held{name: v.name, moved: true, absent: true, before: v.text}
		if i := slices.IndexFunc(is, func(x value) bool { return x.name == v.name }); i >= 0 {
			h.moved, h.absent, h.after = is[i].digest != v.digest, false, is[i].text
		}
		out = append(out, h)
	}
	for _, v := range is {
		if !slices.ContainsFunc(was, func(x value) bool { return x.name == v.name }) {
			out = append(out, held{name: v.name, moved: true, absent: true, after: v.text})
		}
	}
	return out
}
