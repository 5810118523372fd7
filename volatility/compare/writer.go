package compare

import "strings"

// writer writes the JSON of a view. Its calls are nested as the values are: a member is begun with key, an element with
// next.
type writer struct {
	strings.Builder
	some bool // the container that is open has something in it
}

func (w *writer) open(c byte) {
	w.WriteByte(c)
	w.some = false
}

func (w *writer) end(c byte) {
	w.WriteByte(c)
	w.some = true
}

// next begins another element of an array.
func (w *writer) next() {
	if w.some {
		w.WriteByte(',')
	}
	w.some = true
}

// key begins another member of an object.
func (w *writer) key(name string) {
	w.next()
	w.string(name)
	w.WriteByte(':')
}

// string writes a text as a value.
func (w *writer) string(s string) {
	w.WriteString(quote(s))
	w.some = true
}

// raw writes a value that is JSON already.
func (w *writer) raw(json string) {
	w.WriteString(json)
	w.some = true
}

// member writes a member that is a text.
func (w *writer) member(name, value string) {
	w.key(name)
	w.string(value)
}
