package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// Field is one header line: the name in the case it was sent in, and the value without the white space around it.
// A folded value (RFC 9112 §5.2) has each fold replaced by one space.
type Field struct {
	Name, Value string
}

// Fields is a header section in the order of the wire, duplicates included.
type Fields []Field

// Get returns the value of the first field of that name, in any case, and "" where there is none.
func (f Fields) Get(name string) string {
	for _, x := range f {
		if strings.EqualFold(x.Name, name) {
			return x.Value
		}
	}
	return ""
}

// Values returns the values of every field of that name, in any case, in wire order.
func (f Fields) Values(name string) []string {
	var out []string
	for _, x := range f {
		if strings.EqualFold(x.Name, name) {
			out = append(out, x.Value)
		}
	}
	return out
}

// Has reports whether a field of that name, in any case, is there.
func (f Fields) Has(name string) bool {
	for _, x := range f {
		if strings.EqualFold(x.Name, name) {
			return true
		}
	}
	return false
}

// HasToken reports whether a comma-separated list field (Connection, Transfer-Encoding) names the token, in any case.
func (f Fields) HasToken(name, token string) bool {
	for _, v := range f.Values(name) {
		for part := range strings.SplitSeq(v, ",") {
			if strings.EqualFold(strings.TrimSpace(part), token) {
				return true
			}
		}
	}
	return false
}

// Head is the parsed view of a start line and a header section.
type Head struct {
	Line   string // the start line without its line end
	Fields Fields
	Err    error // the first thing that could not be read; the rest is read all the same
}

// ParseHead reads a start line and its fields, with or without the blank line that ends them. It never fails: what it
// could not read is in Err, and lines that are no fields are left out of Fields.
func ParseHead(raw []byte) Head {
	var h Head
	raw = trimBlankLines(raw)
	line, rest := cutLine(raw)
	h.Line = string(line)
	h.Fields, h.Err = parseFields(rest)
	return h
}

// parseFields reads field lines up to a blank line or the end.
func parseFields(raw []byte) (Fields, error) {
	var (
		fields Fields
		first  error
	)
	for len(raw) > 0 {
		var line []byte
		line, raw = cutLine(raw)
		if len(line) == 0 {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			if len(fields) == 0 {
				first = keep(first, errors.New("header section begins with white space"))
				continue
			}
			last := &fields[len(fields)-1]
			last.Value = strings.TrimSpace(last.Value + " " + string(trimOWS(line)))
			continue
		}
		name, value, ok := bytes.Cut(line, []byte{':'})
		if !ok {
			first = keep(first, fmt.Errorf("header line without a colon: %.40q", line))
			continue
		}
		if !isToken(name) {
			first = keep(first, fmt.Errorf("header name is no token: %.40q", name))
		}
		fields = append(fields, Field{Name: string(name), Value: string(trimOWS(value))})
	}
	return fields, first
}

// RequestLine splits a request line (RFC 9112 §3). A target with raw spaces in it stays whole: the method ends at the
// first space and the version begins after the last. ok is false where the line has not these three parts.
func RequestLine(line string) (method, target, proto string, ok bool) {
	method, rest, found := strings.Cut(line, " ")
	if !found {
		return line, "", "", false
	}
	i := strings.LastIndexByte(rest, ' ')
	if i < 0 || !strings.HasPrefix(rest[i+1:], "HTTP/") {
		return method, rest, "", false
	}
	return method, rest[:i], rest[i+1:], method != "" && i > 0
}

// StatusLine splits a status line (RFC 9112 §4); reason may be empty. ok is false where there is no version or no
// three-digit code.
func StatusLine(line string) (proto string, status int, reason string, ok bool) {
	proto, rest, found := strings.Cut(line, " ")
	if !found || !strings.HasPrefix(proto, "HTTP/") {
		return "", 0, "", false
	}
	code, reason, _ := strings.Cut(rest, " ")
	if len(code) != 3 {
		return proto, 0, reason, false
	}
	for _, c := range []byte(code) {
		if c < '0' || c > '9' {
			return proto, 0, reason, false
		}
		status = status*10 + int(c-'0')
	}
	return proto, status, reason, true
}

// HeadEnd returns the number of bytes up to and including the blank line that ends a header section, or -1 while that
// line has not come yet. Empty lines before the start line belong to the head (RFC 9112 §2.2).
func HeadEnd(b []byte) int {
	start := len(b) - len(trimBlankLines(b))
	for i := start; i < len(b); {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 {
			return -1
		}
		if n == 0 || n == 1 && b[i] == '\r' {
			return i + n + 1
		}
		i += n + 1
	}
	return -1
}

// trimBlankLines cuts the empty lines off that may stand before a start line.
func trimBlankLines(b []byte) []byte {
	for {
		switch {
		case bytes.HasPrefix(b, []byte("\r\n")):
			b = b[2:]
		case bytes.HasPrefix(b, []byte("\n")):
			b = b[1:]
		default:
			return b
		}
	}
}

// cutLine splits the first line off, without its CRLF or LF.
func cutLine(b []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(b, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'}), rest
}

func trimOWS(b []byte) []byte { return bytes.Trim(b, " \t") }

// isToken reports whether b is a token of RFC 9110 §5.6.2.
func isToken(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	for _, c := range b {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return true
}

func keep(first, next error) error {
	if first != nil {
		return first
	}
	return next
}
