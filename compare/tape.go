package compare

import (
	"encoding/json"
	"hash/maphash"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// kind is the JSON type of a node.
type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	array
	object
)

// node is one value of a tape. Positions count bytes of the source.
type node struct {
	start, end       uint32 // the raw token
	keyFrom, keyUpto uint32 // the raw key of a member, without its quotes
	next             uint32 // the node after this one and all it holds
	count            uint32 // elements or members
	key              uint64 // hash of the key, unescaped
	hash             uint64 // equal values have equal ones: members in any order, elements in theirs
	bag              uint64 // the same, elements in any order too, at every depth
	kind             kind
	doubled          bool // an object in which a key occurs twice
	escaped          bool // the key has escapes
}

// tape is a JSON text as its values in the order they stand in: each container is followed by what it holds.
type tape struct {
	src   string
	nodes []node
}

// seed makes the hashes unforeseeable to whoever writes the bodies. Nothing that leaves the package depends on it.
var seed = maphash.MakeSeed()

// mix joins two hashes into one, in an order that matters.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd1342543de82ef95)
	return hi ^ lo
}

// parse reads one JSON text (RFC 8259, strictly). ok is false where src is none, or is nested deeper than MaxDepth,
// or does not fit the positions of a node.
func parse(src string) (t *tape, ok bool) {
	if len(src) == 0 || len(src) >= 1<<32-1 || !utf8.ValidString(src) {
		return nil, false
	}
	p := parser{src: src, nodes: make([]node, 0, 16+len(src)/12)}
	if !p.run() {
		return nil, false
	}
	return &tape{src: src, nodes: p.nodes}, true
}

type parser struct {
	src   string
	at    int
	nodes []node
	open  []uint32 // the containers around the present position
}

func (p *parser) run() bool {
	for {
		if !p.value() {
			return false
		}
		// A value has ended, or a container has begun that is not empty.
		for p.closed() {
			if len(p.open) == 0 {
				p.space()
				return p.at == len(p.src)
			}
			more, ok := p.after()
			if !ok {
				return false
			}
			if more {
				break
			}
		}
	}
}

// closed reports whether the last thing read was a whole value, not the begin of a container.
func (p *parser) closed() bool {
	return len(p.open) == 0 || int(p.open[len(p.open)-1]) != len(p.nodes)-1
}

func (p *parser) space() {
	for p.at < len(p.src) {
		switch p.src[p.at] {
		case ' ', '\n', '\r', '\t':
			p.at++
		default:
			return
		}
	}
}

// peek returns the next byte that is not white space, 0 at the end.
func (p *parser) peek() byte {
	if p.at < len(p.src) && p.src[p.at] > ' ' {
		return p.src[p.at]
	}
	p.space()
	if p.at == len(p.src) {
		return 0
	}
	return p.src[p.at]
}

// value reads a scalar, an empty container, or the opening of one, with the key before it where it is a member.
func (p *parser) value() bool {
	var n node
	if len(p.open) > 0 && p.nodes[p.open[len(p.open)-1]].kind == object && !p.member(&n) {
		return false
	}
	c := p.peek()
	n.start = uint32(p.at)
	switch {
	case c == '"':
		end, _ := scanString(p.src, p.at+1)
		return end > 0 && p.scalar(n, text, end)
	case c == '{':
		return p.container(n, object, '}')
	case c == '[':
		return p.container(n, array, ']')
	case c == 't':
		return p.literal(n, boolean, "true")
	case c == 'f':
		return p.literal(n, boolean, "false")
	case c == 'n':
		return p.literal(n, null, "null")
	}
	end := scanNumber(p.src, p.at)
	return end > 0 && p.scalar(n, number, end)
}

// member reads a key and its colon.
func (p *parser) member(n *node) bool {
	if p.peek() != '"' {
		return false
	}
	from := p.at + 1
	end, escaped := scanString(p.src, from)
	if end < 0 {
		return false
	}
	n.keyFrom, n.keyUpto, n.escaped = uint32(from), uint32(end-1), escaped
	key := p.src[from : end-1]
	if escaped {
		key = unquote(p.src[from-1 : end])
	}
	n.key = maphash.String(seed, key)
	p.at = end
	if p.peek() != ':' {
		return false
	}
	p.at++
	return true
}

func (p *parser) literal(n node, k kind, word string) bool {
	return strings.HasPrefix(p.src[p.at:], word) && p.scalar(n, k, p.at+len(word))
}

