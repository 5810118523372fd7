package compare

import (
	"strings"
	"unicode/utf8"
)

// matcher says of a text what the expression of a template says, without it: nearly every text that moves is asked
// about. It is made of templates whose gaps end where the fixed part after them begins, and cannot end elsewhere.
type matcher struct {
	head string // what is fixed before the first gap
	gaps []fillable
}

// fillable is a gap, and what is fixed after it.
type fillable struct {
	in    *[256]bool
	least int
	after string
}

// The bytes that gaps may hold, by their expression.
var (
	anySet   = bytesWhere(func(byte) bool { return true })
	lineSet  = bytesWhere(func(c byte) bool { return c != '\n' })
	markSet  = bytesWhere(func(c byte) bool { return strings.IndexByte("\t\n\f\r ", c) < 0 })
	digitSet = bytesWhere(func(c byte) bool { return c >= '0' && c <= '9' })
	wordSet  = bytesWhere(asciiWord)
	jointSet = bytesWhere(func(c byte) bool { return asciiWord(c) || joins(c) })
	mixedSet = bytesWhere(func(c byte) bool { return asciiWord(c) || joins(c) || strings.IndexByte("/=~", c) >= 0 })
)

func asciiWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func bytesWhere(in func(byte) bool) *[256]bool {
	var set [256]bool
	for c := range set {
		set[c] = in(byte(c))
	}
	return &set
}

// bytesOf returns the bytes of what an expression stands for; nil where they do not say it.
func bytesOf(expression string) *[256]bool {
	switch expression {
	case anyFilling:
		return anySet
	case lineFilling:
		return lineSet
	case markFilling:
		return markSet
	case digitFilling:
		return digitSet
	case wordFilling:
		return wordSet
	case jointFilling:
		return jointSet
	case mixedFilling:
		return mixedSet
	}
	return nil
}

// matcherOf returns nil where the gaps of a template could end in several places, or where bytes do not say what they
// hold.
func matcherOf(parts []part) *matcher {
	var m matcher
	var fixed strings.Builder
	end := func() {
		if n := len(m.gaps); n > 0 {
			m.gaps[n-1].after = fixed.String()
		} else {
			m.head = fixed.String()
		}
		fixed.Reset()
	}
	for _, p := range parts {
		if p.class == 0 {
			if !utf8.ValidString(p.word) {
				return nil
			}
			fixed.WriteString(p.word)
			continue
		}
		end()
		g := fillable{in: bytesOf(p.filling()), least: 1}
		if p.class&mayBeEmpty != 0 {
			g.least = 0
		}
		if g.in == nil {
			return nil
		}
		m.gaps = append(m.gaps, g)
	}
	end()
	for i, g := range m.gaps {
		if i < len(m.gaps)-1 && (g.after == "" || g.in[g.after[0]]) {
			return nil
		}
	}
	return &m
}

// match wants a text in UTF-8.
func (m *matcher) match(text string) bool {
	rest, ok := strings.CutPrefix(text, m.head)
	for i := 0; ok && i < len(m.gaps); i++ {
		g := &m.gaps[i]
		n := 0
		for n < len(rest) && g.in[rest[n]] {
			n++
		}
		if i == len(m.gaps)-1 { // what is fixed after it may be of the same making
			end := len(rest) - len(g.after)
			return end >= g.least && end <= n && rest[end:] == g.after
		}
		if n < g.least {
			return false
		}
		rest, ok = strings.CutPrefix(rest[n:], g.after)
	}
	return ok && rest == ""
}
