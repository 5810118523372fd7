package javascript

import (
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// Masking adds to the options of a comparison what is masked and what is left out.
func Masking(c *plan.Check, options Node) Node {
	for _, o := range []struct {
		name   string
		places plan.PlaceSet
	}{{"masks", c.Masks}, {"absent", c.Absent}} {
		list := Node{Kind: Array}
		for _, p := range o.places {
			list.Parts = append(list.Parts, String(string(p)))
		}
		if len(list.Parts) > 0 {
			options = options.With(o.name, list)
		}
	}
	return options
}

// Held are what a check says of the value at a place, which need not be there if the check says so; now is the
// expression for when the answer was made.
func Held(c *plan.Check, now string) Node {
	n := Said(c, now)
	if c.Optional || c.Holds.Optional {
		n = n.With("optional", Name("true"))
	}
	return n
}

// Said are what a check says of a value that is there.
func Said(c *plan.Check, now string) Node {
	n := Holds(c.Holds)
	if c.Near == nil {
		return n
	}
	switch {
	case c.Near.After > 0:
		now += " + " + strconv.Itoa(c.Near.After)
	case c.Near.After < 0:
		now += " - " + strconv.Itoa(-c.Near.After)
	}
	return n.With("near", Node{Kind: Array, Parts: []Node{Name(now), Int(c.Near.Within)}})
}

// Holds are what is said of a value, as the member of the library that evaluates it takes it.
func Holds(h mapfile.Holds) Node {
	n := Node{Kind: Object}
	none := As(Name(""))
	if len(h.Equal) > 0 {
		return n.With("equal", JSON(h.Equal, nil, none))
	}
	if len(h.OneOf) > 0 {
		list := Node{Kind: Array}
		for _, v := range h.OneOf {
			list.Parts = append(list.Parts, JSON(v, nil, none))
		}
		return n.With("oneOf", list)
	}
	only := strings.TrimPrefix(h.Type, "null|") // the one type beside null, if it is one
	if h.Type != "" {
		n = n.With("type", String(h.Type))
	}
	plain := true
	if pattern, ok := pattern(h); ok {
		n, plain = n.With("pattern", Name(pattern)), false
	} else if notation.FormatPattern(h.Format) != "" {
		n, plain = n.With("format", String(h.Format)), false
	}
	if h.Echo == string(plan.HostPlace) {
		n, plain = n.With("host", Name("true")), false
	}
	if only == "integer" || only == "number" {
		if h.Min != "" {
			n = n.With("min", String(h.Min.String()))
		}
		if h.Max != "" {
			n = n.With("max", String(h.Max.String()))
		}
	}
	if only == "array" || only == "string" && plain {
		if h.MinLength != nil {
			n = n.With("minLength", Int(*h.MinLength))
		}
		if h.MaxLength != nil {
			n = n.With("maxLength", Int(*h.MaxLength))
		}
	}
	return n
}

// Hash are the arguments of the library's check of a digest; text says how a form writes a text.
func Hash(c *plan.Check, text func(plan.Text) Node) []Node {
	args := []Node{String(string(c.Place)), String(string(c.Hash)), text(c.Operands()[0])}
	if c.Length > 0 {
		args = append(args, Int(c.Length))
	}
	return args
}

// Until is what an answer is waited for to say.
func Until(w *plan.Wait) Node {
	n := Node{Kind: Object}.With("status", Int(w.Status))
	if len(w.Values) > 0 {
		values := Node{Kind: Object}
		for _, v := range w.Values {
			values = values.With(Key(string(v.Place)), JSON(v.JSON, plan.PlaceSet{}, nil))
		}
		n = n.With("values", values)
	}
	if len(w.InVain) > 0 {
		never := Node{Kind: Array}
		for _, v := range w.InVain {
			never.Parts = append(never.Parts, List(String(string(v.Place)), JSON(v.JSON, plan.PlaceSet{}, nil)))
		}
		n = n.With("never", never)
	}
	n = n.With("seconds", Int(int(w.Patience.Seconds())))
	if every := w.Pause(); every != plan.DefaultPause {
		n = n.With("every", Int(int(every.Milliseconds())))
	}
	return n
}

// Asserts reports whether a check is more than a comment, in JavaScript.
func Asserts(c *plan.Check) bool {
	switch c.Kind {
	case plan.CheckStatus:
		return len(c.Statuses) > 0
	case plan.CheckHolds:
		return len(Holds(c.Holds).keys) > 0 || c.Near != nil
	}
	return true
}

// Unsendable says why no client of Node sends a request; "" where one does.
func Unsendable(s *plan.Step) string {
	for _, p := range s.Target {
		if p.IsLiteral() && strings.ContainsFunc(p.Literal, func(r rune) bool { return r <= ' ' || r == 0x7f || r > 0xff }) {
			return "its target has characters that Node does not send"
		}
	}
	for _, h := range s.Headers {
		if strings.Trim(strings.ToLower(h.Name), "abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~") != "" {
			return "Node does not send a header of that name"
		}
		for _, p := range h.Value {
			if p.IsLiteral() && strings.ContainsFunc(p.Literal, func(r rune) bool {
				return r < ' ' && r != '\t' || r == 0x7f ||
					r > 0xff
			}) {
				return "the header " + h.Name + " has characters that Node does not send"
			}
		}
	}
	return ""
}

// Assert reports whether any of some statements is more than a comment, in JavaScript.
func Assert(list []plan.Statement) bool {
	return slices.ContainsFunc(list, func(s plan.Statement) bool { return s.Assert != nil && Asserts(s.Assert) })
}

// pattern is the pattern of a text as a literal. The library holds all of the text against it.
func pattern(h mapfile.Holds) (string, bool) {
	bare := strings.TrimSuffix(strings.TrimPrefix(h.Pattern, "^"), "$")
	if bare == "" {
		return "", false
	}
	return literal.JavaScriptRegexp(bare)
}
