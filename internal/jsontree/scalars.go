package jsontree

import "encoding/json"

// The bounds of [Scalars].
const (
	// MaxScalars is how many values of one text are visited, so that one huge list cannot fill an index.
	MaxScalars = 1 << 14
	// MaxText is the largest text that is looked into, in bytes.
	MaxText = 8 << 20
	// MaxDepth is how deeply values may nest; encoding/json itself stops at 10 000 levels.
	MaxDepth = 512
)

// Step is one level of a path into a text: the key of a member, or an index where Key is nil.
type Step struct {
	Key   *string
	Index int
}

// Scalars walks over a JSON text and calls visit for each string and number in it, with the path to it and the bytes
// [start, end) that it is written as. The path is valid until visit returns; its keys stay. It visits nothing where src
// is no JSON text, or is larger than MaxText.
func Scalars(src []byte, visit func(path []Step, start, end int)) {
	if len(src) == 0 || len(src) > MaxText || !json.Valid(src) {
		return
	}
	w := walker{src: src, visit: visit}
	w.value()
}

// walker holds the state of one walk over a text that is known to be valid.
type walker struct {
	src   []byte
	pos   int
	path  []Step
	count int
	keys  map[string]*string // by token: the elements of a list have the same ones
	visit func(path []Step, start, end int)
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
	return w.count < MaxScalars
}

// container goes over an object or an array.
func (w *walker) container(open byte) bool {
	if len(w.path) >= MaxDepth {
		return false
	}
	w.pos++
	w.path = append(w.path, Step{})
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
		w.path[top] = Step{Index: i}
		if open == '{' {
			start := w.pos
			w.str()
			w.path[top].Key = w.key(w.src[start:w.pos])
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
	key := Unquote(token)
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
