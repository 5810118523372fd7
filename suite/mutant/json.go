package mutant

import (
	"bytes"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/jsontree"
)

// added is the member that objects get.
const added = `"flaketap":true`

// bounds takes whatever encoding/json takes: the recorder has bounded the body.
var bounds = jsontree.Bounds{Depth: 10_000, Values: 1 << 26}

// edited returns a JSON text with the values at one place edited; the text between them stays as it is. The segments
// are those of the place below the body, escaped. It returns false where edit changed nothing.
func edited(src []byte, segments []string, edit func(raw []byte) ([]byte, bool)) ([]byte, bool) {
	root, err := jsontree.Parse(string(src), bounds)
	if err != nil {
		return nil, false
	}
	e := editor{src: src, edit: edit}
	e.value(root, segments)
	return append(e.out, src[e.done:]...), e.changed
}

// editor edits the values at one place.
type editor struct {
	src     []byte
	edit    func(raw []byte) ([]byte, bool)
	out     []byte
	done    int // how much of src is in out
	changed bool
}

// value edits those parts of a value that the segments name. It goes down once for each segment.
func (e *editor) value(n *jsontree.Node, segments []string) {
	if len(segments) == 0 {
		if new, ok := e.edit(e.src[n.Start:n.End]); ok {
			e.out = append(append(e.out, e.src[e.done:n.Start]...), new...)
			e.done, e.changed = n.End, true
		}
		return
	}
	for i := range n.Children {
		if names(segments[0], n, i) {
			e.value(&n.Children[i], segments[1:])
		}
	}
}

// names reports whether a segment of a place, escaped, names the i-th member or element of a value.
func names(segment string, n *jsontree.Node, i int) bool {
	switch {
	case segment == exchange.Wildcard:
		return true
	case n.Kind == jsontree.Object:
		return exchange.Place("").Key(n.Keys[i].Text) == exchange.Place("/"+segment)
	}
	return exchange.Place("").Index(i) == exchange.Place("/"+segment)
}

// elements returns the members of a container, each with the white space around it; none for one that is empty, and for
// what is no container.
func elements(raw []byte) [][]byte {
	n, err := jsontree.Parse(string(raw), bounds)
	if err != nil {
		return nil
	}
	return membersOf(raw, n)
}

// membersOf is elements of a container that was parsed.
func membersOf(raw []byte, n *jsontree.Node) [][]byte {
	var out [][]byte
	begin := n.Start + 1
	for i := range n.Children {
		end := n.End - 1
		if i+1 < len(n.Children) {
			end = n.Children[i].End + bytes.IndexByte(raw[n.Children[i].End:], ',')
		}
		out = append(out, raw[begin:end])
		begin = end + 1
	}
	return out
}

// container returns a container like raw with other members.
func container(raw []byte, members [][]byte) []byte {
	out := append([]byte{raw[0]}, bytes.Join(members, []byte{','})...)
	return append(out, raw[len(raw)-1])
}

// without returns a container without the members that a segment, escaped, names: all of one key, or, of elements and
// of keys that are made up, the last.
func without(raw []byte, segment string) ([]byte, bool) {
	n, err := jsontree.Parse(string(raw), bounds)
	if err != nil || len(n.Children) == 0 {
		return nil, false
	}
	members := membersOf(raw, n)
	if n.Kind == jsontree.Array || segment == exchange.Wildcard {
		return container(raw, members[:len(members)-1]), true
	}
	var kept [][]byte
	for i, m := range members {
		if !names(segment, n, i) {
			kept = append(kept, m)
		}
	}
	return container(raw, kept), len(kept) < len(members)
}

// larger returns a container with one member more.
func larger(raw []byte) ([]byte, bool) {
	members := elements(raw)
	switch {
	case raw[0] == '{':
		return container(raw, append(members, []byte(added))), true
	case raw[0] != '[':
		return nil, false
	case len(members) == 0:
		return []byte("[0]"), true
	}
	return container(raw, append(members, members[len(members)-1])), true
}

// reverse returns an array with its elements in the other order; the white space around each stays where it is.
func reverse(raw []byte) []byte {
	members := elements(raw)
	out := make([][]byte, len(members))
	for i, m := range members {
		space := bytes.TrimSpace(m)
		at := bytes.Index(m, space)
		other := bytes.TrimSpace(members[len(members)-1-i])
		out[i] = slices.Concat(m[:at], other, m[at+len(space):])
	}
	if len(members) == 0 {
		return raw
	}
	return container(raw, out)
}
