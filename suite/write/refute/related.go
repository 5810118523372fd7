package refute

import (
	"slices"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/relation"
)

// Related reports whether the values of an answer contradict a relation. Where it cannot be told which of them belong
// together, or what was given before, they do not.
func Related(c plan.Check, a Answer) bool {
	at := Values(a.Response)
	of := make([][]string, 0, len(c.Of)+len(c.Given))
	r := relation.Relation{Is: c.Relation, Of: slices.Clone(c.Of)}
	for _, p := range c.Of {
		of = append(of, at(p))
	}
	for _, t := range c.Given {
		value, known := a.filled(t)
		if !known {
			return false
		}
		if !literal.IsNumber(value) {
			value = literal.JSON(value)
		}
		of, r.Of = append(of, []string{value}), append(r.Of, "")
	}
	switch own := at(c.Place); c.Relation {
	case plan.Unique:
		ids := slices.Sorted(slices.Values(of[0]))
		return len(slices.Compact(slices.Clone(ids))) < len(ids)
	case plan.Other:
		return len(own) == 1 && plan.TextOf(own[0]) == plan.TextOf(of[0][0])
	case plan.Above:
		r.Is = relation.AtLeast
		return len(own) == 1 && (own[0] == of[0][0] || r.Check(own[0], of[0][0]) != nil)
	case relation.Ascending, relation.Descending:
		return r.CheckOrder(of[0]) != nil
	default:
		return r.CheckAll(own, of, elements) != nil
	}
}

// elements counts the elements of an array; false where a raw value is none.
func elements(raw string) (n int, ok bool) {
	array := plan.ReadNode([]byte(raw))
	if array == nil || array.Raw != "[" {
		return 0, false
	}
	return len(array.Kids), true
}
