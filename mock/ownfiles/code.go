package ownfiles

import "encoding/binary"

// Instructions of the JVM that are looked at (JVMS 6.5).
const (
	iconstM1      = 0x02
	iconst5       = 0x08
	bipush        = 0x10
	sipush        = 0x11
	iaload        = 0x2e
	iinc          = 0x84
	ifIcmpeq      = 0x9f
	ifIcmple      = 0xa4
	tableswitch   = 0xaa
	lookupswitch  = 0xab
	invokevirtual = 0xb6
	invokedynamic = 0xba
	wide          = 0xc4
	jsrW          = 0xc9
)

// maxCompared bounds how many numbers are taken of the code of one class.
const maxCompared = 2000

// lengths are those of instructions, in bytes, in ranges that end with an opcode (JVMS 6.5); those of the switches, and
// of wide, depend on what follows.
var lengths = []struct{ last, length int }{
	{0x0f, 1}, {bipush, 2}, {sipush, 3}, {0x12, 2}, {0x14, 3}, {0x19, 2}, {0x35, 1}, {0x3a, 2}, {0x83, 1}, {iinc, 3},
	{0x98, 1}, {0xa8, 3}, {0xa9, 2}, {lookupswitch, 0}, {0xb1, 1}, {0xb8, 3}, {invokedynamic, 5}, {0xbb, 3}, {0xbc, 2},
	{0xbd, 3}, {0xbf, 1}, {0xc1, 3}, {0xc3, 1}, {wide, 4}, {0xc5, 4}, {0xc7, 3}, {jsrW, 5},
}

// lengthOf is the length of an instruction; 0 where it has none.
func lengthOf(op int) int {
	for _, r := range lengths {
		if op <= r.last {
			return r.length
		}
	}
	return 0
}

// code are the instructions of a method, which are read one after the other up to the first that is none.
type code struct {
	class *class
	all   []byte
	at    int
	// what stood before: an instruction, and the number that it pushed
	before  int
	pushed  float64
	pushes  bool
	ofTexts bool // the last switch was one of hashes of texts, behind which comes one of their places
}

// readCode takes the numbers that a method compares something with. Small ones stand in no pool: they are parts of the
// instructions by which they are pushed, or of a switch.
func (c *class) readCode(all []byte) {
	m := code{class: c, all: all}
	for m.at < len(all) && m.next() {
	}
}

// next goes past an instruction; false where it is none, or is cut off.
func (m *code) next() bool {
	op, rest := int(m.all[m.at]), m.all[m.at+1:]
	n := lengthOf(op)
	if op == wide && len(rest) > 0 && int(rest[0]) == iinc {
		n += 2
	}
	if op == tableswitch || op == lookupswitch {
		n = m.readSwitch(op)
	}
	if n == 0 || n > len(rest)+1 {
		return false
	}
	if m.pushes && op >= ifIcmpeq && op <= ifIcmple {
		m.take(m.pushed)
	}
	m.pushes = true
	switch {
	case op >= iconstM1 && op <= iconst5:
		m.pushed = float64(op - iconstM1 - 1)
	case op == bipush:
		m.pushed = float64(int8(rest[0]))
	case op == sipush:
		m.pushed = float64(int16(binary.BigEndian.Uint16(rest)))
	default:
		m.pushes = false
	}
	m.before = op
	if op == invokevirtual && m.class.nameOfMethod(int(binary.BigEndian.Uint16(rest))) == "hashCode" {
		m.before = hashed
	}
	m.at += n
	return true
}

// hashed stands for a call of hashCode, which is how a switch of texts begins.
const hashed = -1

// readSwitch takes the numbers of a switch, and returns the length of the instruction; 0 where it is cut off. A switch
// of texts, of enums or of types has numbers that the compiler made up.
func (m *code) readSwitch(op int) int {
	from := m.at + 4 - m.at%4 // behind the instruction, at a multiple of four
	b := bytesOf{rest: m.all[min(from, len(m.all)):]}
	word := func() int { return int(int32(b.number(4))) }
	made := m.ofTexts || m.before == hashed || m.before == iaload || m.before == invokedynamic
	m.ofTexts = m.before == hashed
	otherwise, low, count := word(), 0, word()
	entry := 8
	if op == tableswitch {
		low, entry = count, 4
		count = word() - low + 1
	}
	if b.short || count < 0 || count > len(b.rest)/entry {
		return 0
	}
	for i := range count {
		key := low + i
		if op == lookupswitch {
			key = word()
		}
		if to := word(); to != otherwise && !made { // a gap in a table goes where all else does
			m.take(float64(key))
		}
	}
	return len(m.all) - len(b.rest) - m.at
}

func (m *code) take(n float64) {
	if m.class.compared < maxCompared {
		m.class.compared++
		m.class.addNumber(n)
	}
}

// nameOfMethod is the name of a method in the pool.
func (c *class) nameOfMethod(at int) string { return c.utf8[c.refers[c.refers[at]]] }
