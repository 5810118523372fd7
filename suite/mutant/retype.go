package mutant

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// Retype writes a number or a boolean as a string, a string and null as a number, an array as an object and the
// other way round.
const Retype Kind = "retype"

// retype gives a place a value of another type.
func retype() fault {
	return fault{
		kind: Retype,
		breaks: func(m Mutant, v *seen, _ Judgement) bool {
			return inBody(m) && !v.text && v.kinds != "" && !(v.has("{[") && v.has(`"0tf`))
		},
		token: func(_ Mutant, raw []byte) ([]byte, bool) { return retyped(raw), true },
		tells: func(Mutant) string { return "its type" },
	}
}

// retyped returns a value of another type.
func retyped(raw []byte) []byte {
	switch raw[0] {
	case '"':
		if inner := raw[1 : len(raw)-1]; len(inner) > 0 && isNumber(inner) && json.Valid(inner) {
			return bytes.Clone(inner)
		}
		return strconv.AppendInt(nil, int64(len(raw)-2), 10)
	case 'n':
		return []byte("0")
	case '[':
		return []byte("{}")
	case '{':
		return []byte("[]")
	}
	return fmt.Appendf(nil, `"%s"`, raw)
}
