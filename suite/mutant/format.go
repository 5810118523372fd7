package mutant

import (
	"bytes"
	"regexp"
	"strings"
)

// Format writes the same value in another notation: a date and its time of day with a blank between them in the place
// of the T or the other way round, a UUID without hyphens, a text in upper case.
const Format Kind = "format"

// uuidToken is a UUID as a JSON string (RFC 9562 §4).
var uuidToken = regexp.MustCompile(`^"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"$`)

// hexToken is a JSON string of hexadecimal digits, hyphens among them; letters are in lower case.
var hexToken = regexp.MustCompile(`^"[0-9a-f-]{8,}"$`)

// format writes values in another notation. A text that moves is written in upper case only where it is hexadecimal: of
// others nobody can tell in which case they were to be.
func format() []fault {
	one := func(way string, token func(raw []byte) ([]byte, bool)) fault {
		edit := func(m Mutant, raw []byte) ([]byte, bool) {
			if way == "upper" && m.Volatile && !hexToken.Match(raw) {
				return nil, false
			}
			out, ok := token(raw)
			return out, ok && !bytes.Equal(out, raw)
		}
		return fault{
			kind: Format, way: way, token: edit,
			breaks: func(m Mutant, v *seen, _ Judgement) bool { return inBody(m) && v.becomesOther(m, edit) },
			tells: func(m Mutant) string {
				if m.Volatile {
					return "its format, as in " + m.Held
				}
				return m.equality()
			},
		}
	}
	return []fault{
		one("date", func(raw []byte) ([]byte, bool) {
			m := isoMoment.FindSubmatchIndex(raw)
			if m == nil {
				return nil, false
			}
			out := bytes.Clone(raw)
			if out[m[4]] == ' ' {
				out[m[4]] = 'T'
			} else {
				out[m[4]] = ' '
			}
			return out, true
		}),
		one("hyphens", func(raw []byte) ([]byte, bool) {
			return bytes.ReplaceAll(raw, []byte("-"), nil), uuidToken.Match(raw)
		}),
		one("upper", func(raw []byte) ([]byte, bool) {
			if raw[0] != '"' || bytes.IndexByte(raw, '\\') >= 0 {
				return nil, false
			}
			return []byte(strings.ToUpper(string(raw))), true
		}),
	}
}
