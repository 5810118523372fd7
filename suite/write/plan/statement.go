package plan

import "strings"

// Statement is one thing that a test says of an answer. Exactly one of Keep, Gone, Assert, SkipUnless and Only is set.
type Statement struct {
	Keep *Capture
	// Gone is a value that names nothing any more where the answer says so, as [Gone] does.
	Gone   string
	Assert *Check
	// SkipUnless skips the rest of the test, with the words of [NotMade], where the answer has another status. A form
	// whose runner cannot skip a test that has begun says the words and ends it.
	SkipUnless int
	// Only is the status that the answer must have for Then to be said.
	Only int
	Then []Statement
}

// Gone reports whether the status of an answer to a request that takes something away says that it is not there any
// more (RFC 9110, sections 15.3, 15.5.5 and 15.5.11): 202 promises that alone.
func Gone(status int) bool { return status/100 == 2 && status != 202 || status == 404 || status == 410 }

// NotMade says why the rest of a test is skipped.
const NotMade = "the set-up is refused, so what the test needs is not there"

// Statements lists what a step says of its answer, in the order in which forms write it: first what is kept, so that a
// test that fails takes away what it made; then what is asserted, the status before all else; then, put together, what
// is asserted of answers of one status alone.
func (s *Step) Statements() []Statement {
	var out []Statement
	for _, name := range s.Gone {
		out = append(out, Statement{Gone: name})
	}
	for i := range s.Captures {
		out = append(out, Statement{Keep: &s.Captures[i]})
	}
	for i := range s.Checks {
		c := &s.Checks[i]
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
