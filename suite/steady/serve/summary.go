package serve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/steady"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// maxListed bounds the lines about what passed unchanged.
const maxListed = 20

// shower writes operations and places without secrets.
type shower struct{ redactor exchange.Redactor }

func (s shower) operation(op exchange.Operation) string {
	return console.OneLine(s.redactor.Show("", op.String()))
}

func (s shower) place(p exchange.Place) string {
	return console.OneLine(string(s.redactor.ShowPlace(p)))
}

// say says what was held still, and what was not.
func (s shower) say(c *console.Console, sum steady.Summary) {
	c.Say("flaketap: %s, %d of them as recorded; %s held still%s, %s translated, %s put back in order",
		console.Count(sum.Requests, "request"), sum.Found, console.Count(sum.HeldValues(), "value"), byCategory(sum.Held),
		console.Count(sum.Ids, "id"), console.Count(sum.Ordered, "array"))
	if sum.Passed == 0 {
		return
	}
	c.Say("flaketap: %s passed through unchanged:", console.Count(sum.Passed, "value"))
	for i, r := range sum.Raw {
		if i == maxListed {
			c.Say("flaketap:   and %s; --raw FILE lists them", console.Count(len(sum.Raw)-i+sum.Dropped, "other"))
			break
		}
		place := ""
		if r.Place != "" {
			place = " " + s.place(r.Place)
		}
		c.Say("flaketap:   %s%s: %s (%d)", s.operation(r.Operation), place, r.Reason, r.Count)
	}
}

// byCategory says why the values move that were held still: " (Rand 3, Time 12)"; "" where there are none.
func byCategory(held map[mapfile.Category]int) string {
	var parts []string
	for c, n := range held {
		parts = append(parts, fmt.Sprintf("%s %d", cmp.Or(string(c), "unexplained"), n))
	}
	if len(parts) == 0 {
		return ""
	}
	slices.Sort(parts)
	return " (" + strings.Join(parts, ", ") + ")"
}
