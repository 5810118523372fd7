package earlier

import (
	"strconv"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/relation"
)

// The least that speaks for a relation to an earlier answer: executions, different values among them, and the length of
// a text that is another one each time.
const (
	MinExecutions = 5
	minSinceTold  = 3
	minSinceBytes = 8
)

// Since finds how the value at a place relates to the one that the last answer before it had at another, and in how
// many executions; nil where they do not relate, or too few say so.
func Since(now []Answer, place exchange.Place, earlier []Answer, at exchange.Place) (*plan.Check, int) {
	return relate(paired(now, place, earlier, at))
}

// paired lists what two places said in the executions that have both, the earlier one last before the other; nil where
// one of these lacks a value.
func paired(now []Answer, place exchange.Place, earlier []Answer, at exchange.Place) [][2]string {
	var out [][2]string
	for i := range now {
		before := LastBefore(earlier, now[i])
		switch {
		case before == nil:
		case before.Texts[at] == "" || now[i].Texts[place] == "":
			return nil
		default:
			out = append(out, [2]string{before.Texts[at], now[i].Texts[place]})
		}
	}
	return out
}

// relate finds how the second text of each pair relates to the first, and in how many pairs: a number that is always
// the same distance away (Given says which), or a text that is always another. It returns nil where they do not relate,
// or too few say so.
func relate(all [][2]string) (*plan.Check, int) {
	told, numbers, others := map[string]bool{}, true, true
	var apart int64
	for i, p := range all {
		told[p[1]] = true
		x, err := strconv.ParseInt(p[0], 10, 64)
		y, err2 := strconv.ParseInt(p[1], 10, 64)
		numbers = numbers && err == nil && err2 == nil && (i == 0 || y-x == apart)
		apart = y - x
		others = others && p[0] != p[1] && len(p[0]) >= minSinceBytes && len(p[1]) >= minSinceBytes
	}
	switch {
	case len(all) < MinExecutions || len(told) < minSinceTold:
		return nil, 0
	case numbers && apart != 0:
		by := plan.Text{{Literal: strconv.FormatInt(apart, 10)}}
		return &plan.Check{Relation: relation.Sum, Given: []plan.Text{by}}, len(all)
	case others && len(told) == len(all):
		return &plan.Check{Relation: plan.Other}, len(all)
	}
	return nil, 0
}
