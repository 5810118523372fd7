package flakycatch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"mime"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Pair is the recorded answer to a request of an operation, and the answer when it was sent again; Again is nil where
// there was none.
type Pair struct {
	Operation       exchange.Operation
	Recorded, Again *exchange.Response
}

// Verdict is what is said of one place in the answers of one operation with one recorded status.
type Verdict struct {
	Operation exchange.Operation
	Status    int
	Place     exchange.Place // arrays by index
	Volatile  bool
	Category  string // where Volatile is true: what a placeholder says, else Unk
}

// Judge judges pairs, and returns a verdict on every place that a recorded answer has, headers included, sorted. A
// place that is volatile in one answer is so in its operation.
func Judge(pairs []Pair) []Verdict {
	found := map[key]Verdict{}
	for _, p := range pairs {
		if p.Recorded == nil {
			continue
		}
		j := judge{key: key{p.Operation, p.Recorded.Status, ""}, found: found}
		j.pair(p)
	}
	return slices.SortedFunc(maps.Values(found), func(a, b Verdict) int {
		return cmp.Or(cmp.Compare(a.Operation.Template, b.Operation.Template),
			cmp.Compare(a.Operation.Method, b.Operation.Method),
			cmp.Compare(a.Status, b.Status), cmp.Compare(a.Place, b.Place))
	})
}

// key is what one verdict is about.
type key struct {
	operation exchange.Operation
	status    int
	place     exchange.Place
}

// judge judges one pair.
type judge struct {
	key
	found map[key]Verdict
}

// stays says that a place is there, and volatile that it moves.
func (j *judge) stays(place exchange.Place) { j.say(Verdict{Place: place}) }

func (j *judge) volatile(place exchange.Place, category string) {
	j.say(Verdict{Place: place, Volatile: true, Category: cmp.Or(category, "Unk")})
}

// say notes the verdict on a place, unless more is known of it.
func (j *judge) say(v Verdict) {
	k := j.key
	k.place = v.Place
	before := j.found[k]
	if before.Volatile && (!v.Volatile || v.Category == "Unk") {
		return
	}
	v.Operation, v.Status = k.operation, k.status
	j.found[k] = v
}

// other says what a recorded body is compared with.
type other int

const (
	again    other = iota // what was answered the second time
	inferred              // itself, with placeholders
)

func (j *judge) pair(p Pair) {
	j.stays(exchange.PlaceStatus)
	for _, f := range p.Recorded.Header {
		j.stays(exchange.HeaderPlace(f.Name))
	}
	body := payload(p.Recorded)
	if len(body) > 0 {
		j.body(body, body, again)
		j.body(body, mended(body), inferred)
	}
	if p.Again == nil {
		return
	}
	if p.Recorded.Status != p.Again.Status {
		j.volatile(exchange.PlaceStatus, "")
	}
	if bodyType(p.Recorded) != bodyType(p.Again) {
		j.volatile(exchange.HeaderPlace("Content-Type"), "")
	}
	if second := payload(p.Again); len(body) > 0 && len(second) > 0 {
		j.body(body, second, again)
	}
}

// payload returns a body without its codings; what cannot be read is as good as none.
func payload(r *exchange.Response) []byte {
	body, err := r.Payload()
	if err != nil {
		return nil
	}
	return body
}

// mended returns the body as inference leaves it.
func mended(body []byte) []byte {
	text := Infer(string(body))
	if tree(body) != nil {
		text = mend(text)
	}
	return []byte(text)
}

// bodyType returns the media type with its parameters, as the library that compares it writes it.
func bodyType(r *exchange.Response) string {
	raw := r.Header.Get("Content-Type")
	kind, params, err := mime.ParseMediaType(raw)
	if err != nil {
		return raw
	}
	return mime.FormatMediaType(kind, params)
}

// body compares a body with another text for it.
func (j *judge) body(recorded, text []byte, from other) {
	a := tree(recorded)
	if a == nil {
		j.stays(exchange.PlaceBody)
		if !bytes.Equal(recorded, text) {
			j.volatile(exchange.PlaceBody, categoryOf(string(text)))
		}
		return
	}
	b := tree(text)
	if b == nil { // what is no object and no array any more has no places to compare
		j.volatile(exchange.PlaceBody, "")
		return
	}
	j.compare(exchange.PlaceBody, a, b, from)
}

// tree reads a JSON object or array; nil for all else.
func tree(body []byte) any {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil
	}
	if _, err := d.Token(); err != io.EOF {
		return nil
	}
	switch v.(type) {
	case map[string]any, []any:
		return v
	}
	return nil
}

// compare walks through two trees, and says of each place of the first whether it stays.
func (j *judge) compare(at exchange.Place, a, b any, from other) {
	j.stays(at)
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			j.objects(at, x, y, from)
			return
		}
	case []any:
		if y, ok := b.([]any); ok {
			if len(x) != len(y) {
				j.volatile(at, "")
			}
			for i := range min(len(x), len(y)) {
				j.compare(at.Index(i), x[i], y[i], from)
			}
			return
		}
	default:
		if same(a, b) {
			return
		}
	}
	text, _ := b.(string)
	j.volatile(at, categoryOf(text))
}

// objects compares two objects by their keys. A key that inference took for a value is not there any more.
func (j *judge) objects(at exchange.Place, a, b map[string]any, from other) {
	for _, k := range slices.Sorted(maps.Keys(a)) {
		if v, ok := b[k]; ok {
			j.compare(at.Key(k), a[k], v, from)
			continue
		}
		category := ""
		if from == inferred {
			category = categoryOf(Infer(`"` + k + `"`))
		}
		j.volatile(at.Key(k), category)
	}
	for _, k := range slices.Sorted(maps.Keys(b)) {
		if _, ok := a[k]; !ok && from == again {
			j.volatile(at.Key(k), "")
		}
	}
}

// same compares two scalars: whole numbers exactly, others as the library does, which reads them as 64-bit floats, and
// a whole number is no other one.
func same(a, b any) bool {
	x, ok := a.(json.Number)
	y, ok2 := b.(json.Number)
	if !ok || !ok2 {
		return a == b
	}
	if whole(x) != whole(y) {
		return false
	}
	if whole(x) {
		return x == y
	}
	f, _ := strconv.ParseFloat(string(x), 64)
	g, _ := strconv.ParseFloat(string(y), 64)
	return f == g
}

func whole(n json.Number) bool { return !strings.ContainsAny(string(n), ".eE") }
