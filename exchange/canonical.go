package exchange

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"mime"
	"slices"
	"strings"
)

// canonicalBody returns the media type without what varies from client to client, and the body in a form in which
// equal meanings have equal bytes: JSON compact with its keys sorted, forms with their pairs sorted, multipart with a
// fixed boundary, all else as it is.
func canonicalBody(contentType string, body []byte) (kind string, canonical []byte) {
	kind = mediaType(contentType)
	if len(body) == 0 {
		return kind, nil
	}
	switch {
	case kind == "application/json" || strings.HasSuffix(kind, "+json"):
		if c, ok := CanonicalJSON(body); ok {
			return kind, c
		}
	case kind == "application/x-www-form-urlencoded":
		return kind, []byte(sortedPairs(string(body)))
	case strings.HasPrefix(kind, "multipart/"):
		if _, params, _ := mime.ParseMediaType(contentType); params["boundary"] != "" {
			return kind, fixBoundary(body, params["boundary"])
		}
	}
	return kind, body
}

// sortedPairs sorts the pairs of a query or a form, as raw text: a=1&a=2 and a=2&a=1 are one request, a and a= are not.
func sortedPairs(query string) string {
	if !strings.Contains(query, "&") {
		return query
	}
	pairs := strings.Split(query, "&")
	slices.Sort(pairs)
	return strings.Join(pairs, "&")
}

// fixBoundary gives every delimiter line of a multipart body the boundary "boundary". Clients make boundaries up anew
// each time; what the parts hold stays as it is, even where it looks like one.
func fixBoundary(body []byte, boundary string) []byte {
	delimiter := []byte("\n--" + boundary)
	fixed := []byte("\n--boundary")
	out := make([]byte, 0, len(body)+len(fixed))
	if bytes.HasPrefix(body, delimiter[1:]) {
		out = append(out, fixed[1:]...)
		body = body[len(delimiter)-1:]
	}
	return append(out, bytes.ReplaceAll(body, delimiter, fixed)...)
}

// MediaType returns the media type that a Content-Type names, in lower case, without parameters.
func MediaType(contentType string) string { return mediaType(contentType) }

// mediaType returns a Content-Type without parameters, in lower case.
func mediaType(contentType string) string {
	t, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(t))
}

// CanonicalJSON returns JSON with its white space gone and the members of each object sorted by the tokens of their
// keys; numbers and strings stay the tokens they were, duplicate keys stay in their order, and so does an object in
// which a key is written with escapes: it may equal another that is not. ok is false where body is no JSON, or nested
// too deeply for encoding/json (10 000 levels), or of 2 GiB and more.
//
// It takes two passes. The first notes where each object and each of its members stands, the second writes them out in
// the new order. Every byte is so read and written once, however deep the objects lie; to sort each object after it was
// written would copy what lies within once for each level.
func CanonicalJSON(body []byte) (out []byte, ok bool) {
	if len(body) > math.MaxInt32 || !json.Valid(body) {
		return nil, false
	}
	c := canonicalizer{src: body, out: make([]byte, 0, len(body)), tape: make([]mark, 0, min(len(body)/16, 1024))}
	c.scan(c.space(0))
	c.write(c.space(0), 0)
	return c.out, true
}

// canonicalizer holds what the two passes share. src is valid JSON: nothing in it is checked again.
type canonicalizer struct {
	src  []byte
	out  []byte
	tape []mark  // the objects of src and their members, in the order of src
	sort []int32 // the members of the objects that are being written, as indexes into tape: a stack
}

// mark is an object, or a member of one.
type mark struct {
	key, keyEnd int32 // where the token of a member's key stands
	value       int32 // where a member's value begins
	end         int32 // where an object ends
	// index in tape: a member's successor (0 for the last), or what follows all the marks of an object
	next int32
}

// space returns the index of the first byte at or after i that is no white space.
func (c *canonicalizer) space(i int32) int32 {
	for int(i) < len(c.src) && c.src[i] <= ' ' {
		i++
	}
	return i
}

// scalarEnd returns the index after the string, number or literal that begins at i.
func (c *canonicalizer) scalarEnd(i int32) int32 {
	if c.src[i] != '"' {
		for int(i) < len(c.src) && c.src[i] > ' ' && c.src[i] != ',' && c.src[i] != ']' && c.src[i] != '}' {
			i++
		}
		return i
	}
	for i++; c.src[i] != '"'; i++ {
		if c.src[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// scan is the first pass over the value that begins at i; it returns the index after it.
func (c *canonicalizer) scan(i int32) int32 {
	switch c.src[i] {
	case '[':
		for i = c.space(i + 1); c.src[i] != ']'; {
			if i = c.space(c.scan(i)); c.src[i] == ',' {
				i = c.space(i + 1)
			}
		}
		return i + 1
	case '{':
		return c.scanObject(i)
	default:
		return c.scalarEnd(i)
	}
}

func (c *canonicalizer) scanObject(i int32) int32 {
	object := len(c.tape)
	c.tape = append(c.tape, mark{})
	last := -1
	for i = c.space(i + 1); c.src[i] != '}'; {
		member := mark{key: i, keyEnd: c.scalarEnd(i)}
		i = c.space(member.keyEnd) // the colon
		member.value = c.space(i + 1)
		if last >= 0 {
			c.tape[last].next = int32(len(c.tape))
		}
		last = len(c.tape)
		c.tape = append(c.tape, member)
		if i = c.space(c.scan(member.value)); c.src[i] == ',' {
			i = c.space(i + 1)
		}
	}
	c.tape[object].end, c.tape[object].next = i+1, int32(len(c.tape))
	return i + 1
}

// write is the second pass: it writes the value that begins at i, whose marks begin at t in tape, and returns the
// indexes after both.
func (c *canonicalizer) write(i, t int32) (int32, int32) {
	switch c.src[i] {
	case '[':
		c.out = append(c.out, '[')
		for i = c.space(i + 1); c.src[i] != ']'; {
			i, t = c.write(i, t)
			if i = c.space(i); c.src[i] == ',' {
				c.out = append(c.out, ',')
				i = c.space(i + 1)
			}
		}
		c.out = append(c.out, ']')
		return i + 1, t
	case '{':
		c.writeObject(t)
		return c.tape[t].end, c.tape[t].next
	default:
		end := c.scalarEnd(i)
		c.out = append(c.out, c.src[i:end]...)
		return end, t
	}
}

func (c *canonicalizer) writeObject(t int32) {
	base := len(c.sort)
	escaped := false
	if c.tape[t].next > t+1 {
		for m := t + 1; m != 0; m = c.tape[m].next {
			c.sort = append(c.sort, m)
			escaped = escaped || bytes.IndexByte(c.key(m), '\\') >= 0
		}
	}
	members := c.sort[base:]
	if !escaped {
		// By position where the keys are equal, which makes the sort stable.
		slices.SortFunc(members, func(a, b int32) int { return cmp.Or(bytes.Compare(c.key(a), c.key(b)), cmp.Compare(a, b)) })
	}
	c.out = append(c.out, '{')
	for i, m := range members {
		if i > 0 {
			c.out = append(c.out, ',')
		}
		c.out = append(append(c.out, c.key(m)...), ':')
		c.write(c.tape[m].value, m+1)
	}
	c.out = append(c.out, '}')
	c.sort = c.sort[:base]
}

// key returns the token of the key of a member, by its index in tape.
func (c *canonicalizer) key(m int32) []byte { return c.src[c.tape[m].key:c.tape[m].keyEnd] }
