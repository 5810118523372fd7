package notation

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/lazy"
)

// Kind is the JSON type of a token; containers included.
type Kind uint8

const (
	Null Kind = iota
	Boolean
	Integer
	Number // written with a fraction or an exponent
	String
	Array
	Object
)

// kindNames are the names of the types in the order in which Holds.Type joins them.
var kindNames = [...]string{"null", "boolean", "integer", "number", "string", "array", "object"}

// Kinds is how many types there are.
const Kinds = len(kindNames)

// String returns the name of the type.
func (k Kind) String() string { return kindNames[k] }

// Scalar is a raw JSON token with what is asked of it again and again.
type Scalar struct {
	Raw  string
	Kind Kind
	Text string // of a string, unescaped
}

func ScalarOf(raw string) Scalar {
	v := Scalar{Raw: raw, Kind: Integer}
	if raw == "" {
		v.Kind = Null
		return v
	}
	switch raw[0] {
	case 'n':
		v.Kind = Null
	case 't', 'f':
		v.Kind = Boolean
	case '"':
		v.Kind = String
		v.Text = unescaped(raw)
	case '[':
		v.Kind = Array
	case '{':
		v.Kind = Object
	default:
		for i := range len(raw) {
			if c := raw[i]; c == '.' || c|0x20 == 'e' {
				v.Kind = Number
				break
			}
		}
	}
	return v
}

// unescaped returns the text of a string token.
func unescaped(raw string) string {
	if strings.IndexByte(raw, '\\') >= 0 {
		var text string
		if json.Unmarshal([]byte(raw), &text) == nil {
			return text
		}
	}
	return raw[1 : len(raw)-1]
}

// Numeric reports whether the token is a number of either kind.
func (v Scalar) Numeric() bool { return v.Kind == Integer || v.Kind == Number }

// Plain returns the scalar as bindings hold it: unescaped, without quotes.
func (v Scalar) Plain() string {
	if v.Kind == String {
		return v.Text
	}
	return v.Raw
}

// Float reads a number token; what is beyond a float64 is the largest there is.
func Float(raw string) float64 {
	f, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		return math.Copysign(math.MaxFloat64, f)
	}
	return f
}

// BinaryLen returns the number of bytes of a body that is neither JSON nor text, which the comparison shows as a token.
func BinaryLen(s string) (n int, ok bool) {
	if !strings.HasPrefix(s, "binary:") {
		return 0, false
	}
	p := reBinary().FindStringSubmatch(s)
	if p == nil {
		return 0, false
	}
	n, err := strconv.Atoi(p[1])
	return n, err == nil
}

var reBinary = lazy.Regexp(`^binary:(\d{1,12}):[0-9a-f]{32}$`)
