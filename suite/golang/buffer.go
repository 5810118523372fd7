package golang

import (
	"go/types"

	"github.com/flaketap/flaketap/suite/expr"
)

// buffer is a *bytes.Buffer or a *strings.Builder, which a test fills with what it sends.
type buffer struct {
	text  value
	level int // how many conditions and loops it was made in
}

// encoder is a json.Encoder that writes to a buffer.
type encoder struct{ to *buffer }

func (*buffer) value() {}
func (encoder) value() {}

// newBuffer is an empty buffer.
func (r *follower) newBuffer() *buffer { return &buffer{str(""), r.cond} }

// add puts a text behind what a buffer holds.
func (r *follower) add(to *buffer, text value) {
	if r.cond > to.level {
		text = plain{x: expr.Unknown{What: "what is written under a condition"}, typ: types.Typ[types.String]}
	}
	to.text = bounded(added(to.text, text))
}

// forgetBuffers has buffers that are given to a function that is not known hold what is not known.
func forgetBuffers(given []value) {
	for _, v := range given {
		if b, ok := deref(v).(*buffer); ok {
			b.text = opaque{"a buffer that is handed on"}
		}
	}
}

// called is what a method of a buffer does; false where it is none that is known.
func (b *buffer) called(r *follower, name string, args []value) (value, bool) {
	switch {
	case name == "String" && len(args) == 0:
		return b.text, true
	case name == "WriteString" && len(args) == 1:
		r.add(b, args[0])
		return tuple{opaque{"a length"}, failure{}}, true
	}
	b.text = opaque{"a buffer"}
	return nil, false
}

// encode writes a value as JSON, with a line feed behind.
func (e encoder) encode(r *follower, v value) value {
	text, ok := jsonText(v)
	if !ok {
		e.to.text = opaque{"JSON that is not written out"}
		return failure{}
	}
	r.add(e.to, str(text+"\n"))
	return failure{}
}
