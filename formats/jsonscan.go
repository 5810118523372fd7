package formats

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// The bounds of what is read of JSON.
const (
	maxJSONDepth = 1000
	maxJSONName  = 64 << 10 // bytes of a name of a member
)

// jsonScan walks through JSON of any size, some times faster than the tokens of encoding/json: it finds where values
// end, and looks into those only that are asked for. What it passes over need be no good JSON, so long as quotes and
// brackets match. It is a reader of its own because the files of other tools may be larger than memory and come from
// pipes: package jsontree has a text as a whole, checks it before it walks, and keeps what it reads.
type jsonScan struct {
	in     *bufio.Reader
	offset int64 // bytes read
	line   int   // newlines read between values, and 1
	buf    []byte
}

// peek passes over white space and returns the byte after it, which is not read yet.
func (j *jsonScan) peek() (byte, error) {
	for {
		c, err := j.in.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case '\n':
			j.line++
		case ' ', '\t', '\r':
		default:
			return c, j.in.UnreadByte()
		}
		j.offset++
	}
}

// expect reads the byte c.
func (j *jsonScan) expect(c byte) error {
	got, err := j.peek()
	if err != nil {
		return err
	}
	if got != c {
		return fmt.Errorf("found %q, want %q", got, c)
	}
	j.offset++
	_, err = j.in.ReadByte()
	return err
}

// members reads an object and calls member with each name; member must read the value.
func (j *jsonScan) members(member func(name string) error) error {
	if err := j.expect('{'); err != nil {
		return err
	}
	if c, err := j.peek(); err != nil || c == '}' {
		return errors.Join(err, j.expect('}'))
	}
	for {
		if c, err := j.peek(); err != nil {
			return err
		} else if c != '"' {
			return fmt.Errorf("found %q, want a name", c)
		}
		name, err := j.name()
		if err != nil {
			return err
		}
		if err := j.expect(':'); err != nil {
			return err
		}
		if err := member(name); err != nil {
			return err
		}
		c, err := j.peek()
		if err != nil {
			return err
		}
		if c == '}' {
			return j.expect('}')
		}
		if err := j.expect(','); err != nil {
			return err
		}
	}
}

// name reads the name of a member.
func (j *jsonScan) name() (string, error) {
	raw, err := j.value(maxJSONName)
	if err != nil {
		return "", err
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), nil
	}
	var name string
	err = json.Unmarshal(raw, &name)
	return name, err
}

// skip passes over a value.
func (j *jsonScan) skip() error { return j.walk(nil) }

// value returns the text of the value that comes next, of limit bytes at most; it is valid until the next call.
func (j *jsonScan) value(limit int) ([]byte, error) {
	j.buf = j.buf[:0]
	err := j.walk(func(part []byte) error {
		if len(j.buf)+len(part) > limit {
			return fmt.Errorf("more than %d bytes in one piece", limit)
		}
		j.buf = append(j.buf, part...)
		return nil
	})
	return j.buf, err
}

// walk reads a value and calls take, which may be nil, with each part of its text.
func (j *jsonScan) walk(take func([]byte) error) error {
	if _, err := j.peek(); err != nil {
		return err
	}
	var w jsonWalk
	for {
		if _, err := j.in.Peek(1); err != nil {
			if err == io.EOF && w.bare {
				return nil // a number at the end of the file
			}
			return err
		}
		part, _ := j.in.Peek(j.in.Buffered())
		n, done, err := w.part(part)
		if err == nil && take != nil {
			err = take(part[:n])
		}
		j.offset += int64(n)
		if _, e := j.in.Discard(n); err == nil {
			err = e
		}
		if done || err != nil {
			return err
		}
	}
}

// jsonWalk is where in a value the walk is.
type jsonWalk struct {
	depth           int
	quoted, escaped bool
	bare            bool // within a number, true, false or null that stands for itself
}

// part goes on with a part of the text and returns how much of it belongs to the value, and whether it ends there.
func (w *jsonWalk) part(text []byte) (n int, done bool, err error) {
	for i := 0; i < len(text); i++ {
		if w.quoted {
			if i += w.rest(text[i:]); w.quoted {
				return len(text), false, nil
			}
			if w.depth == 0 {
				return i, true, nil
			}
			i--
			continue
		}
		switch c := text[i]; c {
		case '"':
			if w.bare {
				return i, true, nil
			}
			w.quoted = true
		case '{', '[':
			if w.bare {
				return i, true, nil
			}
			if w.depth++; w.depth > maxJSONDepth {
				return i, false, fmt.Errorf("nested more than %d deep", maxJSONDepth)
			}
		case '}', ']':
			if w.bare {
				return i, true, nil
			}
			if w.depth--; w.depth < 0 {
				return i, false, fmt.Errorf("found %q, want a value", c)
			}
			if w.depth == 0 {
				return i + 1, true, nil
			}
		case ',', ':', ' ', '\t', '\n', '\r':
			if w.bare {
				return i, true, nil
			}
			if w.depth == 0 {
				return i, false, fmt.Errorf("found %q, want a value", c)
			}
		default:
			w.bare = w.bare || w.depth == 0
		}
	}
	return len(text), false, nil
}

// rest passes over the rest of a string, or as much of it as there is, and returns how much that is.
func (w *jsonWalk) rest(text []byte) int {
	for i := 0; i < len(text); i++ {
		if w.escaped {
			w.escaped = false
			continue
		}
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			n = len(text) - i
		}
		if escape := bytes.IndexByte(text[i:i+n], '\\'); escape >= 0 {
			i += escape
			w.escaped = true
			continue
		}
		if i += n; i < len(text) {
			w.quoted = false
			return i + 1
		}
	}
	return len(text)
}
