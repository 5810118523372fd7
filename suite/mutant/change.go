package mutant

import "bytes"

// Change gives a stable value another of its type: the next digit or letter, the other boolean. A volatile text becomes
// "~", which is of no format, a volatile number one of the other sign and a thousand times as far from 0.
const Change Kind = "change"

// change gives a place another value of its type.
func change() fault {
	return fault{
		kind: Change, plausible: true,
		// Of a boolean that moves there is no other value, of a volatile null none that would be wrong.
		breaks: func(_ Mutant, v *seen, known Judgement) bool { return v.has(`"0`) || v.has("tf") && !known.Volatile },
		token:  Mutant.otherToken,
		text:   Mutant.otherText,
		field:  Mutant.otherField,
		tells: func(m Mutant) string {
			if m.Volatile {
				return "its format or range"
			}
			return m.equality()
		},
	}
}

// nonsense is a text of no format.
const nonsense = "~"

// otherToken returns another value of the same type.
func (m Mutant) otherToken(raw []byte) ([]byte, bool) {
	switch {
	case raw[0] == '"' && m.Volatile:
		return []byte(`"` + nonsense + `"`), true
	case raw[0] == '"':
		return append(append([]byte{'"'}, nextText(raw[1:len(raw)-1])...), '"'), true
	case string(raw) == "true":
		return []byte("false"), !m.Volatile
	case string(raw) == "false":
		return []byte("true"), !m.Volatile
	case !isNumber(raw):
		return nil, false
	case m.Volatile:
		return farNumber(raw), true
	}
	return nextNumber(raw), true
}

// otherText is another text for one that is no JSON.
func (m Mutant) otherText(text []byte) ([]byte, bool) {
	if m.Volatile {
		return []byte(nonsense), string(text) != nonsense
	}
	return nextText(text), true
}

// otherField changes the value of a field line: of one with parameters, what stands before them.
func (m Mutant) otherField(raw []byte) ([]byte, bool) {
	at := bytes.IndexByte(raw, ':') + 1
	value := bytes.TrimSpace(raw[at:])
	begin := at + bytes.Index(raw[at:], value)
	end := begin + len(value)
	if m.Volatile {
		return append(append(bytes.Clone(raw[:begin]), nonsense...), raw[end:]...), string(value) != nonsense
	}
	if i := bytes.IndexByte(value, ';'); i > 0 {
		end = begin + i
	}
	return append(append(bytes.Clone(raw[:begin]), nextText(raw[begin:end])...), raw[end:]...), true
}

// nextText returns a text with its last letter or digit turned into the next one; one that has none gets a letter. What
// follows a backslash is no letter: this may be the inside of a JSON string.
func nextText(text []byte) []byte {
	at := -1
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && text[i+1] == 'u':
			i += 5
		case c == '\\':
			i++
		case isAlnum(c):
			at = i
		}
	}
	if at < 0 {
		return append(bytes.Clone(text), 'x')
	}
	out := bytes.Clone(text)
	switch out[at] {
	case 'z':
		out[at] = 'a'
	case 'Z':
		out[at] = 'A'
	case '9':
		out[at] = '0'
	default:
		out[at]++
	}
	return out
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// nextNumber returns a number with the last digit before its exponent turned into the next one.
func nextNumber(raw []byte) []byte {
	out := bytes.Clone(raw)
	end := len(out)
	if i := bytes.IndexAny(out, "eE"); i >= 0 {
		end = i
	}
	out[end-1] = '0' + (out[end-1]-'0'+1)%10
	return out
}

// farNumber returns a number of the other sign and a thousand times as far from 0, 1000 at least; integers stay such.
func farNumber(raw []byte) []byte {
	digits, negative := bytes.CutPrefix(raw, []byte("-"))
	sign := "-"
	if negative {
		sign = ""
	}
	whole, _, fraction := bytes.Cut(digits, []byte("."))
	switch {
	case bytes.ContainsAny(digits, "eE"):
		return []byte(sign + "1e99")
	case string(whole) == "0":
		whole = []byte("1")
	}
	out := sign + string(whole) + "000"
	if fraction {
		out += ".5"
	}
	return []byte(out)
}
