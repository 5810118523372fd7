package exchange

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
)

// minKnown is the least length, in bytes, of a value that is looked for in texts. The matcher hashes that many bytes.
const minKnown = 6

// matcher finds the longest of many texts at each position of another: a bit per hash of the first bytes tells nearly
// every position where none begins, and a search in the sorted list settles the rest. Its time does not depend on how
// many texts there are, but for the logarithm at the places where one may begin.
type matcher struct {
	texts  []string // sorted, each once, none shorter than minKnown
	shown  []string // by index: the value whose spelling the text is
	within []int32  // by index: the longest text that the text begins with, -1 for none
	bits   []uint64
	shift  int
}

// newMatcher makes the matcher of texts, each with the value whose spelling it is.
func newMatcher(values map[string]string) *matcher {
	m := &matcher{texts: make([]string, 0, len(values))}
	for text := range values {
		m.texts = append(m.texts, text)
	}
	slices.Sort(m.texts)
	size := max(12, bits.Len(uint(len(m.texts)))+4) // 16 bits for each text at least
	m.bits, m.shift = make([]uint64, 1<<(size-6)), 64-size
	m.shown, m.within = make([]string, len(m.texts)), make([]int32, len(m.texts))
	for i, text := range m.texts {
		m.shown[i], m.within[i] = values[text], -1
		for j := i - 1; j >= 0; j = int(m.within[j]) {
			if strings.HasPrefix(text, m.texts[j]) {
				m.within[i] = int32(j)
				break
			}
		}
		h := m.hash(text)
		m.bits[h>>6] |= 1 << (h & 63)
	}
	return m
}

// values returns what the matcher was made of.
func (m *matcher) values() map[string]string {
	out := make(map[string]string, len(m.texts))
	for i, text := range m.texts {
		out[text] = m.shown[i]
	}
	return out
}

// hash spreads the first minKnown bytes of a text over the bits.
func (m *matcher) hash(s string) uint64 {
	key := uint64(binary.LittleEndian.Uint32([]byte(s[:4]))) | uint64(s[4])<<32 | uint64(s[5])<<40
	return key * 0x9e3779b97f4a7c15 >> m.shift
}

// next returns the leftmost text in s at or after from, the longest that begins there, as its index in texts.
func (m *matcher) next(s string, from int) (at, index int) {
	for i := from; i+minKnown <= len(s); i++ {
		h := m.hash(s[i:])
		if m.bits[h>>6]&(1<<(h&63)) == 0 {
			continue
		}
		if n := m.prefix(s[i:]); n >= 0 {
			return i, n
		}
	}
	return -1, -1
}

// prefix returns the longest text that s begins with, -1 for none. Whatever s begins with is sorted before it, and all
// that is sorted between the two begins with it as well.
func (m *matcher) prefix(s string) int {
	n, found := slices.BinarySearch(m.texts, s)
	if !found {
		n--
	}
	for ; n >= 0 && !strings.HasPrefix(s, m.texts[n]); n = int(m.within[n]) {
	}
	return n
}
