package write

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
)

// node is a JSON value with its place in the answer.
type node struct {
	place  exchange.Place
	raw    string // the token of a scalar; "{" or "[" for what has kids
	keys   []string
	kids   []*node
	masked bool // what it is, is asserted apart
	gone   bool // left out: it is not always there
}

// maxNesting bounds how deeply a JSON text may nest to be written into a suite: the parsers of test runners have limits.
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

// kind is the JSON type of a node, as volatility.Holds names it.
func (n *node) kind() string { return kindOf(n.raw) }

func kindOf(raw string) string {
	switch {
	case raw == "":
		return ""
	case raw[0] == '{':
		return "object"
	case raw[0] == '[':
		return "array"
	case raw[0] == '"':
		return "string"
	case raw == "true" || raw == "false":
		return "boolean"
	case raw == "null":
		return "null"
	case strings.ContainsAny(raw, ".eE"):
		return "number"
	}
	return "integer"
}

// walk calls visit with the node and all below it; where visit returns false, what is below is left out.
func (n *node) walk(visit func(*node) bool) {
	if visit(n) {
		for _, k := range n.kids {
			k.walk(visit)
		}
	}
}

// json is the node as JSON text: its scalars as recorded, what is asserted apart masked.
func (n *node) json() json.RawMessage {
	var b bytes.Buffer
	n.write(&b)
	return b.Bytes()
}

func (n *node) write(b *bytes.Buffer) {
	switch {
	case n.masked:
		b.WriteString(literal.JSON(Masked))
		return
	case n.scalar():
		b.WriteString(n.raw)
		return
	}
	b.WriteString(n.raw)
	first := true
	for i, k := range n.kids {
		if k.gone {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		if n.raw == "{" {
			b.WriteString(literal.JSON(n.keys[i]) + ":")
		}
		k.write(b)
	}
	b.WriteByte(n.raw[0] + 2) // the closing bracket
}

// masks tells which places of a JSON value are masked: pointers from its root, with wildcards.
type maskSet []exchange.Place

func (m maskSet) has(place exchange.Place) bool {
	for _, p := range m {
		if p.Matches(place) {
			return true
		}
	}
	return false
}

// pointer is the JSON Pointer of a place within what root names.
func pointer(place, root exchange.Place) exchange.Place {
	return exchange.Place(strings.TrimPrefix(string(place), string(root)))
}
