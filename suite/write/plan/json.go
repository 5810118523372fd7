package plan

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/jsontree"
	"github.com/flaketap/flaketap/internal/literal"
)

// Node is a JSON value with its place in the answer.
type Node struct {
	Place  exchange.Place
	Raw    string // the token of a scalar; "{" or "[" for what has kids
	Keys   []string
	Kids   []*Node
	Masked bool // what it is, is asserted apart
	Gone   bool // left out: it is not always there
}

// maxNesting bounds how deeply a JSON text may nest to be written into a suite: the parsers of test runners have
// limits.
const maxNesting = 40

// ReadNode reads a JSON body, and returns nil where it is none, or nests too deeply.
func ReadNode(payload []byte) *Node {
	if !utf8.Valid(payload) {
		return nil
	}
	root, err := jsontree.Parse(string(payload), jsontree.Bounds{Depth: maxNesting, Values: len(payload)})
	if err != nil {
		return nil
	}
	return nodeOf(root, exchange.PlaceBody)
}

func nodeOf(v *jsontree.Node, place exchange.Place) *Node {
	n := &Node{Place: place, Raw: v.Raw}
	if v.Kind == jsontree.Object || v.Kind == jsontree.Array {
		n.Raw = v.Raw[:1]
	}
	for i := range v.Children {
		at := place.Index(i)
		if v.Kind == jsontree.Object {
			name := v.Keys[i].Text
			if strings.ContainsRune(name, utf8.RuneError) {
				return nil // half a surrogate pair has no form that Go can hold
			}
			n.Keys = append(n.Keys, name)
			at = place.Key(name)
		}
		kid := nodeOf(&v.Children[i], at)
		if kid == nil {
			return nil
		}
		n.Kids = append(n.Kids, kid)
	}
	return n
}

// scalar reports whether a node holds no others.
func (n *Node) Scalar() bool { return n.Raw != "{" && n.Raw != "[" }

// kind is the JSON type of a node, as mapfile.Holds names it.
func (n *Node) Kind() string { return KindOf(n.Raw) }

func KindOf(raw string) string {
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
func (n *Node) Walk(visit func(*Node) bool) {
	if visit(n) {
		for _, k := range n.Kids {
			k.Walk(visit)
		}
	}
}

// TextOf is the value of a scalar token as a path or a query would hold it.
func TextOf(raw string) string {
	if s, ok := literal.FromJSON(raw); ok && raw != "" && raw[0] == '"' {
		return s
	}
	return raw
}

// json is the node as JSON text: its scalars as recorded, what is asserted apart masked.
func (n *Node) JSON() json.RawMessage {
	var b bytes.Buffer
	n.write(&b)
	return b.Bytes()
}

func (n *Node) write(b *bytes.Buffer) {
	switch {
	case n.Masked:
		b.WriteString(literal.JSON(Masked))
		return
	case n.Scalar():
		b.WriteString(n.Raw)
		return
	}
	b.WriteString(n.Raw)
	first := true
	for i, k := range n.Kids {
		if k.Gone {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		if n.Raw == "{" {
			b.WriteString(literal.JSON(n.Keys[i]) + ":")
		}
		k.write(b)
	}
	b.WriteByte(n.Raw[0] + 2) // the closing bracket
}

// masks tells which places of a JSON value are masked: pointers from its root, with wildcards.
type PlaceSet []exchange.Place

func (m PlaceSet) Has(place exchange.Place) bool {
	for _, p := range m {
		if p.Matches(place) {
			return true
		}
	}
	return false
}

// Pointer is the JSON Pointer of a place within what root names.
func Pointer(place, root exchange.Place) exchange.Place {
	return exchange.Place(strings.TrimPrefix(string(place), string(root)))
}

// PrettyJSON is v as JSON for people, as Prettier leaves it: indented by two blanks, maps sorted by key.
func PrettyJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}
