package script

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// JSONKind is what a value of a JSON file is.
type JSONKind uint8

const (
	JSONScalar JSONKind = iota // a number, true, false or null
	JSONString
	JSONArray
	JSONObject
)

// JSONValue is a value of a JSON file, and where it stands.
type JSONValue struct {
	Kind    JSONKind
	Text    string // of a scalar as written, of a string its value
	Raw     []int  // of a string: where each byte of the value begins in the file, and where the last one ends
	keys    []string
	members []*JSONValue
	Start   int // its bytes, quotes included
	End     int
}

// At returns a member of an object; nil where there is none.
func (v *JSONValue) At(path ...string) *JSONValue {
	for _, key := range path {
		if v == nil || v.Kind != JSONObject {
			return nil
		}
		var found *JSONValue
		for i, k := range v.keys {
			if k == key {
				found = v.members[i]
			}
		}
		v = found
	}
	return v
}

// String returns the value of a string; "" for anything else.
func (v *JSONValue) String() string {
	if v == nil || v.Kind != JSONString {
		return ""
	}
	return v.Text
}

// Elements lists the elements of an array.
func (v *JSONValue) Elements() []*JSONValue {
	if v == nil || v.Kind != JSONArray {
		return nil
	}
	return v.members
}

// jsonReader reads a JSON file with the places of its values.
type jsonReader struct {
	file string
	src  string
	pos  int
}

// ParseJSONFile reads a file that is one JSON value. The error is a *SyntaxError.
func ParseJSONFile(file, src string) (*JSONValue, error) {
	r := &jsonReader{file: file, src: src}
	v, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if r.blanks(); r.pos < len(src) {
		return nil, r.errorf("something stands behind the JSON value")
	}
	return v, nil
}

// ReadJSONValue reads the JSON value that a file goes on with at a byte. The error is a *SyntaxError.
func ReadJSONValue(file, src string, at int) (*JSONValue, error) {
	return (&jsonReader{file: file, src: src, pos: at}).value(0)
}

func (r *jsonReader) errorf(format string, args ...any) error {
	before := r.src[:min(r.pos, len(r.src))]
	line := 1 + strings.Count(before, "\n") + strings.Count(strings.ReplaceAll(before, "\r\n", ""), "\r")
	return &SyntaxError{File: r.file, Line: line, Reason: fmt.Sprintf(format, args...)}
}

func (r *jsonReader) blanks() {
	for r.pos < len(r.src) && strings.IndexByte(" \t\r\n", r.src[r.pos]) >= 0 {
		r.pos++
	}
}

func (r *jsonReader) value(depth int) (*JSONValue, error) {
	if r.blanks(); r.pos == len(r.src) {
		return nil, r.errorf("the file ends too early")
	}
	if depth > MaxDepth {
		return nil, r.errorf("values nest too deeply")
	}
	v := &JSONValue{Start: r.pos}
	var err error
	switch c := r.src[r.pos]; c {
	case '"':
		v.Kind = JSONString
		err = r.str(v)
	case '[', '{':
		err = r.list(v, c, depth)
	default:
		for r.pos < len(r.src) && (IsNameByte(r.src[r.pos]) || strings.IndexByte("+-.", r.src[r.pos]) >= 0) {
			r.pos++
		}
		v.Text = r.src[v.Start:r.pos]
		if v.Text == "" || !strings.ContainsAny(v.Text[:1], "-0123456789tfn") {
			return nil, r.errorf("no JSON value begins with %q", c)
		}
	}
	v.End = r.pos
	return v, err
}

// list reads an array or an object.
func (r *jsonReader) list(v *JSONValue, open byte, depth int) error {
	v.Kind = JSONArray
	closing := byte(']')
	if open == '{' {
		v.Kind, closing = JSONObject, '}'
	}
	r.pos++
	for first := true; ; first = false {
		r.blanks()
		switch {
		case r.pos == len(r.src):
			r.pos = v.Start
			return r.errorf("%q is never closed", open)
		case r.src[r.pos] == closing:
			r.pos++
			return nil
		case !first && r.src[r.pos] != ',':
			return r.errorf("%q stands where a comma is wanted", r.src[r.pos])
		case !first:
			r.pos++
			r.blanks()
		}
		if v.Kind == JSONObject {
			key := &JSONValue{Start: r.pos}
			if r.pos == len(r.src) || r.src[r.pos] != '"' {
				return r.errorf("a name in quotes is wanted")
			}
			if err := r.str(key); err != nil {
				return err
			}
			if r.blanks(); r.pos == len(r.src) || r.src[r.pos] != ':' {
				return r.errorf("a colon is wanted")
			}
			r.pos++
			v.keys = append(v.keys, key.Text)
		}
		e, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		v.members = append(v.members, e)
	}
}

// str reads a string.
func (r *jsonReader) str(v *JSONValue) error {
	var b strings.Builder
	put := func(at int, s string) {
		for range len(s) {
			v.Raw = append(v.Raw, at)
		}
		b.WriteString(s)
	}
	for r.pos++; ; {
		if r.pos == len(r.src) || r.src[r.pos] < ' ' {
			return r.errorf("a string is not closed on its line")
		}
		at := r.pos
		switch c := r.src[r.pos]; c {
		case '"':
			v.Raw = append(v.Raw, at)
			v.Text = b.String()
			r.pos++
			return nil
		case '\\':
			text, err := r.escape()
			if err != nil {
				return err
			}
			put(at, text)
		default:
			put(at, r.src[at:at+1])
			r.pos++
		}
	}
}

// escape reads one escape, or the two that make one character.
func (r *jsonReader) escape() (string, error) {
	if r.pos+1 == len(r.src) {
		return "", r.errorf("a string is never closed")
	}
	c := r.src[r.pos+1]
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		r.pos += 2
		return "\"\\/\b\f\n\r\t"[i : i+1], nil
	}
	unit := func(at int) (rune, bool) {
		if at+6 > len(r.src) || r.src[at:at+2] != `\u` {
			return 0, false
		}
		n, err := strconv.ParseUint(r.src[at+2:at+6], 16, 16)
		return rune(n), err == nil
	}
	first, ok := unit(r.pos)
	if !ok {
		return "", r.errorf("an escape that is none")
	}
	if second, ok := unit(r.pos + 6); ok {
		if whole := utf16.DecodeRune(first, second); whole != utf8.RuneError {
			r.pos += 12
			return string(whole), nil
		}
	}
	r.pos += 6
	return string(first), nil
}
