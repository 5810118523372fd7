package mutant

import (
	"bytes"

	"github.com/flaketap/flaketap/internal/jsontree"
)

// Element takes the first element out of a list, has it there once more, or has other values in it. Of several lists at
// one place the first is meant.
const Element Kind = "element"

// element changes one element of a list, and leaves the others.
func element() []fault {
	one := func(way string, least int, does func(members [][]byte) [][]byte) fault {
		return fault{
			kind: Element, way: way, once: true, plausible: true,
			breaks: func(m Mutant, v *seen, _ Judgement) bool { return inBody(m) && !v.text && v.size >= least },
			token: func(_ Mutant, raw []byte) ([]byte, bool) {
				members := elements(raw)
				if raw[0] != '[' || len(members) < least {
					return nil, false
				}
				return container(raw, does(members)), true
			},
			tells: func(m Mutant) string { return m.unlessVolatile("which elements the list holds, and how many") },
		}
	}
	return []fault{
		one("removed", 2, func(members [][]byte) [][]byte { return members[1:] }),
		one("doubled", 2, func(members [][]byte) [][]byte { return append([][]byte{members[0]}, members...) }),
		one("replaced", 1, func(members [][]byte) [][]byte {
			return append([][]byte{otherElement(members[0])}, members[1:]...)
		}),
	}
}

// otherElement returns an element like another, in which every value that stands in it directly is another one.
func otherElement(raw []byte) []byte {
	n, err := jsontree.Parse(string(raw), bounds)
	if err != nil {
		return raw
	}
	value := bytes.TrimSpace(raw)
	if n.Kind != jsontree.Object {
		return otherScalar(value)
	}
	var out []byte
	done := 0
	for i := range n.Children {
		c := &n.Children[i]
		if c.Kind == jsontree.Object || c.Kind == jsontree.Array {
			continue
		}
		out = append(append(out, raw[done:c.Start]...), otherScalar(raw[c.Start:c.End])...)
		done = c.End
	}
	if done == 0 {
		return []byte("{}")
	}
	return append(out, raw[done:]...)
}

// otherScalar returns another value of the type of a raw token; of what holds others an empty one, of null a number.
func otherScalar(raw []byte) []byte {
	if out, ok := (Mutant{}).otherToken(raw); ok {
		return out
	}
	switch raw[0] {
	case '[':
		return []byte("[[]]")
	case '{':
		return []byte("{}")
	}
	return []byte("0")
}
