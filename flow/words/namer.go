package words

import (
	"strconv"
	"strings"
)

// Namer hands out names that are unique.
type Namer map[string]int

// Unique returns base, or base with sep and a number behind it.
func (n Namer) Unique(base, sep string) string {
	for {
		n[base]++
		k := n[base]
		if k == 1 {
			return base
		}
		name := base + sep + strconv.Itoa(k)
		if n[name] == 0 {
			n[name] = 1
			return name
		}
	}
}

// Variable returns a unique name in camel case.
func (n Namer) Variable(hint string) string { return n.Unique(camel(hint), "") }

// MaxName bounds the names that are made, in bytes.
const MaxName = 40

// camel returns a text as a name fit for a variable: letters and digits in camel case, a letter first.
func camel(s string) string {
	var b strings.Builder
	up := false
	for i := 0; i < len(s) && b.Len() < MaxName; i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z' || IsUpper(c) || c >= '0' && c <= '9' && b.Len() > 0:
			if up && c >= 'a' && c <= 'z' {
				c -= 'a' - 'A'
			}
			if b.Len() == 0 && IsUpper(c) && (i+1 == len(s) || !IsUpper(s[i+1])) {
				c += 'a' - 'A'
			}
			b.WriteByte(c)
			up = false
		default:
			up = b.Len() > 0
		}
	}
	if b.Len() == 0 {
		return "value"
	}
	return b.String()
}
