package formats

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// tnet is one value of a tnetstring, the form that mitmproxy writes: "3:abc," is the length of the text, the text, and
// its type. Lists and dictionaries are the concatenation of their members, so that what is not wanted is passed over
// without a look, whatever its depth.
type tnet struct {
	kind byte // , bytes  ; text  # integer  ^ float  ! boolean  ~ null  ] list  } dictionary
	text []byte
}

// maxLength is how many digits a length has at most, as in mitmproxy's own reader.
const maxLength = 12

// readTnet reads one value from a file into buf, which it returns, grown. The error at the end of the file is io.EOF,
// within a value io.ErrUnexpectedEOF. What is allocated follows what is there, not what the length says.
func readTnet(in *bufio.Reader, buf []byte, limit int) (v tnet, grown []byte, read int64, err error) {
	size, digits := 0, 0
	for {
		c, err := in.ReadByte()
		if err != nil {
			if err == io.EOF && digits > 0 {
				err = io.ErrUnexpectedEOF
			}
			return v, buf, read, err
		}
		read++
		if c == ':' && digits > 0 {
			break
		}
		if digits++; c < '0' || c > '9' || digits > maxLength {
			return v, buf, read, fmt.Errorf("found %q, want a length", c)
		}
		size = size*10 + int(c-'0')
	}
	if size > limit {
		return v, buf, read, fmt.Errorf("more than %d bytes in one flow", limit)
	}
	buf = buf[:0]
	for len(buf) <= size { // the type is the byte after the text
		step := min(size+1-len(buf), max(len(buf), readSize))
		if cap(buf)-len(buf) < step {
			buf = append(make([]byte, 0, len(buf)+step), buf...)
		}
		n, err := io.ReadFull(in, buf[len(buf):len(buf)+step])
		buf, read = buf[:len(buf)+n], read+int64(n)
		if err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return v, buf, read, err
		}
	}
	return tnet{kind: buf[size], text: buf[:size]}, buf, read, nil
}

// cutTnet takes the first value off b.
func cutTnet(b []byte) (v tnet, rest []byte, err error) {
	size := 0
	for i, c := range b {
		switch {
		case c >= '0' && c <= '9' && i < maxLength:
			size = size*10 + int(c-'0')
		case c == ':' && i > 0:
			b = b[i+1:]
			if size >= len(b) {
				return v, nil, fmt.Errorf("a value of %d bytes inside one of %d", size, len(b))
			}
			return tnet{kind: b[size], text: b[:size]}, b[size+1:], nil
		default:
			return v, nil, fmt.Errorf("found %q, want a length", c)
		}
	}
	return v, nil, errors.New("the data ends inside a length")
}

// members calls visit with each member of a dictionary. A value of another kind has none.
func (v tnet) members(visit func(key string, value tnet) error) error {
	if v.kind != '}' {
		return nil
	}
	for rest := v.text; len(rest) > 0; {
		key, after, err := cutTnet(rest)
		if err != nil {
			return err
		}
		value, after, err := cutTnet(after)
		if err != nil {
			return err
		}
		if err := visit(string(key.text), value); err != nil {
			return err
		}
		rest = after
	}
	return nil
}

// elements calls visit with each element of a list. A value of another kind has none.
func (v tnet) elements(visit func(tnet) error) error {
	if v.kind != ']' {
		return nil
	}
	for rest := v.text; len(rest) > 0; {
		value, after, err := cutTnet(rest)
		if err != nil {
			return err
		}
		if err := visit(value); err != nil {
			return err
		}
		rest = after
	}
	return nil
}

// number returns the value of an integer or a float; 0 for another.
func (v tnet) number() float64 {
	if v.kind != '#' && v.kind != '^' {
		return 0
	}
	f, _ := strconv.ParseFloat(string(v.text), 64)
	return f
}

func (v tnet) null() bool { return v.kind == '~' }
