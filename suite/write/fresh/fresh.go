package fresh

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Run is the value that is another in each run, as letters and digits; tests put it into names.
const Run = "thisRun"

// anAddress finds the e-mail addresses of a request.
var anAddress = regexp.MustCompile(`[A-Za-z0-9._%-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+`)

// around reports the signs of addresses: one that adjoins another is a part of another address.
var around = regexp.MustCompile(`^[A-Za-z0-9._%+@-]$`)

// Names has the e-mail addresses with which tests of a plan sign up an account that they share hold [Run], and all that
// the plan says of these addresses too. An address that a secret holds stays as it is: what answers tell of it is known
// by the recorded one. It reports whether there was anything to do.
func Names(p *plan.Plan) bool {
	var names []string
	for _, t := range p.Tests {
		for _, s := range t.Steps {
			for _, name := range addresses(&s) {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return elsewhere(p, name) })
	taken := slices.ContainsFunc(p.Bound, func(v plan.Value) bool { return v.Name == Run })
	if len(names) == 0 || taken {
		return false
	}
	for i := range p.Tests {
		for _, name := range names {
			if !sends(&p.Tests[i], name) {
				continue // it tells of another thing of that name, such as an example in a document
			}
			for j := range p.Tests[i].Steps {
				step(&p.Tests[i].Steps[j], name)
			}
		}
	}
	p.Bound = append(p.Bound, plan.Value{Name: Run, Recorded: plan.Text{{}}, From: "another text in each run", Fresh: true})
	return true
}

// sends reports whether a test sends a name in some request.
func sends(t *plan.Test, name string) bool {
	in := func(text plan.Text) bool {
		return slices.ContainsFunc(text, func(p plan.Piece) bool { return index(p.Literal, name) >= 0 })
	}
	return slices.ContainsFunc(t.Steps, func(s plan.Step) bool {
		return in(s.Target) || s.Body != nil && in(s.Body.Text) ||
			slices.ContainsFunc(s.Headers, func(h plan.Header) bool { return in(h.Value) })
	})
}

// elsewhere reports whether a name is a part of a secret, or is written in another way where a test sends it: no run
// can be put in there.
func elsewhere(p *plan.Plan, name string) bool {
	for _, v := range p.Secrets {
		if strings.Contains(v, name) {
			return true
		}
	}
	escaped := strings.Replace(name, "@", "%40", 1)
	for _, t := range p.Tests {
		for _, s := range t.Steps {
			for _, text := range s.Texts() {
				if slices.ContainsFunc(text, func(p plan.Piece) bool { return strings.Contains(p.Literal, escaped) }) {
					return true
				}
			}
		}
	}
	return false
}

// addresses lists those with which a step signs up somebody once for all tests.
func addresses(s *plan.Step) []string {
	if !s.Single || s.Method != "POST" || s.Body == nil || s.Body.Bytes != nil {
		return nil
	}
	var out []string
	for _, p := range s.Body.Text {
		out = append(out, anAddress.FindAllString(p.Literal, -1)...)
	}
	if len(out) != 1 {
		return nil // nobody knows whose they are
	}
	return out
}

// step puts the run into a name wherever a step has it.
func step(s *plan.Step, name string) {
	s.Target = text(s.Target, name)
	s.Headers = slices.Clone(s.Headers)
	for i := range s.Headers {
		s.Headers[i].Value = text(s.Headers[i].Value, name)
	}
	if s.Body != nil {
		body := *s.Body
		body.Text = text(body.Text, name)
		s.Body = &body
	}
	var more []plan.Check
	s.Checks = slices.Clone(s.Checks)
	for i := range s.Checks {
		more = append(more, check(&s.Checks[i], name)...)
	}
	s.Checks = append(s.Checks, more...)
}

// text puts the run into a name within a text, before its @.
func text(t plan.Text, name string) plan.Text {
	var out plan.Text
	for _, p := range t {
		if !p.IsLiteral() {
			out = append(out, p)
			continue
		}
		rest := p.Literal
		for n := index(rest, name); n >= 0; n = index(rest, name) {
			at := n + strings.Index(name, "@")
			out = append(out, plan.Piece{Literal: rest[:at]}, plan.Piece{Bound: Run})
			rest = rest[at:]
		}
		out = append(out, plan.Piece{Literal: rest})
	}
	if t == nil {
		return nil
	}
	return plan.Joined(out)
}

// index finds a name that is no part of a longer one; -1 where there is none.
func index(s, name string) int {
	for from := 0; ; {
		n := strings.Index(s[from:], name)
		if n < 0 {
			return -1
		}
		n += from
		before, after := s[max(0, n-1):n], s[n+len(name):]
		if !around.MatchString(before) && !around.MatchString(after[:min(1, len(after))]) {
			return n
		}
		from = n + len(name)
	}
}

// check puts the run into a name in what a check says, and returns what is to be said beside it.
func check(c *plan.Check, name string) []plan.Check {
	c.Text, c.Name = text(c.Text, name), text(c.Name, name)
	for _, list := range []*[]plan.Text{&c.Lines, &c.Given} {
		*list = slices.Clone(*list)
		for i := range *list {
			(*list)[i] = text((*list)[i], name)
		}
	}
	if strings.Contains(string(c.Holds.Equal), name) || strings.Contains(c.Holds.Pattern, regexp.QuoteMeta(name)) ||
		slices.ContainsFunc(c.Holds.OneOf, func(v json.RawMessage) bool { return strings.Contains(string(v), name) }) {
		c.Holds = mapfile.Holds{Type: "string"}
	}
	root := plan.ReadNode(c.JSON)
	if root == nil || index(string(c.JSON), name) < 0 {
		return nil
	}
	c.Masks = slices.Clone(c.Masks)
	var more []plan.Check
	root.Walk(func(n *plan.Node) bool {
		said := ""
		if !n.Scalar() || json.Unmarshal([]byte(n.Raw), &said) != nil || index(said, name) < 0 {
			return true
		}
		at := plan.Pointer(n.Place, exchange.PlaceBody)
		if c.Kind == plan.CheckItems { // whose elements are in any order
			_, rest, _ := strings.Cut(strings.TrimPrefix(string(at), "/"), "/")
			at = exchange.Place("/*/" + rest)
		} else {
			more = append(more, plan.Check{Kind: plan.CheckEqual, Place: n.Place, If: c.If, Off: c.Off,
				Text: text(plan.Text{{Literal: said}}, name)})
		}
		if !slices.Contains(c.Masks, at) {
			c.Masks = append(c.Masks, at)
		}
		return true
	})
	root.Walk(func(n *plan.Node) bool {
		at := plan.Pointer(n.Place, exchange.PlaceBody)
		n.Masked = n.Masked || slices.ContainsFunc(c.Masks, func(m exchange.Place) bool { return m.Matches(at) })
		return true
	})
	c.JSON = root.JSON()
	return more
}
