package hurl

import (
	"fmt"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/relation"
)

// related asserts what JSONPath can compute: that two values are the same, that one is the length of another.
func (b *asserts) related(c *plan.Check) {
	if query, many := b.query(c.Place); c.Relation == plan.Other && query != "" && !many {
		b.line("%s != \"%s\"", query, b.w.text(c.Given[0], '"'))
		return
	}
	if len(c.Given) > 0 {
		b.comment(fmt.Sprintf("%s: Hurl cannot compare it with an earlier value (%s)", c.Place, c.Relation))
		return
	}
	places := append([]exchange.Place{c.Place}, c.Of...)
	for _, p := range places {
		if p.Root() != "body" || lastWildcard(p) >= 0 {
			b.comment(fmt.Sprintf("%s: Hurl cannot compute the %s of %v", c.Place, c.Relation, c.Of))
			return
		}
	}
	own, of := jsonPath(c.Place, "$"), jsonPath(c.Of[0], "$")
	number := func(p string) string { return "(" + p + " >= 0 || " + p + " < 0)" }
	switch c.Relation {
	case relation.Count:
		b.nothing("$[?" + number(own) + " && " + of + "[*] && length(" + of + ") != " + own + "]")
	case relation.Equal:
		texts := "search(" + own + ", '') && search(" + of + ", '')"
		b.nothing("$[?" + own + " != " + of + " && ((" + texts + ") || (" + number(own) + " && " + number(of) + "))]")
	default:
		b.comment(fmt.Sprintf("%s: Hurl cannot compute the %s of %v", c.Place, c.Relation, c.Of))
	}
}
