package plan

import "strings"

// Statement is one thing that a test says of an answer. Exactly one of Keep, Assert, SkipUnless and Only is set.
type Statement struct {
	Keep   *Capture
	Assert *Check
	// SkipUnless skips the rest of the test, with the words of [NotMade], where the answer has another status. A form
	// whose runner cannot skip a test that has begun says the words and ends it.
	SkipUnless int
	// Only is the status that the answer must have for Then to be said.
	Only int
	Then []Statement
}

// NotMade says why the rest of a test is skipped.
const NotMade = "the set-up is refused, so what the test needs is not there"

// Order says where values are kept among the statements about an answer.
type Order int

// The orders. They differ where the status is not as asserted: KeepFirst has kept the values then, StatusFirst has not.
// What is asserted together with the status ([CheckCommon]) comes after the values in either, so that a test whose
// answer lacks a header takes away what it made.
const (
	KeepFirst Order = iota
	StatusFirst
)

// Statements lists what a step says of its answer, in the order in which forms write it: what is kept and asserted, the
// status before all other assertions; then, put together, what is asserted of answers of one status alone.
func (s *Step) Statements(order Order) []Statement {
	var out []Statement
	checks := s.Checks
	if order == StatusFirst && len(checks) > 0 && checks[0].Kind == CheckStatus {
		out = append(out, s.assert(&checks[0])...)
		checks = checks[1:]
	}
	if order == StatusFirst && len(checks) > 0 && checks[0].Kind == CheckCommon && len(s.Captures) > 0 {
		status := Check{Kind: CheckStatus, Place: checks[0].Place, Statuses: checks[0].Statuses}
		out = append(out, Statement{Assert: &status})
	}
	for i := range s.Captures {
		out = append(out, Statement{Keep: &s.Captures[i]})
	}
	for i := range checks {
		c := &checks[i]
		last := len(out) - 1
		switch {
		case c.If == 0:
			out = append(out, s.assert(c)...)
		case last >= 0 && out[last].Only == c.If:
			out[last].Then = append(out[last].Then, s.assert(c)...)
		default:
			out = append(out, Statement{Only: c.If, Then: s.assert(c)})
		}
	}
	return out
}

func (s *Step) assert(c *Check) []Statement {
	out := []Statement{{Assert: c}}
	if c.Kind == CheckStatus && s.Ends && len(c.Statuses) > 1 {
		out = append(out, Statement{SkipUnless: c.Statuses[0]})
	}
	return out
}

// Comments lists the lines of comment that stand above a check: why it asserts less than was recorded, and in comment
// mode what it would assert.
func (c *Check) Comments() []string {
	var out []string
	if why := c.Why; why != "" {
		if c.Kind != CheckOutline && !strings.Contains(why, string(c.Place)) {
			why = OneLine(string(c.Place)) + ": " + why
		}
		out = append(out, Visible(why))
	}
	if c.Off != "" {
		out = append(out, Visible(c.Off))
	}
	return out
}

// BoundNames lists the values that a text is made of, in order.
func (t Text) BoundNames() []string {
	var out []string
	for _, p := range t {
		if p.Bound != "" {
			out = append(out, p.Bound)
		}
	}
	return out
}
