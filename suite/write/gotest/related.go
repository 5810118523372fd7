package gotest

import (
	"fmt"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// related writes how a value follows from others: by a relation, or as a digest.
func related(place string, c *plan.Check) string {
	if c.Kind == plan.CheckHash {
		return fmt.Sprintf("res.digestOf(%s, %q, %s, %d)", place, c.Hash, goText(c.Operands()[0]), c.Length)
	}
	out := "res.related(" + literal.Go(string(c.Relation)) + ", " + place
	for _, t := range c.Operands() {
		out += ", " + goText(t)
	}
	return out + ")"
}
