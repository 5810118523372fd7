package build

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/suite/write/name"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/compare"
)

// draft is one test to be made: what it is about.
type draft struct {
	name, group string
	sequence    string // the client's own name for it; "" where it has none
	tested      []*exchange.Step
}

// drafts cuts the recording into tests: a sequence is one, and one that is too long one per exchange. What asks for the
// same as an earlier test, and was answered alike, is left out, so that another exchange in a recording changes nothing
// about the tests that were there.
func (b *builder) drafts() []draft {
	var out []draft
	at := map[int]int{} // by sequence, its draft
	for i := range b.src.Steps {
		step := &b.src.Steps[i]
		in := b.sequence[step.Exchange.Seq]
		if n, ok := at[in]; ok && in > 0 {
			out[n].tested = append(out[n].tested, step)
			continue
		}
		d := draft{tested: []*exchange.Step{step}}
		if in > 0 && len(b.src.Sequences[in-1].Steps) <= maxSteps {
			at[in] = len(out)
			if step.Exchange.Sequence != "" {
				d.sequence = b.src.Redactor.Show("", b.src.Sequences[in-1].Name)
			}
		}
		out = append(out, d)
	}
	out = b.readBack(b.againTogether(out))
	if !b.all {
		out = b.distinct(out)
	}
	names := map[string]bool{}
	for i := range out {
		out[i].group = plan.Slug(b.src.Redactor.Show("", mainSegment(out[i].tested)))
		out[i].name = b.testName(out[i])
		if names[out[i].name] {
			out[i].name = name.Again(out[i].name, names)
		}
		names[out[i].name] = true
	}
	return out
}

// distinct leaves out each test all of which an earlier one does: the same kinds of exchanges in the same order, or
// exchanges that are alike, as each round of a client sends them; or, for one exchange, one of a kind of which any test
// has enough.
func (b *builder) distinct(all []draft) []draft {
	var out []draft
	whole, kept := map[string]bool{}, newKinds(b)
	for _, d := range all {
		kinds, alike := "", ""
		for _, s := range d.tested {
			kinds += b.kindOf(s.Exchange) + "\n"
			if s.Exchange.Response != nil {
				alike += fmt.Sprintf("%s %d\n", b.session.Alike(s.Exchange.Seq), s.Exchange.Response.Status)
			}
		}
		why := ""
		switch {
		case len(d.tested) == 1:
			why = kept.unwanted(d.tested[0].Exchange)
		case whole[kinds] || whole[alike]:
			why = leftSequence
		}
		if why != "" {
			b.leave(why, d.tested)
			continue
		}
		whole[kinds], whole[alike] = true, true
		for _, s := range d.tested {
			kept.add(s.Exchange)
		}
		out = append(out, d)
	}
	return out
}

// kindOf tells exchanges apart by operation, status and shape of the answer. That a resource has no such method
// is one kind for all of them, for it is not the resource that says so.
func (b *builder) kindOf(e *exchange.Exchange) string {
	key := b.operationName(e)
	if e.Response == nil {
		return key
	}
	if noMethod(e.Response.Status) {
		key = ""
	}
	payload, err := e.Response.Payload()
	shape := ""
	if root := plan.ReadNode(payload); root != nil && err == nil && compare.IsJSON(e.Response.MediaType()) {
		shape = shapeText(root, 0)
	}
	return fmt.Sprintf("%s %d %s %v %s", key, e.Response.Status, e.Response.MediaType(), len(payload) > 0, shape)
}

// maxShape bounds how deep shapes of answers are told apart.
const maxShape = 6

// shapeText writes the shape of a JSON value: the types of its members, and of the elements of arrays.
func shapeText(n *plan.Node, depth int) string {
	if n.Scalar() || depth == maxShape {
		return n.Kind()
	}
	var parts []string
	for i, k := range n.Kids {
		part := shapeText(k, depth+1)
		if n.Raw == "{" {
			part = literal.JSON(n.Keys[i]) + ":" + part
		}
		parts = append(parts, part)
	}
	slices.Sort(parts)
	return n.Raw + strings.Join(slices.Compact(parts), ",") + string(n.Raw[0]+2)
}

