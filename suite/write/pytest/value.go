package pytest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/notation"
)

// whole writes the comparison of a body.
func (w *writer) whole(c *plan.Check, values map[exchange.Place]*plan.Check) []string {
	masks := *c
	masks.Masks = slices.DeleteFunc(slices.Clone(c.Masks), func(m exchange.Place) bool {
		return values[exchange.PlaceBody+m] != nil
	})
	var out []string
	for _, line := range c.Comments() {
		out = append(out, "# "+line)
	}
	return append(out, w.compared(masked("res.json()", &masks), w.pyJSON(plan.ReadNode(c.JSON), values))...)
}

// like writes what is true of a value where it stands in a body.
func (w *writer) like(c *plan.Check) expr {
	var e expr
	switch {
	case c.Kind == plan.CheckEqual && c.Suffix:
		e = call("like(", named("ends=", w.text(c.Text)))
	case c.Kind == plan.CheckEqual:
		e = call("like(", named("text=", w.text(c.Text)))
	default:
		e = call("like(", w.facets(c)...)
	}
	e.note = plan.Visible(c.Why)
	return e
}

// holds writes what is true of a value that moves.
func (w *writer) holds(c *plan.Check) []string {
	facets := w.facets(c)
	if len(facets) == 0 {
		return nil
	}
	args := slices.Concat([]expr{atom("res"), atom(literal.Python(string(c.Place)))}, facets)
	if c.Optional {
		args = append(args, atom("optional=True"))
	}
	return w.laid(call("holds(", args...), "", "")
}

// facets writes what is true of a value, as arguments.
func (w *writer) facets(c *plan.Check) []expr {
	h := &c.Holds
	var args []expr
	add := func(name, value string) { args = append(args, atom(name+"="+value)) }
	if h.Type != "" {
		args = append(args, atom(literal.Python(h.Type)))
	}
	if len(h.Equal) > 0 {
		args = append(args, named("equal=", w.pyJSON(plan.ReadNode(h.Equal), nil)))
	}
	if len(h.OneOf) > 0 {
		values := list()
		for _, raw := range h.OneOf {
			values.items = append(values.items, w.pyJSON(plan.ReadNode(raw), nil))
		}
		args = append(args, named("one_of=", values))
	}
	switch {
	case h.Pattern != "":
		add("pattern", literal.PythonRaw(strings.TrimSuffix(strings.TrimPrefix(h.Pattern, "^"), "$")))
	case notation.FormatPattern(h.Format) != "":
		add("format", literal.Python(h.Format))
	}
	for _, b := range []struct {
		name  string
		value json.Number
	}{{"low", h.Min}, {"high", h.Max}} {
		if b.value != "" {
			add(b.name, literal.Python(b.value.String()))
		}
	}
	for _, b := range []struct {
		name  string
		value *int
	}{{"min_length", h.MinLength}, {"max_length", h.MaxLength}} {
		if b.value != nil {
			add(b.name, strconv.Itoa(*b.value))
		}
	}
	if c.Near != nil {
		now := "res.now"
		switch {
		case c.Near.After > 0:
			now += " + " + strconv.Itoa(c.Near.After)
		case c.Near.After < 0:
			now += " - " + strconv.Itoa(-c.Near.After)
		}
		add("near", fmt.Sprintf("(%s, %d)", now, c.Near.Within))
	}
	if h.Echo == string(plan.HostPlace) {
		add("host", "res.host")
	}
	return args
}

// pyJSON is a JSON value as Python: where it is masked, with what holds of it, else with "...".
func (w *writer) pyJSON(n *plan.Node, values map[exchange.Place]*plan.Check) expr {
	switch {
	case n == nil:
		return atom("None")
	case values[n.Place] != nil:
		return w.like(values[n.Place])
	case n.Scalar():
		return pyScalar(n.Raw)
	}
	if n.Raw == "[" {
		e := list()
		for _, k := range n.Kids {
			e.items = append(e.items, w.pyJSON(k, values))
		}
		return e
	}
	if !doubled(n.Keys) {
		e := expr{text: "{", end: "}"}
		for i, k := range n.Kids {
			e.items = append(e.items, named(literal.Python(n.Keys[i])+": ", w.pyJSON(k, values)))
		}
		return e
	}
	pairs := list()
	for i, k := range n.Kids {
		pairs.items = append(pairs.items, call("(", atom(literal.Python(n.Keys[i])), w.pyJSON(k, values)))
	}
	return expr{text: "Pairs(", items: []expr{pairs}, end: ")", bare: true}
}

// doubled reports whether a key stands twice.
func doubled(keys []string) bool {
	sorted := slices.Sorted(slices.Values(keys))
	return len(slices.Compact(sorted)) < len(keys)
}

// pyScalar returns a scalar JSON token as Python.
func pyScalar(raw string) expr {
	switch raw {
	case "true":
		return atom("True")
	case "false":
		return atom("False")
	case "null":
		return atom("None")
	case literal.JSON(plan.Masked):
		return atom("...")
	}
	if s, ok := literal.FromJSON(raw); ok && raw[0] == '"' {
		if strings.ContainsRune(s, utf8.RuneError) && strings.Contains(raw, `\u`) {
			return atom("parse_json(" + literal.Python(raw) + ")") // half a surrogate pair has no form that Go can hold
		}
		return str(s)
	}
	return atom(literal.PythonNumber(raw))
}
