package gotest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/notation"
)

// goLine is how long a JSON text may be, in bytes, to stand on one line.
const goLine = 80

// goJSON writes a JSON text, over several lines where it is long.
func goJSON(raw json.RawMessage) string {
	var b bytes.Buffer
	if len(raw) <= goLine || bytes.ContainsAny(raw, "`\r\ufeff") || json.Indent(&b, raw, "\t", "\t") != nil {
		return goRaw(string(raw))
	}
	if strings.ContainsFunc(b.String(), func(r rune) bool { return !strconv.IsPrint(r) && r != '\n' && r != '\t' }) {
		return literal.Go(string(raw))
	}
	return "`" + b.String() + "`"
}

// check writes one assertion, with the reason where it asserts less than was recorded.
func (w *writer) check(b *strings.Builder, c *plan.Check) {
	for _, line := range c.Comments() {
		b.WriteString("// " + line + "\n")
	}
	if line := assertion(c); line != "" {
		b.WriteString(line + "\n")
	}
}

func assertion(c *plan.Check) string {
	place := literal.Go(string(c.Place))
	switch c.Kind {
	case plan.CheckStatus:
		if len(c.Statuses) == 0 {
			return ""
		}
		return "res.status(" + strings.Trim(strings.ReplaceAll(fmt.Sprint(c.Statuses), " ", ", "), "[]") + ")"
	case plan.CheckCommon:
		out := fmt.Sprintf("res.common(%d", c.Statuses[0])
		for _, name := range c.Except {
			out += ", except(" + literal.Go(name) + ")"
		}
		return out + ")"
	case plan.CheckHeader:
		out := "res.header(" + literal.Go(strings.Join(c.Place.Segments()[1:], "/"))
		for _, l := range c.Lines {
			out += ", " + goText(l)
		}
		return out + ")"
	case plan.CheckCookie:
		return "res.cookie(" + goText(c.Name) + ")"
	case plan.CheckEmpty:
		return "res.empty()"
	case plan.CheckText:
		return "res.text(" + goText(c.Text) + ")"
	case plan.CheckDigest:
		return fmt.Sprintf("res.digest(%d, %s)", c.Length, literal.Go(c.SHA256))
	case plan.CheckSize:
		return fmt.Sprintf("res.size(%d)", c.Length)
	case plan.CheckJSON:
		return "res.json(" + goJSON(c.JSON) + ", " + goPlaces("masks", c.Masks) + ", " + goPlaces("absent", c.Absent) + ")"
	case plan.CheckOutline:
		out := fmt.Sprintf("res.outline(%d", c.Length)
		for _, k := range c.Keys {
			out += ", " + literal.Go(k)
		}
		return out + ")"
	case plan.CheckHolds:
		return holds(place, c)
	case plan.CheckItems:
		extent := map[plan.Extent]string{plan.Whole: "whole", plan.AsSet: "asSet", plan.Among: "among"}[c.Extent]
		return fmt.Sprintf("res.items(%s, %s, %s, %s, %s)", place, goJSON(c.JSON), goPlaces("masks", c.Masks),
			goPlaces("absent", c.Absent), extent)
	case plan.CheckEqual:
		switch {
		case c.Extent == plan.Among:
			return "res.some(" + place + ", " + goText(c.Text) + ")"
		case c.Suffix:
			return "res.ends(" + place + ", " + goText(c.Text) + ")"
		}
		return "res.equal(" + place + ", " + goText(c.Text) + ")"
	case plan.CheckRelated, plan.CheckHash:
		return related(place, c)
	}
	return ""
}

func goPlaces(kind string, places []exchange.Place) string {
	if len(places) == 0 {
		return "nil"
	}
	out := make([]string, len(places))
	for i, p := range places {
		out[i] = literal.Go(string(p))
	}
	return kind + "{" + strings.Join(out, ", ") + "}"
}

// holds writes what is true of a value that moves; "" where nothing is.
func holds(place string, c *plan.Check) string {
	h := c.Holds
	var said []string
	add := func(name, value string) { said = append(said, name+": "+value) }
	text := func(name, value string) {
		if value != "" {
			add(name, goRaw(value))
		}
	}
	text("Type", h.Type)
	text("Equal", string(h.Equal))
	if len(h.OneOf) > 0 {
		values := make([]string, len(h.OneOf))
		for i, raw := range h.OneOf {
			values[i] = string(raw)
		}
		text("OneOf", "["+strings.Join(values, ", ")+"]")
	}
	if h.Pattern != "" {
		text("Pattern", strings.TrimSuffix(strings.TrimPrefix(h.Pattern, "^"), "$"))
	} else if notation.FormatPattern(h.Format) != "" {
		text("Format", h.Format)
	}
	text("Low", h.Min.String())
	text("High", h.Max.String())
	for _, l := range []struct {
		name  string
		value *int
	}{{"MinLength", h.MinLength}, {"MaxLength", h.MaxLength}} {
		if l.value != nil && *l.value > 0 {
			add(l.name, strconv.Itoa(*l.value))
		}
	}
	if c.Near != nil {
		if c.Near.After != 0 {
			add("After", strconv.Itoa(c.Near.After))
		}
		add("Within", strconv.Itoa(c.Near.Within))
	}
	if h.Echo == string(plan.HostPlace) {
		add("Host", "true")
	}
	if len(said) == 0 {
		return ""
	}
	if c.Optional {
		add("Optional", "true")
	}
	return "res.holds(" + place + ", says{" + strings.Join(said, ", ") + "})"
}
