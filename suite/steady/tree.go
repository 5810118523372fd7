package steady

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// The bounds on a body that is edited; what goes beyond passes as it is.
const (
	maxDepth = 200     // arrays and objects within each other
	maxNodes = 1 << 20 // values
)

// node is a value of a JSON text, with where it stands.
type node struct {
	kind       byte // '{', '[', '"', '0' for a number, 't', 'f', 'n'
	raw        string
	start, end int     // in the text
	keys       []token // of the members of an object
	children   []node
}

// token is a key with where it stands.
type token struct {
	raw        string
	text       string
	start, end int
}

// parse reads a text; ok is false where it is no JSON that can be edited: JSON readers disagree about what is not UTF-8.
func parse(src string) (n node, ok bool) {
	if !utf8.ValidString(src) || !shallow(src) || !gjson.Valid(src) {
		return n, false
	}
	p := parser{src: src}
	p.space()
	n = p.value()
	return n, !p.full
}

// shallow reports whether the arrays and objects of a text are not too deep within each other for its check, which goes down
// the stack.
func shallow(src string) bool {
	depth, quoted := 0, false
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return false
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return true
}

// parser reads a text that is known to be JSON.
type parser struct {
	src  string
	pos  int
	read int
	full bool
}

func (p *parser) space() {
	for p.pos < len(p.src) && strings.IndexByte(" \t\r\n", p.src[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *parser) value() node {
	if p.read++; p.read > maxNodes {
		p.full = true
	}
	n := node{start: p.pos, kind: p.src[p.pos]}
	switch n.kind {
	case '{', '[':
		p.container(&n)
	case '"':
		p.str()
	default:
		for p.pos < len(p.src) && strings.IndexByte(",]} \t\r\n", p.src[p.pos]) < 0 {
			p.pos++
		}
		if n.kind == '-' || n.kind >= '0' && n.kind <= '9' {
			n.kind = '0'
		}
	}
	n.end = p.pos
	n.raw = p.src[n.start:n.end]
	return n
}

func (p *parser) container(n *node) {
	p.pos++
	for p.space(); p.src[p.pos] != ']' && p.src[p.pos] != '}'; p.space() {
		if p.src[p.pos] == ',' {
			p.pos++
			continue
		}
		if p.full {
			p.pos = len(p.src)
			return
		}
		if n.kind == '{' {
			start := p.pos
			p.str()
			raw := p.src[start:p.pos]
			n.keys = append(n.keys, token{raw: raw, text: unquote(raw), start: start, end: p.pos})
			for p.space(); p.src[p.pos] == ':'; p.space() {
				p.pos++
			}
		}
		n.children = append(n.children, p.value())
		if p.full {
			return
		}
	}
	p.pos++
}

func (p *parser) str() {
	for p.pos++; p.src[p.pos] != '"'; p.pos++ {
		if p.src[p.pos] == '\\' {
			p.pos++
		}
	}
	p.pos++
}

// unquote returns the text of a string token.
func unquote(raw string) string {
	if strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	var s string
	if json.Unmarshal([]byte(raw), &s) != nil {
		return raw[1 : len(raw)-1]
	}
	return s
}

// quote returns a text as a string token.
func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil { // a string always encodes
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// text returns what a scalar says: the text of a string, the token of anything else.
func (n *node) text() string {
	if n.kind == '"' {
		return unquote(n.raw)
	}
	return n.raw
}
