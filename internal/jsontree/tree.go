package jsontree

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Kind is what a value is, as a byte that tells it.
type Kind byte

// The kinds of values. That of an object or an array is its opening bracket; two more is the closing one.
const (
	Object Kind = '{'
	Array  Kind = '['
	String Kind = '"'
	Number Kind = '0'
	True   Kind = 't'
	False  Kind = 'f'
	Null   Kind = 'n'
)

// Node is a value of a JSON text, with where it stands.
type Node struct {
	Kind       Kind
	Raw        string // the token as it was sent; of an object or an array all of it
	Start, End int    // in the text, in bytes
	Keys       []Key  // of the members of an object, as many as Children
	Children   []Node // in order; members of one key all stand here
}

// Key is the name of a member, with where it stands.
type Key struct {
	Raw        string // the token, in quotes
	Text       string // what it says
	Start, End int
}

// Bounds is how much of a text is taken. The zero value takes what the defaults allow.
type Bounds struct {
	Depth  int // objects and arrays within each other; 0 means 200
	Values int // in all; 0 means 1<<20
}

const (
	defaultDepth  = 200
	defaultValues = 1 << 20
)

// SyntaxError says where a text is no JSON, or goes beyond the bounds.
type SyntaxError struct {
	Offset int // in bytes
	Reason string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.Reason, e.Offset) }

// Parse reads a text that is one JSON value. The error is a *SyntaxError. Strings may hold what is not UTF-8, as they
// may for encoding/json.
func Parse(src string, b Bounds) (*Node, error) {
	depth := b.Depth
	if depth == 0 {
		depth = defaultDepth
	}
	if at := Deeper(src, depth); at >= 0 {
		return nil, &SyntaxError{at, fmt.Sprintf("values nest deeper than %d", depth)}
	}
	var whole json.RawMessage
	if err := json.Unmarshal([]byte(src), &whole); err != nil {
		return nil, syntaxError(src, err)
	}
	p := parser{src: src, left: b.Values}
	if p.left == 0 {
		p.left = defaultValues
	}
	p.space()
	n := p.value()
	if p.left < 0 {
		return nil, &SyntaxError{p.stopped, "too many values"}
	}
	return &n, nil
}

// ParsePrefix reads the JSON value that a text begins with; its End says where it ends. The error is a *SyntaxError.
func ParsePrefix(src string, b Bounds) (*Node, error) {
	dec := json.NewDecoder(strings.NewReader(src))
	var value json.RawMessage
	if err := dec.Decode(&value); err != nil {
		return nil, syntaxError(src, err)
	}
	return Parse(src[:dec.InputOffset()], b)
}

// syntaxError is what encoding/json says, with the offset of the byte that it says it of.
func syntaxError(src string, err error) error {
	var s *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), strings.HasPrefix(err.Error(), "unexpected end"):
		return &SyntaxError{len(src), "unexpected end of text"}
	case !errors.As(err, &s):
		return &SyntaxError{0, err.Error()}
	}
	return &SyntaxError{int(s.Offset) - 1, s.Error()}
}

// Deeper returns where the arrays and objects of a text nest deeper than so many levels, -1 where they do not. The text
// need not be JSON: what goes down it with the stack asks before.
func Deeper(src string, most int) int {
	depth, quoted := 0, false
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > most {
				return i
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return -1
}

// parser reads a text that is known to be JSON.
type parser struct {
	src     string
	pos     int
	left    int // values that may still come; below 0 once there are too many
	stopped int // where that was
}

func (p *parser) space() {
	for p.pos < len(p.src) && strings.IndexByte(" \t\r\n", p.src[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *parser) value() Node {
	if p.left--; p.left == -1 {
		p.stopped = p.pos
	}
	n := Node{Start: p.pos, Kind: Kind(p.src[p.pos])}
	switch n.Kind {
	case Object, Array:
		p.container(&n)
	case String:
		p.str()
	default:
		for p.pos < len(p.src) && strings.IndexByte(",]} \t\r\n", p.src[p.pos]) < 0 {
			p.pos++
		}
		if n.Kind == '-' || n.Kind >= '0' && n.Kind <= '9' {
			n.Kind = Number
		}
	}
	n.End = p.pos
	n.Raw = p.src[n.Start:n.End]
	return n
}

func (p *parser) container(n *Node) {
	p.pos++
	for p.space(); p.src[p.pos] != ']' && p.src[p.pos] != '}'; p.space() {
		if p.src[p.pos] == ',' {
			p.pos++
			continue
		}
		if n.Kind == Object {
			n.Keys = append(n.Keys, p.key())
		}
		n.Children = append(n.Children, p.value())
		if p.left < 0 {
			p.pos = len(p.src)
			return
		}
	}
	p.pos++
}

// key reads the name of a member and moves past the colon.
func (p *parser) key() Key {
	start := p.pos
	p.str()
	raw := p.src[start:p.pos]
	k := Key{Raw: raw, Text: Unquote(raw), Start: start, End: p.pos}
	p.space()
	p.pos++
	p.space()
	return k
}

func (p *parser) str() {
	for p.pos++; p.src[p.pos] != '"'; p.pos++ {
		if p.src[p.pos] == '\\' {
			p.pos++
		}
	}
	p.pos++
}

// Text returns what a scalar says: the text of a string, the token of anything else.
func (n *Node) Text() string {
	if n.Kind == String {
		return Unquote(n.Raw)
	}
	return n.Raw
}

// At returns the last member of an object that has a key, and so on down a path of keys; nil where there is none.
func (n *Node) At(path ...string) *Node {
	for _, key := range path {
		if n == nil {
			return nil
		}
		i, ok := n.Index()[key]
		if !ok {
			return nil
		}
		n = &n.Children[i]
	}
	return n
}

// Index returns where the members of an object stand, by key: the last one of each.
func (n *Node) Index() map[string]int {
	out := make(map[string]int, len(n.Keys))
	for i, k := range n.Keys {
		out[k.Text] = i
	}
	return out
}

// Begin returns where the i-th member or element begins: a member with its key.
func (n *Node) Begin(i int) int {
	if n.Kind == Object {
		return n.Keys[i].Start
	}
	return n.Children[i].Start
}