func (p *parser) scalar(n node, k kind, end int) bool {
	n.kind, n.end = k, uint32(end)
	n.hash = maphash.String(seed, p.src[p.at:end])
	n.bag = n.hash
	p.at = end
	p.push(n)
	p.add(uint32(len(p.nodes) - 1))
	return true
}

func (p *parser) push(n node) {
	n.next = uint32(len(p.nodes) + 1)
	p.nodes = append(p.nodes, n)
}

// container opens an array or object, and closes it at once where it is empty.
func (p *parser) container(n node, k kind, closing byte) bool {
	if len(p.open) == MaxDepth {
		return false
	}
	n.kind, n.hash, n.bag = k, uint64(k), uint64(k)
	p.at++
	p.push(n)
	p.open = append(p.open, uint32(len(p.nodes)-1))
	if p.peek() == closing {
		p.at++
		p.close()
	}
	return true
}

// after reads what follows a value within a container: a comma, or the end of the container.
func (p *parser) after() (more, ok bool) {
	c := p.peek()
	p.at++
	switch {
	case c == ',':
		return true, true
	case c == '}' && p.nodes[p.open[len(p.open)-1]].kind == object, c == ']' && p.nodes[p.open[len(p.open)-1]].kind == array:
		p.close()
		return false, true
	}
	return false, false
}

// close ends the innermost container.
func (p *parser) close() {
	i := p.open[len(p.open)-1]
	p.open = p.open[:len(p.open)-1]
	n := &p.nodes[i]
	n.end, n.next = uint32(p.at), uint32(len(p.nodes))
	if n.kind == object {
		p.findDoubled(i)
	}
	n.hash, n.bag = mix(n.hash, uint64(n.count)), mix(n.bag, uint64(n.count))
	p.add(i)
}

// add counts node i, which is whole, into the container around it.
func (p *parser) add(i uint32) {
	if len(p.open) == 0 {
		return
	}
	n, outer := &p.nodes[i], &p.nodes[p.open[len(p.open)-1]]
	outer.count++
	if outer.kind == object {
		outer.hash += mix(n.key, n.hash)
		outer.bag += mix(n.key, n.bag)
		return
	}
	outer.hash = mix(outer.hash, n.hash)
	outer.bag += mix(n.bag, uint64(array))
}

// findDoubled looks for keys that occur twice in an object. Where there are any, the order of the members decides
// which value a reader sees, so it goes into the hash.
func (p *parser) findDoubled(i uint32) {
	n := &p.nodes[i]
	if !doubled(p.nodes, i) {
		return
	}
	n.doubled = true
	for c := i + 1; c < n.next; c = p.nodes[c].next {
		n.hash = mix(n.hash, mix(p.nodes[c].key, p.nodes[c].hash))
		n.bag = mix(n.bag, mix(p.nodes[c].key, p.nodes[c].bag))
	}
}

func doubled(nodes []node, i uint32) bool {
	const few = 64
	if nodes[i].count > few {
		seen := make(map[uint64]bool, nodes[i].count)
		for c := i + 1; c < nodes[i].next; c = nodes[c].next {
			if seen[nodes[c].key] {
				return true
			}
			seen[nodes[c].key] = true
		}
		return false
	}
	// A filter of one bit per key: only a key whose bit is taken is compared with those before it.
	var bits uint64
	for c := i + 1; c < nodes[i].next; c = nodes[c].next {
		bit := uint64(1) << (nodes[c].key & 63)
		if bits&bit != 0 {
			for o := i + 1; o < c; o = nodes[o].next {
				if nodes[o].key == nodes[c].key {
					return true
				}
			}
		}
		bits |= bit
	}
	return false
}

// raw returns the token of node i as it was sent.
func (t *tape) raw(i uint32) string { return t.src[t.nodes[i].start:t.nodes[i].end] }

// name returns the key of node i, unescaped.
func (t *tape) name(i uint32) string {
	n := &t.nodes[i]
	if n.escaped {
		return unquote(t.src[n.keyFrom-1 : n.keyUpto+1])
	}
	return t.src[n.keyFrom:n.keyUpto]
}

// children returns the nodes that i holds directly.
func (t *tape) children(i uint32) []uint32 {
	n := &t.nodes[i]
	out := make([]uint32, 0, n.count)
	for c := i + 1; c < n.next; c = t.nodes[c].next {
		out = append(out, c)
	}
	return out
}

// unquote returns the text of a raw string token.
func unquote(raw string) string {
	if !strings.Contains(raw, `\`) {
		return raw[1 : len(raw)-1]
	}
	var s string
	if json.Unmarshal([]byte(raw), &s) != nil {
		return raw[1 : len(raw)-1]
	}
	return s
}
