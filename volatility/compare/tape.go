package compare

import (
	"encoding/json"
	"slices"
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
	key        uint64 // hash of the key, unescaped
	hash       uint64 // equal values have equal ones: members in any order, elements in theirs
	start, end uint32 // the raw token
	keyFrom    uint32 // where the raw key of a member begins, after its quote
	next       uint32 // the node after this one and all it holds
	count      uint32 // elements or members
	kind       kind
	doubled    bool // an object in which a key occurs twice
	escaped    bool // the key has escapes
}

// tape is a JSON text as its values in the order they stand in: each container is followed by what it holds.
type tape struct {
	src   string
	nodes []node
	bags  []uint64 // by node; none until they are asked for: see bag
}

// parse reads one JSON text (RFC 8259, strictly). ok is false where src is none, or is nested deeper than MaxDepth,
// or does not fit the positions of a node.
func parse(src string) (t *tape, ok bool) {
	t = new(tape)
	return t, t.read(src)
}

// read does what parse does, in the memory that the tape has.
func (t *tape) read(src string) bool {
	t.src, t.bags = src, t.bags[:0]
	if len(src) == 0 || len(src) >= 1<<32-1 || !utf8.ValidString(src) {
		return false
	}
	p := parser{src: src, nodes: t.nodes[:0]}
	if want := 8 + len(src)/10; cap(p.nodes) < min(want, 64) {
		p.nodes = make([]node, 0, want)
	}
	p.open = p.shallow[:0]
	ok := p.run()
	t.nodes = p.nodes
	return ok
}

type parser struct {
	src     string
	at      int
	nodes   []node
	open    []frame // the containers around the present position
	shallow [16]frame
}

// frame is a container that has begun.
type frame struct {
	node  uint32
	count uint32
	hash  uint64 // of what it holds so far
	keys  uint64 // a filter of one bit per key
	kind  kind
	twice bool // a key may have occurred before: its bit was taken
}

