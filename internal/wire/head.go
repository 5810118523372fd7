package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// Field is one header line: the name in the case it was sent in (with the white space that some put before the colon),
// and the value without the white space around it. A folded value (RFC 9112 §5.2) has each fold replaced by one space.
type Field struct {
	Name, Value string
}

// Fields is a header section in the order of the wire, duplicates included. Look-ups ignore case, and white space
// between a name and its colon: RFC 9112 §5.1 wants it taken off responses, and servers that do not refuse it in
// requests ignore it.
type Fields []Field

// Get returns the value of the first field of that name, in any case, and "" where there is none.
func (f Fields) Get(name string) string {
	for _, x := range f {
		if x.named(name) {
			return x.Value
		}
	}
	return ""
}

// Values returns the values of every field of that name, in any case, in wire order.
func (f Fields) Values(name string) []string {
	var out []string
	for _, x := range f {
		if x.named(name) {
			out = append(out, x.Value)
		}
	}
	return out
}

// Has reports whether a field of that name, in any case, is there.
func (f Fields) Has(name string) bool {
	for _, x := range f {
		if x.named(name) {
			return true
		}
	}
	return false
}

// HasToken reports whether a comma-separated list field (Connection, Transfer-Encoding) names the token, in any case.
func (f Fields) HasToken(name, token string) bool {
	for _, x := range f {
		if !x.named(name) {
			continue
		}
		for part := range strings.SplitSeq(x.Value, ",") {
			if strings.EqualFold(trimOWS(part), token) {
				return true
			}
		}
	}
	return false
}

// named reports whether a field has a name, of letters of ASCII. Most fields are asked for many names and have none of
// them: their length tells.
func (x Field) named(name string) bool {
	n := len(name)
	if len(x.Name) < n || len(x.Name) > n && !isOWS(x.Name[n]) {
		return false
	}
	return strings.EqualFold(x.Name[:n], name) && trimOWS(x.Name[n:]) == ""
}

// Head is the parsed view of a start line and a header section.
type Head struct {
	Line   string // the start line without its line end
	Fields Fields
	Err    error // the first thing that could not be read; the rest is read all the same
}

// ParseHead reads a start line and its fields, with or without the blank line that ends them. It never fails: what it
// could not read is in Err, and lines that are no fields are left out of Fields. What follows the blank line is not
// looked at. The work is linear in the size of the head, whatever stands in it.
func ParseHead(raw []byte) Head {
	size := len(raw)
	raw = trimBlankLines(raw)
	var err error
	if end := HeadEnd(raw); end >= 0 {
		raw = raw[:end]
	} else if size >= maxHead {
		err = errLargeHead
	}
	// One copy, of which every name and value is a part: heads are read for each message that is recorded.
	line, rest := cutLine(string(raw))
	h := Head{Line: line, Err: err}
	if h.Err == nil && unclean(line) {
		h.Err = errors.New("start line holds a bare CR or a NUL")
	}
	pseudo := ""
	if isHTTP2(line) {
		pseudo = ":"
	}
	if h.Fields, err = parseFields(rest, pseudo); h.Err == nil {
		h.Err = err
	}
	return h
}

// parseFields reads field lines up to a blank line or the end. pseudo is what names may begin with besides: ":" in
// HTTP/2 (RFC 9113 §8.3), "" elsewhere.
func parseFields(raw, pseudo string) (fields Fields, err error) {
	lines := strings.Count(raw, "\n")
	fault := func(what, where string) {
		if err == nil {
			err = fmt.Errorf("%s: %.40q", what, where)
		}
	}
	for len(raw) > 0 {
		var line string
		line, raw = cutLine(raw)
		if line == "" {
			break
		}
		if isOWS(line[0]) {
			fault("header section begins with white space", line)
			continue
		}
		var folds []string
		folds, raw = cutFolds(raw)
		colon := ""
		if strings.HasPrefix(line, pseudo) {
			colon = pseudo
		}
		name, value, ok := strings.Cut(line[len(colon):], ":")
		if !ok {
			fault("header line without a colon", line)
			continue
		}
		token := isToken(name)
		name = line[:len(colon)+len(name)]
		if !token {
			fault("header name is no token", name)
		}
		value = trimOWS(value)
		if len(folds) > 0 {
			value = trimOWS(value + " " + strings.Join(folds, " "))
		}
		if unclean(value) {
			fault("header value holds a bare CR or a NUL", name)
		}
		if fields == nil {
			fields = make(Fields, 0, lines)
		}
		fields = append(fields, Field{Name: name, Value: value})
	}
	return fields, err
}

// cutFolds splits off the lines that carry the field before them on, each without the white space around it.
func cutFolds(raw string) (folds []string, rest string) {
	for len(raw) > 0 && isOWS(raw[0]) {
		var line string
		line, raw = cutLine(raw)
		folds = append(folds, trimOWS(line))
	}
	return folds, raw
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
// line has not come yet. Empty lines before the start line belong to the head (RFC 9112 §2.2). It looks at all of b
// each time: a [Framer] is for bytes that come piece by piece.
func HeadEnd(b []byte) int {
	return blankLineEnd(b, len(b)-len(trimBlankLines(b)))
}

// blankLineEnd returns the index after the first blank line at or after from, which is the start of a line; -1 where
// there is none.
func blankLineEnd(b []byte, from int) int {
	for i := from; i < len(b); {
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
func cutLine(s string) (line, rest string) {
	line, rest, _ = strings.Cut(s, "\n")
	return strings.TrimSuffix(line, "\r"), rest
}

// trimOWS takes spaces and tabs off both ends, and nothing else: a vertical tab or a no-break space is part of a value.
func trimOWS(s string) string {
	for len(s) > 0 && isOWS(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && isOWS(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// unclean reports whether a line holds what no line may: a bare CR or a NUL.
func unclean(s string) bool { return strings.IndexByte(s, '\r') >= 0 || strings.IndexByte(s, 0) >= 0 }

func isOWS(c byte) bool { return c == ' ' || c == '\t' }

// isToken reports whether s is a token of RFC 9110 §5.6.2.
func isToken(s string) bool {
	for _, c := range []byte(s) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && strings.IndexByte("-_!#$%&'*+.^`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}
