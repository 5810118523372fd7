package mutant

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/flaketap/flaketap/exchange"
)

// added is the member that objects get.
const added = `"flaketap":true`

// editor goes through a valid JSON text and edits the values at one place. The text between them is copied.
type editor struct {
	src     []byte
	edit    func(raw []byte) ([]byte, bool)
	out     []byte
	done    int // how much of src is in out
	changed bool
}

// value goes to the value that begins at i, and edits those of its parts that the segments of a place, escaped, name. It
// returns where the value ends. It goes down once for each segment.
func (e *editor) value(i int, segments []string) (end int) {
	if len(segments) == 0 {
		end = skipValue(e.src, i)
		if new, ok := e.edit(e.src[i:end]); ok {
			e.out = append(append(e.out, e.src[e.done:i]...), new...)
			e.done, e.changed = end, true
		}
		return end
	}
	opener := e.src[i]
	if opener != '{' && opener != '[' {
		return skipValue(e.src, i)
	}
	i = skipSpace(e.src, i+1)
	for n := 0; e.src[i] != '}' && e.src[i] != ']'; n++ {
		here := segments[0] == exchange.Wildcard
		if opener == '{' {
			stop := skipValue(e.src, i)
			here = here || isKey(e.src[i:stop], segments[0])
			i = skipSpace(e.src, skipSpace(e.src, stop)+1) // behind the colon
		} else if !here {
			here = exchange.Place("").Index(n) == exchange.Place("/"+segments[0])
		}
		if here {
			i = e.value(i, segments[1:])
		} else {
			i = skipValue(e.src, i)
		}
		if i = skipSpace(e.src, i); e.src[i] == ',' {
			i = skipSpace(e.src, i+1)
		}
	}
	return i + 1
}

// isKey reports whether a raw key is the one that a segment of a place, escaped, names.
func isKey(raw []byte, segment string) bool {
	key := string(raw[1 : len(raw)-1])
	if bytes.IndexByte(raw, '\\') >= 0 && json.Unmarshal(raw, &key) != nil {
		return false
	}
	return exchange.Place("").Key(key) == exchange.Place("/"+segment)
}

// skipSpace returns the index of the first byte at or after i that is no white space.
func skipSpace(src []byte, i int) int {
	for i < len(src) && (src[i] == ' ' || src[i] == '\t' || src[i] == '\n' || src[i] == '\r') {
		i++
	}
	return i
}

// skipValue returns the end of the value that begins at i, in a valid text.
func skipValue(src []byte, i int) int {
	depth := 0
	for ; i < len(src); i++ {
		switch src[i] {
		case '"':
			for i++; i < len(src) && src[i] != '"'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		case ',', ':', ' ', '\t', '\n', '\r':
			continue // within a container, or else never reached
		default:
			for i+1 < len(src) && !bytes.ContainsRune([]byte(",:]} \t\n\r"), rune(src[i+1])) {
				i++
			}
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(src)
}

// elements returns the members of a container, each with the white space around it; none for one that is empty, and for
// what is no container.
func elements(raw []byte) [][]byte {
	if len(raw) < 2 || raw[0] != '{' && raw[0] != '[' || skipSpace(raw, 1) == len(raw)-1 {
		return nil
	}
	var out [][]byte
	begin := 1
	for i := 1; i < len(raw)-1; {
		switch raw[i] {
		case ',':
			out = append(out, raw[begin:i])
			i++
			begin = i
		case ':', ' ', '\t', '\n', '\r':
			i++
		default:
			i = skipValue(raw, i)
		}
	}
	return append(out, raw[begin:len(raw)-1])
}

// container returns a container like raw with other members.
func container(raw []byte, members [][]byte) []byte {
	out := append([]byte{raw[0]}, bytes.Join(members, []byte{','})...)
	return append(out, raw[len(raw)-1])
}

// without returns a container without the members that a segment, escaped, names: all of one key, or, of elements and of keys
// that are made up, the last.
func without(raw []byte, segment string) ([]byte, bool) {
	members := elements(raw)
	switch {
	case len(members) == 0:
		return nil, false
	case raw[0] == '[' || segment == exchange.Wildcard:
		return container(raw, members[:len(members)-1]), true
	}
	kept := slices.DeleteFunc(slices.Clone(members), func(m []byte) bool {
		i := skipSpace(m, 0)
		return isKey(m[i:skipValue(m, i)], segment)
	})
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
