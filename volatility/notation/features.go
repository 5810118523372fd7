package notation

import "unicode/utf8"

// features are what a text has of what dates are made of.
type features struct {
	foreign bool // letters, digits or marks beyond ASCII
	names   bool // a word that may be the name of a weekday or month
	numbers bool // numbers that may be a date, or a time of day, by themselves
	digits  bool
}

// featuresOf looks at every byte of a text once: nearly all strings of all answers have nothing that a date is made of.
func featuresOf(s string) (f features) {
	x := names()
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			f.foreign = true
			return f
		case IsDigit(c):
			n := digits(s[i:])
			f.digits = true
			f.numbers = f.numbers || mayBeDate(s, i, n)
			i += n
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			hash := uint32(hashBasis)
			for ; i < len(s) && s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z'; i++ {
				hash = (hash ^ uint32(s[i]|0x20)) * hashPrime
			}
			f.names = f.names || x.mayName(hash)
		default:
			i++
		}
	}
	return f
}

// mayBeDate reports whether n digits of a text may be a year, a date without marks, or the first of several numbers of
// a date or a time.
func mayBeDate(s string, from, n int) bool {
	end := from + n
	// Hex digits have letters around numbers; an id has them before its date at most.
	if n != 6 && n != 8 && WordByteAt(s, from-1) && s[from-1]|0x20 != 'q' ||
		n > 2 && end < len(s) && WordByteAt(s, end) && s[end] != 'T' && s[end] != 'Q' {
		return false
	}
	switch n {
	case 4:
		return s[from:from+2] == "20" || s[from:from+2] == "19"
	case 6, 8:
		return true
	case 1, 2:
		if end == len(s) {
			return false
		}
		switch s[end] {
		case '/', '-', '.', ':', 'h', 'H', ' ':
			return end+1 < len(s) && (IsDigit(s[end+1]) || s[end] == ' ' && (meridiem(s[end+1:]) != 0 || s[end+1] == 'o'))
		case 'a', 'p', 'A', 'P':
			return meridiem(s[end:]) != 0
		}
	}
	return false
}
