package volatility

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// scalarKind is the JSON type of a token; containers included.
type scalarKind uint8

const (
	isNull scalarKind = iota
	isBoolean
	isInteger
	isNumber // written with a fraction or an exponent
	isString
	isArray
	isObject
)

// kindNames are the names of the types in the order in which Holds.Type joins them.
var kindNames = [...]string{"null", "boolean", "integer", "number", "string", "array", "object"}

// numKinds is how many types there are.
const numKinds = len(kindNames)

// String returns the name of the type.
func (k scalarKind) String() string { return kindNames[k] }

// scalar is a raw JSON token with what is asked of it again and again.
type scalar struct {
	raw  string
	kind scalarKind
	text string // of a string, unescaped
}

func scalarOf(raw string) scalar {
	v := scalar{raw: raw, kind: isInteger}
	if raw == "" {
		v.kind = isNull
		return v
	}
	switch raw[0] {
	case 'n':
		v.kind = isNull
	case 't', 'f':
		v.kind = isBoolean
	case '"':
		v.kind = isString
		v.text = raw[1 : len(raw)-1]
		if strings.IndexByte(raw, '\\') >= 0 && json.Unmarshal([]byte(raw), &v.text) != nil {
			v.text = raw[1 : len(raw)-1]
		}
	case '[':
		v.kind = isArray
	case '{':
		v.kind = isObject
	default:
		for i := range len(raw) {
			if c := raw[i]; c == '.' || c|0x20 == 'e' {
				v.kind = isNumber
				break
			}
		}
	}
	return v
}

// numeric reports whether the token is a number of either kind.
func (v scalar) numeric() bool { return v.kind == isInteger || v.kind == isNumber }

// word returns the scalar as bindings hold it: unescaped, without quotes.
func (v scalar) word() string {
	if v.kind == isString {
		return v.text
	}
	return v.raw
}

// float reads a number token; what is beyond a float64 is the largest there is.
func float(raw string) float64 {
	f, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		return math.Copysign(math.MaxFloat64, f)
	}
	return f
}

// binaryLen returns the number of bytes of a body that is neither JSON nor text, which the comparison shows as a token.
func binaryLen(s string) (n int, ok bool) {
	if !strings.HasPrefix(s, "binary:") {
		return 0, false
	}
	p := reBinary.FindStringSubmatch(s)
	if p == nil {
		return 0, false
	}
	n, err := strconv.Atoi(p[1])
	return n, err == nil
}

var reBinary = regexp.MustCompile(`^binary:(\d{1,12}):[0-9a-f]{32}$`)