// run reads value after value. Each is the whole text, an element or a member; what closes after it is closed at once.
func (p *parser) run() bool {
	for {
		n := p.push()
		if len(p.open) > 0 && p.open[len(p.open)-1].kind == object && !p.member(n) {
			return false
		}
		c := p.peek()
		n.start = uint32(p.at)
		switch c {
		case '"':
			if !p.text(n) {
				return false
			}
		case '{', '[':
			if len(p.open) == MaxDepth {
				return false
			}
			if p.begin(n, c) {
				continue
			}
			p.close()
		default:
			if !p.bare(n, c) {
				return false
			}
		}
		for {
			if len(p.open) == 0 {
				p.space()
				return p.at == len(p.src)
			}
			c := p.peek()
			p.at++
			if c == ',' {
				break
			}
			if f := &p.open[len(p.open)-1]; c != '}' && c != ']' || (c == '}') != (f.kind == object) {
				return false
			}
			p.close()
		}
	}
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

// push adds a node without content.
func (p *parser) push() *node {
	if len(p.nodes) == cap(p.nodes) {
		p.nodes = append(p.nodes, node{})
	} else {
		p.nodes = p.nodes[:len(p.nodes)+1]
	}
	n := &p.nodes[len(p.nodes)-1]
	*n = node{next: uint32(len(p.nodes))}
	return n
}

// member reads a key and its colon.
func (p *parser) member(n *node) bool {
	if p.peek() != '"' {
		return false
	}
	from := p.at + 1
	end, hash, escaped := scanString(p.src, from)
	if end < 0 {
		return false
	}
	n.keyFrom, n.escaped, n.key = uint32(from), escaped, hash
	if escaped {
		n.key = hashOf(unquote(p.src[from-1 : end]))
	}
	p.at = end
	if p.peek() != ':' {
		return false
	}
	p.at++
	return true
}

func (p *parser) text(n *node) bool {
	end, hash, _ := scanString(p.src, p.at+1)
	if end < 0 {
		return false
	}
	p.scalar(n, text, end, mix(hash, uint64(text)))
	return true
}

// bare reads what has no quotes: a number or one of three words.
func (p *parser) bare(n *node, c byte) bool {
	k, word := number, ""
	switch c {
	case 't':
		k, word = boolean, "true"
	case 'f':
		k, word = boolean, "false"
	case 'n':
		k, word = null, "null"
	}
	end := p.at + len(word)
	if k == number {
		end = scanNumber(p.src, p.at)
		if end < 0 {
			return false
		}
		p.scalar(n, number, end, hashWithin(p.src, p.at, end))
		return true
	}
	if !strings.HasPrefix(p.src[p.at:], word) {
		return false
	}
	p.scalar(n, k, end, mix(seed.last+uint64(c), uint64(k)))
	return true
}

func (p *parser) scalar(n *node, k kind, end int, hash uint64) {
	n.kind, n.end, n.hash = k, uint32(end), hash
	p.at = end
	p.add(n)
}

// begin opens a container. It reports false where that is empty, and is to be closed.
func (p *parser) begin(n *node, c byte) (more bool) {
	k, closing := object, byte('}')
	if c == '[' {
		k, closing = array, ']'
	}
	n.kind = k
	p.open = append(p.open, frame{node: uint32(len(p.nodes) - 1), kind: k, hash: seed.last + uint64(k)})
	p.at++
	if p.peek() != closing {
		return true
	}
	p.at++
	return false
}

// close ends the innermost container.
func (p *parser) close() {
	f := &p.open[len(p.open)-1]
	n := &p.nodes[f.node]
	n.end, n.next, n.count, n.hash = uint32(p.at), uint32(len(p.nodes)), f.count, f.hash
	if f.twice && doubled(p.nodes, f.node) {
		n.doubled = true
		for c := f.node + 1; c < n.next; c = p.nodes[c].next {
			n.hash = mix(n.hash, mix(p.nodes[c].key, p.nodes[c].hash))
		}
	}
	n.hash = mix(n.hash, uint64(n.count))
	p.open = p.open[:len(p.open)-1]
	p.add(n)
}

// add counts a node, which is whole, into the container around it.
func (p *parser) add(n *node) {
	if len(p.open) == 0 {
		return
	}
	f := &p.open[len(p.open)-1]
	f.count++
	if f.kind == array {
		f.hash = mix(f.hash, n.hash)
		return
	}
	f.hash += mix(n.key, n.hash)
	bit := uint64(1) << (n.key >> 58)
	f.twice = f.twice || f.keys&bit != 0
	f.keys |= bit
}

// doubled reports whether a key occurs twice in an object. Where one does, the order of the members decides which value
// a reader sees, so it goes into the hash.
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

// bag returns a hash of node i that is the same whatever the order of elements and members, at every depth. Few pairs
// of answers need any, so they are made when the first is asked for.
func (t *tape) bag(i uint32) uint64 {
	if len(t.bags) == 0 {
		t.fillBags()
	}
	return t.bags[i]
}

// fillBags goes from the last node to the first, so that what a container holds comes before it.
func (t *tape) fillBags() {
	t.bags = slices.Grow(t.bags, len(t.nodes))[:len(t.nodes)]
	for i := len(t.nodes) - 1; i >= 0; i-- {
		n := &t.nodes[i]
		sum := uint64(n.kind)
		switch n.kind {
		case array:
			for c := uint32(i) + 1; c < n.next; c = t.nodes[c].next {
				sum += mix(t.bags[c], uint64(array))
			}
		case object:
			for c := uint32(i) + 1; c < n.next; c = t.nodes[c].next {
				sum += mix(t.nodes[c].key, t.bags[c])
			}
			for c := uint32(i) + 1; n.doubled && c < n.next; c = t.nodes[c].next {
				sum = mix(sum, mix(t.nodes[c].key, t.bags[c]))
			}
		default:
			t.bags[i] = n.hash
			continue
		}
		t.bags[i] = mix(sum, uint64(n.count))
	}
}

// raw returns the token of node i as it was sent.
func (t *tape) raw(i uint32) string { return t.src[t.nodes[i].start:t.nodes[i].end] }

// name returns the key of node i, unescaped.
func (t *tape) name(i uint32) string {
	n := &t.nodes[i]
	if n.escaped {
		end, _ := scanSlowly(t.src, int(n.keyFrom))
		return unquote(t.src[n.keyFrom-1 : end])
	}
	rest := t.src[n.keyFrom:n.start]
	return rest[:strings.IndexByte(rest, '"')]
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