// mainSegment is the first segment of most of a test's paths.
func mainSegment(steps []*exchange.Step) string {
	counts := map[string]int{}
	best := firstSegment(steps[0].Exchange)
	for _, s := range steps {
		segment := firstSegment(s.Exchange)
		if counts[segment]++; counts[segment] > counts[best] {
			best = segment
		}
	}
	return best
}

func firstSegment(e *exchange.Exchange) string {
	path, _ := exchange.SplitTarget(e.Request.Target)
	segment, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return segment
}

// maxGroup is how many tests one file may hold before those of each method get a file of their own.
const maxGroup = 60

// splitGroups parts groups that are too large, by the method of their first tested request.
func splitGroups(tests []plan.Test) {
	sizes := map[string]int{}
	for _, t := range tests {
		sizes[t.Group]++
	}
	for i := range tests {
		if t := &tests[i]; sizes[t.Group] > maxGroup {
			for _, s := range t.Steps {
				if s.Role == plan.Tested && s.Method != "" {
					t.Group += "_" + plan.Slug(s.Method)
					break
				}
			}
		}
	}
}

// context is what a test has done so far.
type context struct {
	b    *builder
	test string // its name
	sent map[uint64]bool
	// the exchanges that it has sent itself, in order, and what it keeps of their answers beside what requests use
	order []uint64
	kept  map[uint64][]plan.Capture
	made  map[string]*exchange.Binding // the ids that it made, by value; nil where no request uses them
	// common are those that all tests send together: what they made, others use too.
	common map[uint64]bool
	single bool // it is that of such a request alone
}

func newContext(b *builder) *context {
	return &context{b: b, sent: map[uint64]bool{}, kept: map[uint64][]plan.Capture{}, made: map[string]*exchange.Binding{},
		common: map[uint64]bool{}}
}

// gives reports whether an answer of this test has given a value.
func (c *context) gives(v *exchange.Binding) bool { return c.sent[v.Producer.Seq] }

// fresh reports whether an exchange is about a resource that this test made: no other test knows of it.
func (c *context) fresh(e *exchange.Exchange) bool {
	if e.Request.Method == "POST" && e.Response.Status < 300 || e.Response.Status == 201 {
		return true
	}
	return c.named(e)
}

// named reports whether a request names something that this test made.
func (c *context) named(e *exchange.Exchange) bool {
	return c.names(e, func(made uint64) bool { return !c.common[made] })
}

// shares reports whether a request names something that tests made together.
func (c *context) shares(e *exchange.Exchange) bool {
	return c.names(e, func(made uint64) bool { return c.common[made] })
}

// names reports whether a request names something that an exchange made of which the number tells that it counts.
func (c *context) names(e *exchange.Exchange, counts func(made uint64) bool) bool {
	return slices.ContainsFunc(c.b.session.Takes(e.Seq), func(t setup.Taken) bool {
		root := t.Place.Root()
		return (root == "path" || root == "query") && c.gives(t.Binding) && c.b.session.Made(t.Binding) &&
			counts(t.Producer.Seq)
	})
}

// after notes what an exchange of the test made.
func (c *context) after(e *exchange.Exchange) {
	c.sent[e.Seq] = true
	for _, v := range c.b.session.Gives(e.Seq) {
		if c.b.session.Made(v) {
			c.made[v.Value] = v
		}
	}
	if e.Request.Safe() || e.Response.Status >= 300 {
		return
	}
	request := requestText(e)
	a := &asserting{builder: c.b, e: e, op: c.b.operation(e)}
	a.eachValue(func(place exchange.Place, raw string) bool {
		text := plan.TextOf(raw)
		if _, known := c.made[text]; known || text == "" || place.Root() != "body" || holdsWord(request, text) {
			return true
		}
		if kind := plan.KindOf(raw); kind != "object" && kind != "array" && (idLike(place) || c.b.drawn(a, place, text)) {
			c.made[text] = nil
		}
		return true
	})
}

