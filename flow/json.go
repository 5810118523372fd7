package flow

import (
	"bytes"
	"encoding/json"

	"github.com/flaketap/flaketap/exchange"
)

// maxDepth bounds the nesting of JSON that is looked into; encoding/json itself stops at 10 000 levels.
const maxDepth = 512

// maxScalars bounds how many values of one body are looked at, so that one huge list cannot fill the index.
const maxScalars = 1 << 14

// maxBody bounds, in bytes, the bodies that are looked into.
const maxBody = 8 << 20

// step is one level of a JSON path: a member's key, or an index where key is nil.
type step struct {
	key   *string
	index int
}

// scalars walks over a JSON text and calls visit for each string and number in it, with the path to it and the bytes
// [start, end) that it is written as. It visits nothing where src is no JSON text.
func scalars(src []byte, visit func(path []step, start, end int)) {
	if len(src) == 0 || len(src) > maxBody || !json.Valid(src) {
		return
	}
	w := walker{src: src, visit: visit}
	w.value()
}

// walker holds the state of one walk over a text that is known to be valid.
type walker struct {
	src   []byte
	pos   int
	path  []step
	count int
	keys  map[string]*string // by token: the elements of a list have the same ones
	visit func(path []step, start, end int)
}

// value goes over one value; it returns false where the walk has to end.
func (w *walker) value() bool {
	w.space()
	switch c := w.peek(); c {
	case '{', '[':
		return w.container(c)
	case '"':
		start := w.pos
		w.str()
		return w.found(start)
	case 't', 'f', 'n', 0:
		for c := w.peek(); c >= 'a' && c <= 'z'; c = w.peek() {
			w.pos++
		}
		return true
	default:
		start := w.pos
		for c := w.peek(); c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+' || c|0x20 == 'e'; c = w.peek() {
			w.pos++
		}
		return w.pos > start && w.found(start)
	}
}

func (w *walker) found(start int) bool {
	w.count++
	w.visit(w.path, start, w.pos)
	return w.count < maxScalars
}

// container goes over an object or an array.
func (w *walker) container(open byte) bool {
	if len(w.path) >= maxDepth {
		return false
	}
	w.pos++
	w.path = append(w.path, step{})
	top := len(w.path) - 1
	for i := 0; ; i++ {
		w.space()
		switch w.peek() {
		case '}', ']':
			w.pos++
			w.path = w.path[:top]
			return true
		case ',':
			w.pos++
			w.space()
		case 0:
			return false
		}
		w.path[top] = step{index: i}
		if open == '{' {
			start := w.pos
			w.str()
			w.path[top].key = w.key(w.src[start:w.pos])
			w.space()
			w.pos++ // the colon
		}
		if !w.value() {
			return false
		}
	}
}

// key returns the key that a token is, one and the same for equal tokens.
func (w *walker) key(token []byte) *string {
	if known, ok := w.keys[string(token)]; ok {
		return known
	}
	if w.keys == nil {
		w.keys = make(map[string]*string)
	}
	key := unquote(token)
	w.keys[string(token)] = &key
	return &key
}

// str moves past a string.
func (w *walker) str() {
	for w.pos++; w.pos < len(w.src); w.pos++ {
		switch w.src[w.pos] {
		case '\\':
			w.pos++
		case '"':
			w.pos++
			return
		}
	}
}

func (w *walker) space() {
	for w.pos < len(w.src) {
		switch w.src[w.pos] {
		case ' ', '\t', '\r', '\n':
			w.pos++
		default:
			return
		}
	}
}

// peek returns the next byte, 0 at the end.
func (w *walker) peek() byte {
	if w.pos >= len(w.src) {
		return 0
	}
	return w.src[w.pos]
}

// unquote returns the text of a scalar token: a string without quotes and escapes, a number as it is written.
func unquote(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return string(raw)
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw[1 : len(raw)-1])
	}
	return s
}

// quote returns a JSON string token for s, with nothing escaped that need not be.
func quote(s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return []byte(`""`)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

// placeOf returns the place of a JSON path within the text at p.
func placeOf(p exchange.Place, path []step) exchange.Place {
	for _, s := range path {
		if s.key != nil {
			p = p.Key(*s.key)
		} else {
			p = p.Index(s.index)
		}
	}
	return p
}

// lastKey returns the key of the innermost member of a path and that of the member around it; array indexes in
// between count for nothing. Either is "" where there is none.
func lastKey(path []step) (key, parent string) {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i].key == nil {
			continue
		}
		if key == "" {
			key = *path[i].key
			continue
		}
		return key, *path[i].key
	}
	return key, ""
}

// jsonNumber reports whether s is a number in JSON's own grammar.
func jsonNumber(s string) bool {
	if s == "" || s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return false
	}
	return json.Valid([]byte(s))
}
