package polling

import (
	"strconv"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/source"
	"github.com/flaketap/flaketap/suite/python/syntax"
)

// maxGiven bounds how deep values are looked for in what is given.
const maxGiven = 8

// PartOf is how a value is asked of what a call gives, by the name of that; false where it cannot be.
func PartOf(given syntax.Node, x expr.Expr, name string, spelled source.Spelling) (string, bool) {
	return partOf(given, x, name, spelled, 0)
}

func partOf(of syntax.Node, x expr.Expr, name string, spelled source.Spelling, depth int) (string, bool) {
	within := func(y syntax.Node, step string) (string, bool) { return partOf(y, x, name+step, spelled, depth+1) }
	if depth > maxGiven {
		return "", false
	}
	switch of := of.(type) {
	case syntax.Name:
		part, ok := x.(expr.Answer)
		return spelled.Of(name, part.Part), ok && part.Var == of.Id
	case syntax.Seq:
		for i, y := range of.Elems {
			if text, ok := within(y, "["+strconv.Itoa(i)+"]"); ok {
				return text, true
			}
		}
		return "", false
	case syntax.Dict:
		for i, y := range of.Values {
			key, isText := of.Keys[i].(syntax.StrLit)
			if text, ok := within(y, "["+strconv.Quote(key.S)+"]"); ok && isText && strconv.Quote(key.S) == `"`+key.S+`"` {
				return text, true
			}
		}
		return "", false
	}
	value := meaning.Of(of)
	return name, expr.FromAnswer(value) && expr.Identical(value, x)
}
