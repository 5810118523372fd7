package approval

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/snapshot"
)

// Call is such a call.
type Call struct {
	Scrubber bool             // it takes scrubbers as options
	Scrubs   []snapshot.Scrub // that it has
	called   string           // what is called
	args     []string         // the sources of its arguments, without those that scrub
}

// Read reads a statement that is a call, and returns what that compares, without scrubbers; false where it compares
// nothing. source is how tokens are written.
func (c *Call) Read(tokens []syntax.Token, source func([]syntax.Token) string) (compared []syntax.Token, ok bool) {
	args, open := syntax.Arguments(tokens)
	if len(args) == 0 {
		return nil, false
	}
	compared, c.called = args[0], source(tokens[:open])
	if !c.Scrubber {
		compared = c.scrubbed(compared)
	}
	c.args = []string{source(compared)}
	for _, a := range args[1:] {
		scrubs, ok := optionsOf(a)
		if !c.Scrubber || !ok {
			c.args = append(c.args, source(a))
		}
		c.Scrubs = append(c.Scrubs, scrubs...)
	}
	return compared, true
}

// OfValue reports whether it compares the JSON of a value, and not a text.
func (c *Call) OfValue() bool { return strings.HasSuffix(c.called, "verify_as_json") }

// HasOptions reports whether it has options of approvaltests that are none of ours.
func (c *Call) HasOptions() bool {
	isOptions := func(arg string) bool { return strings.HasPrefix(arg, "options") }
	return c.Scrubber && slices.ContainsFunc(c.args[1:], isOptions)
}

// With is the call with other scrubs; re is how the module re is called.
func (c *Call) With(scrubs []snapshot.Scrub, re string) string {
	args := slices.Clone(c.args)
	var each []string
	for _, s := range scrubs {
		both := snapshot.Raw(s.Pattern) + ", " + strings.TrimPrefix(snapshot.Raw(s.Instead), "r")
		each = append(each, "create_regex_scrubber("+both+")")
		if !c.Scrubber {
			args[0] = re + ".sub(" + both + ", " + args[0] + ")"
		}
	}
	if c.Scrubber {
		by := strings.Join(each, ", ")
		if len(each) > 1 {
			by = "combine_scrubbers(" + by + ")"
		}
		args = append(args, "options=Options().with_scrubber("+by+")")
	}
	return c.called + "(" + strings.Join(args, ", ") + ")"
}

// scrubbed takes the calls of re.sub away that scrub a text.
func (c *Call) scrubbed(text []syntax.Token) []syntax.Token {
	for {
		call, _ := parsed(text).(syntax.Call)
		fn, isMethod := call.Fn.(syntax.Attr)
		inner, _ := syntax.Arguments(text)
		if !isMethod || fn.Name != "sub" || len(inner) != 3 || len(call.Args) != 3 {
			return text
		}
		one, ok := scrubOf(call.Args[:2])
		if !ok {
			return text
		}
		c.Scrubs, text = append(c.Scrubs, one), inner[2]
	}
}

// optionsOf reads options=Options().with_scrubber(…); false where an argument is another, or scrubs otherwise.
func optionsOf(tokens []syntax.Token) (out []snapshot.Scrub, ok bool) {
	if len(tokens) < 3 || tokens[0].Text != "options" || tokens[1].Text != "=" {
		return nil, false
	}
	call, _ := parsed(tokens[2:]).(syntax.Call)
	fn, isMethod := call.Fn.(syntax.Attr)
	of, _ := fn.X.(syntax.Call)
	if !isMethod || fn.Name != "with_scrubber" || len(call.Args) != 1 || !isCalled(of, "Options") ||
		len(of.Args)+len(of.Kw) > 0 {
		return nil, false
	}
	each := call.Args
	if all, _ := each[0].(syntax.Call); isCalled(all, "combine_scrubbers") {
		each = all.Args
	}
	for _, x := range each {
		by, _ := x.(syntax.Call)
		one, ok := scrubOf(by.Args)
		if !isCalled(by, "create_regex_scrubber") || !ok {
			return nil, false
		}
		out = append(out, one)
	}
	return out, true
}

func isCalled(call syntax.Call, name string) bool {
	fn, ok := call.Fn.(syntax.Name)
	return ok && fn.Id == name
}

func scrubOf(args []syntax.Node) (snapshot.Scrub, bool) {
	if len(args) != 2 {
		return snapshot.Scrub{}, false
	}
	pattern, ok := args[0].(syntax.StrLit)
	instead, too := args[1].(syntax.StrLit)
	return snapshot.Scrub{Pattern: pattern.S, Instead: instead.S}, ok && too
}

// parsed is an expression; nil where tokens are none.
func parsed(tokens []syntax.Token) syntax.Node {
	x, err := syntax.ParseExpr(tokens)
	if err != nil {
		return nil
	}
	return x
}
