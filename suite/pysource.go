package suite

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// pySource writes an expression as Python: those that name what an assertion looks at, and literals.
func pySource(x expr) string {
	switch x := x.(type) {
	case pyStr:
		return pyString(x.s)
	case pyNum:
		return x.text
	case pyName:
		return x.id
	case pyAttr:
		return pySource(x.x) + "." + x.name
	case pyIndex:
		return pySource(x.x) + "[" + pySource(x.i) + "]"
	case pyUnary:
		return x.op + pySource(x.x)
	case pyCall:
		args := make([]string, len(x.args))
		for i, a := range x.args {
			args[i] = pySource(a)
		}
		return pySource(x.fn) + "(" + strings.Join(args, ", ") + ")"
	}
	return "?" // no Python: what holds it is no candidate
}

// pyShow shows a value as Python writes it.
func pyShow(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case *big.Int:
		return v.String()
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		return pyString(v)
	case pyItems:
		return "a list of " + strconv.Itoa(len(v))
	case map[string]any:
		return "an object of " + strconv.Itoa(len(v))
	}
	return "?"
}

// jsonText returns the text of a JSON string token.
func jsonText(token string) (string, bool) {
	var s string
	err := json.Unmarshal([]byte(token), &s)
	return s, err == nil
}
