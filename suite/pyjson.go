package suite

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
)

// node is a JSON value with its place in the answer.
type node struct {
	place  exchange.Place
	raw    string // the token of a scalar; "{" or "[" for what has kids
	keys   []string
	kids   []*node
	masked bool           // written as ... : what it is, is asserted apart
	gone   bool           // left out: it is not always there
	code   string         // the Python expression to be written for a scalar in place of the literal; "" for the literal
	codes  map[int]string // the same for keys, by index
}

// maxNesting bounds how deeply a JSON text may nest to be written as a literal: Python's own parser has a limit.
const maxNesting = 40

// readNode reads a JSON body, and returns nil where it is none, or nests too deeply.
func readNode(payload []byte) *node {
	if !json.Valid(payload) || !utf8.Valid(payload) || len(payload) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(payload))
	dec.UseNumber()
	return readValue(dec, payload, exchange.PlaceBody, 0)
}

func readValue(dec *json.Decoder, src []byte, place exchange.Place, depth int) *node {
	from := dec.InputOffset()
	tok, err := dec.Token()
	if err != nil || depth > maxNesting {
		return nil
	}
	n := &node{place: place, raw: strings.TrimLeft(string(src[from:dec.InputOffset()]), " \t\r\n,:")}
	for dec.More() && (tok == json.Delim('{') || tok == json.Delim('[')) {
		at := place.Index(len(n.kids))
		if n.raw == "{" {
			key, err := dec.Token()
			name, ok := key.(string)
			if err != nil || !ok || strings.ContainsRune(name, utf8.RuneError) {
				return nil // half a surrogate pair has no form that Go can hold
			}
			n.keys = append(n.keys, name)
			at = place.Key(name)
		}
		kid := readValue(dec, src, at, depth+1)
		if kid == nil {
			return nil
		}
		n.kids = append(n.kids, kid)
	}
	if n.raw == "{" || n.raw == "[" {
		_, err = dec.Token()
	}
	if err != nil {
		return nil
	}
	return n
}

// scalar reports whether a node holds no others.
func (n *node) scalar() bool { return n.raw != "{" && n.raw != "[" }

// text is the value of a scalar as a path or a query would hold it.
func (n *node) text() string {
	if s, ok := jsonText(n.raw); ok && n.raw[0] == '"' {
		return s
	}
	return n.raw
}

// walk calls visit with the node and all below it; where visit returns false, what is below is left out.
func (n *node) walk(visit func(*node) bool) {
	if visit(n) {
		for _, k := range n.kids {
			k.walk(visit)
		}
	}
}

// doubled reports whether a key of an object stands twice.
func (n *node) doubled() bool {
	seen := make(map[string]bool, len(n.keys))
	for _, k := range n.keys {
		if seen[k] {
			return true
		}
		seen[k] = true
	}
	return false
}

// line returns the node as a Python literal on one line.
func (n *node) line() string {
	if n.masked {
		return "..."
	}
	if n.code != "" {
		return n.code
	}
	if n.scalar() {
		return pyScalar(n.raw)
	}
	open, end, entry := n.brackets()
	var parts []string
	for i, k := range n.kids {
		if !k.gone {
			parts = append(parts, entry(i, k.line()))
		}
	}
	return open + strings.Join(parts, ", ") + end
}

// brackets returns what a container begins and ends with, and how one entry of it is written.
func (n *node) brackets() (open, end string, entry func(i int, value string) string) {
	switch {
	case n.raw == "[":
		return "[", "]", func(_ int, v string) string { return v }
	case n.doubled():
		return "Pairs([", "])", func(i int, v string) string { return "(" + n.key(i) + ", " + v + ")" }
	}
	return "{", "}", func(i int, v string) string { return n.key(i) + ": " + v }
}

// key returns a key of an object as Python.
func (n *node) key(i int) string {
	if code, ok := n.codes[i]; ok {
		return code
	}
	return pyString(n.keys[i])
}

// pyScalar returns a scalar JSON token as Python.
func pyScalar(raw string) string {
	switch raw {
	case "true":
		return "True"
	case "false":
		return "False"
	case "null":
		return "None"
	}
	if s, ok := jsonText(raw); ok && raw[0] == '"' {
		if strings.ContainsRune(s, utf8.RuneError) && strings.Contains(raw, `\u`) {
			return "parse_json(" + pyString(raw) + ")" // half a surrogate pair has no form that Go can hold
		}
		return pyString(s)
	}
	return pyNumberLiteral(raw)
}

// lines returns the node as a Python literal that follows prefix and is followed by suffix, at an indentation, over as
// many lines as it takes.
func (n *node) lines(indent int, prefix, suffix string) []string {
	pad := strings.Repeat(" ", indent)
	one := pad + prefix + n.line() + suffix
	if utf8.RuneCountInString(one) <= lineWidth || n.masked || !n.scalar() && len(n.kids) == 0 {
		return []string{one}
	}
	if n.scalar() {
		s, ok := jsonText(n.raw)
		if !ok || n.raw[0] != '"' || n.code != "" || strings.HasPrefix(n.line(), "parse_json(") {
			return []string{one}
		}
		out := []string{pad + prefix + "("}
		for _, l := range pyBreak(s, lineWidth-indent-10) {
			out = append(out, pad+"    "+l)
		}
		return append(out, pad+")"+suffix)
	}
	if n.raw == "{" && n.doubled() {
		return n.pairLines(pad, prefix, suffix)
	}
	open, end, entry := n.brackets()
	out := []string{pad + prefix + open}
	for i, k := range n.kids {
		if !k.gone {
			before, _, _ := strings.Cut(entry(i, "\x00"), "\x00")
			out = append(out, k.lines(indent+4, before, ",")...)
		}
	}
	return append(out, pad+end+suffix)
}

// pairLines writes an object in which a key stands twice.
func (n *node) pairLines(pad, prefix, suffix string) []string {
	out := []string{pad + prefix + "Pairs(", pad + "    ["}
	inner := pad + "        "
	for i, k := range n.kids {
		if k.gone {
			continue
		}
		one := inner + "(" + n.key(i) + ", " + k.line() + "),"
		if utf8.RuneCountInString(one) <= lineWidth {
			out = append(out, one)
			continue
		}
		out = append(out, inner+"(", inner+"    "+n.key(i)+",")
		out = append(out, k.lines(len(inner)+4, "", ",")...)
		out = append(out, inner+"),")
	}
	return append(out, pad+"    ]", pad+")"+suffix)
}
