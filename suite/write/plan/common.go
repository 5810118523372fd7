package plan

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Common is what most answers of the API at a plan's target have in common in their heads. A form that can share it
// writes its checks once, in a function of the suite; tests call that with the status that they want.
type Common struct {
	Headers []CommonHeader // in the order of their names; empty where nothing is worth to be shared
	Excepts bool           // some tests name headers that the function is to leave alone
}

// CommonHeader is a header of which most answers say the same.
type CommonHeader struct {
	Name   string  // in lower case
	Checks []Check // in the order in which they are asserted

	said string
}

// The least that is wanted of a header before its checks are shared: as many answers as make the function worth its
// lines, and the share of all judged answers from which on a place is common in a map too.
const (
	minCommon       = 10
	minCommonShare  = 4 // of
	allCommonShares = 5
)

// CommonOf finds what the answers of a plan have in common. A header counts where all that is asserted of it is the
// same and names nothing that a test was given. Answers of other APIs than the plan's target, and those of which the
// status is not sure, say all of theirs themselves.
func CommonOf(p Plan) Common {
	counts := map[string]*tally{} // by what is said
	seen := map[uint64]bool{}
	judged := 0
	for _, t := range p.Tests {
		for _, s := range t.Steps {
			if !s.judged() || s.Once && seen[s.Seq] {
				continue
			}
			seen[s.Seq] = s.Once
			judged++
			if s.sure() {
				for name, h := range s.heads() {
					key := name + " " + h.said
					counts[key] = counts[key].with(h)
				}
			}
		}
	}
	var common Common
	for _, c := range counts {
		if c.answers >= minCommon && allCommonShares*c.answers >= minCommonShare*judged {
			common.Headers = append(common.Headers, c.header)
		}
	}
	slices.SortFunc(common.Headers, func(a, b CommonHeader) int { return cmp.Compare(a.Name, b.Name) })
	for _, t := range p.Tests {
		for _, s := range t.Steps {
			folded := common.Fold(s)
			common.Excepts = common.Excepts || len(folded.Checks) > 0 && len(folded.Checks[0].Except) > 0
		}
	}
	return common
}

// tally is how many answers say the same of a header; nil for none yet.
type tally struct {
	header  CommonHeader
	answers int
}

func (t *tally) with(h CommonHeader) *tally {
	if t == nil {
		return &tally{h, 1}
	}
	t.answers++
	for i := range t.header.Checks {
		t.header.Checks[i].Why = sharedWhy(t.header.Checks[i].Why, h.Checks[i].Why)
	}
	return t
}

// Fold returns a step with a check of the kind [CheckCommon] in the place of those of its status and of the headers
// that it has in common with most. What it has otherwise stays, and is excepted; a step that shares nothing is returned
// as it is.
func (c Common) Fold(s Step) Step {
	if len(c.Headers) == 0 || !s.sure() {
		return s
	}
	heads := s.heads()
	shared, except := map[string]bool{}, []string(nil)
	for _, h := range c.Headers {
		if heads[h.Name].said == h.said {
			shared[h.Name] = true
		} else {
			except = append(except, h.Name)
		}
	}
	if len(shared) == 0 {
		return s
	}
	checks := []Check{{Kind: CheckCommon, Place: s.Checks[0].Place, Statuses: s.Checks[0].Statuses, Except: except}}
	for _, k := range s.Checks[1:] {
		if !shared[k.header()] {
			checks = append(checks, k)
		}
	}
	s.Checks = checks
	return s
}

// judged reports whether a step goes to the plan's target and more than the status may be asserted of its answer.
func (s *Step) judged() bool {
	return s.Base == "" && s.Left == "" && len(s.Checks) > 0 && (s.Role != SetUp || s.Single)
}

// sure reports whether a step goes to the plan's target and its answer is held to have one status, so that all that is
// asserted of it is asserted unconditionally.
func (s *Step) sure() bool {
	return s.Base == "" && len(s.Checks) > 0 && s.Checks[0].Kind == CheckStatus && len(s.Checks[0].Statuses) == 1 &&
		len(s.Checks[0].Comments()) == 0
}

// heads returns what a step asserts of each header of its answer, without those of which it cannot be said elsewhere.
func (s *Step) heads() map[string]CommonHeader {
	out := map[string]CommonHeader{}
	for _, c := range s.Checks {
		if name := c.header(); name != "" {
			h := out[name]
			h.Name, h.Checks = name, append(h.Checks, c)
			out[name] = h
		}
	}
	for name, h := range out {
		bare := slices.Clone(h.Checks)
		apart := false
		for i := range bare {
			apart = apart || !bare[i].general()
			bare[i].Why, _, _ = strings.Cut(bare[i].Why, ", ")
		}
		said, err := json.Marshal(bare)
		if apart || err != nil {
			delete(out, name)
			continue
		}
		h.said = string(said)
		out[name] = h
	}
	return out
}

// header returns the name of the header that a check is about; "" where it is about none.
func (c *Check) header() string {
	if s := c.Place.Segments(); len(s) > 1 && s[0] == "header" {
		return s[1]
	}
	return ""
}

// general reports whether a check asserts something, and means the same for any answer.
func (c *Check) general() bool {
	for _, t := range append([]Text{c.Name, c.Text}, c.Lines...) {
		if slices.ContainsFunc(t, func(p Piece) bool { return p.Bound != "" || p.Secret != "" }) {
			return false
		}
	}
	asserts := c.Kind != CheckHolds || c.Holds.Type != "" || len(c.Holds.Equal)+len(c.Holds.OneOf) > 0
	return asserts && c.Off == "" && c.If == 0 && len(c.Of) == 0
}

// sharedWhy returns the beginning that two reasons share, by parts: of "Rand, moved in 9 of 10" and "Rand, moved in 8
// of 10" it is "Rand".
func sharedWhy(a, b string) string {
	if a == b {
		return a
	}
	as, bs := strings.Split(a, ", "), strings.Split(b, ", ")
	n := 0
	for n < len(as) && n < len(bs) && as[n] == bs[n] {
		n++
	}
	return strings.Join(as[:n], ", ")
}