// holdsMade reports whether a text holds an id that the test made.
func (c *context) holdsMade(text string) bool {
	return text != "" && c.pattern(text) != "^"+regexp.QuoteMeta(text)+"$"
}

// templated is a text in which the segments that are ids that the test made are the bound values; it reports false
// where none is, or where another part holds such an id.
func (c *context) templated(text string) (plan.Text, bool) {
	var out plan.Text
	at, found := 0, false
	for _, m := range segmentForm.FindAllStringIndex(text, -1) {
		v := c.made[text[m[0]:m[1]]]
		if v == nil || !c.gives(v) {
			continue
		}
		out = append(out, plan.Piece{Literal: text[at:m[0]]}, plan.Piece{Bound: v.Name})
		at, found = m[1], true
	}
	out = plan.Joined(append(out, plan.Piece{Literal: text[at:]}))
	out = slices.DeleteFunc(out, func(p plan.Piece) bool { return p.IsLiteral() && p.Literal == "" })
	return out, found && !slices.ContainsFunc(out, func(p plan.Piece) bool { return c.holdsMade(p.Literal) })
}

var segmentForm = regexp.MustCompile(`[^/?&=#]+`)

// pattern is the regular expression of a text in which the ids that the test made may be others: digits for digits,
// else anything.
func (c *context) pattern(text string) string {
	out := regexp.QuoteMeta(text)
	var strong []string
	for v := range c.made {
		if len(v) >= minStrong && strings.Contains(text, v) {
			strong = append(strong, v)
		}
	}
	slices.Sort(strong)
	for _, v := range strong {
		out = strings.ReplaceAll(out, regexp.QuoteMeta(v), `[^/?&]+`)
	}
	var b strings.Builder
	at := 0
	for _, m := range digitRuns.FindAllStringIndex(out, -1) {
		b.WriteString(out[at:m[0]])
		run := out[m[0]:m[1]]
		if _, ok := c.made[run]; ok && (len(run) >= minDigits || standsAlone(out, m[0], m[1])) {
			run = `\d+`
		}
		b.WriteString(run)
		at = m[1]
	}
	return "^" + b.String() + out[at:] + "$"
}

// minDigits is the least length of a number that is found between letters, too: a shorter one may well be a part of a
// text that is no number, such as a UUID.
const minDigits = 3

// standsAlone reports whether no letter or digit adjoins a part of a text.
func standsAlone(text string, from, to int) bool {
	return (from == 0 || !isAlnum(text[from-1])) && (to == len(text) || !isAlnum(text[to]))
}

var digitRuns = regexp.MustCompile(`\d+`)

// strongList reports whether a place is one particular element of a list, of a value that can be told from others.
func strongList(v *exchange.Binding) bool {
	if v.Producer.Place.Root() != "body" || len(v.Value) < 6 {
		return false
	}
	return slices.ContainsFunc(v.Producer.Place.Segments(), func(s string) bool {
		return s != "" &&
			strings.Trim(s, "0123456789") == ""
	})
}

// static reports whether a value is the same in each run, and but read: it is written as it was recorded.
func (b *builder) static(v *exchange.Binding) bool {
	p := b.steps[v.Producer.Seq]
	if p == nil || !p.Exchange.Request.Safe() || v.Producer.Place.Root() != "body" || b.secretBinding(v) {
		return false
	}
	agreeing := 0
	for _, o := range p.Observations {
		value, ok := message.Value(o.Response, v.Producer.Place)
		if !ok {
			continue
		}
		if value != v.Value {
			return false
		}
		agreeing++
	}
	return agreeing >= minAgreeing
}
