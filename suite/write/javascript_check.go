package write

import (
	"strings"

	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// masking adds to the options of a comparison what is masked and what is left out.
func masking(c *Check, options jsNode) jsNode {
	for _, o := range []struct {
		name   string
		places maskSet
	}{{"masks", c.Masks}, {"absent", c.Absent}} {
		list := jsNode{kind: jsArray}
		for _, p := range o.places {
			list.parts = append(list.parts, jsStr(string(p)))
		}
		if len(list.parts) > 0 {
			options = options.with(o.name, list)
		}
	}
	return options
}

// statements are what is said of a value, as the member of the library that evaluates it takes it.
func statements(h mapfile.Holds) jsNode {
	n := jsNode{kind: jsObject}
	none := jsName("")
	if len(h.Equal) > 0 {
		return n.with("equal", jsJSON(h.Equal, nil, none))
	}
	if len(h.OneOf) > 0 {
		list := jsNode{kind: jsArray}
		for _, v := range h.OneOf {
			list.parts = append(list.parts, jsJSON(v, nil, none))
		}
		return n.with("oneOf", list)
	}
	only := strings.TrimPrefix(h.Type, "null|") // the one type beside null, if it is one
	if h.Type != "" {
		n = n.with("type", jsStr(h.Type))
	}
	plain := true
	if pattern, ok := jsPattern(h.Pattern); ok && h.Pattern != "" {
		n, plain = n.with("pattern", jsName(pattern)), false
	} else if notation.FormatPattern(h.Format) != "" {
		n, plain = n.with("format", jsStr(h.Format)), false
	}
	if h.Echo == string(hostPlace) {
		n, plain = n.with("host", jsName("true")), false
	}
	if h.Clock > 0 {
		n, plain = n.with("clock", jsInt(h.Clock)), false
	}
	if only == "integer" || only == "number" {
		if h.Min != "" {
			n = n.with("min", jsStr(h.Min.String()))
		}
		if h.Max != "" {
			n = n.with("max", jsStr(h.Max.String()))
		}
	}
	if only == "array" || only == "string" && plain {
		if h.MinLength != nil {
			n = n.with("minLength", jsInt(*h.MinLength))
		}
		if h.MaxLength != nil {
			n = n.with("maxLength", jsInt(*h.MaxLength))
		}
	}
	return n
}

// asserts reports whether a check is more than a comment, in JavaScript.
func asserts(c *Check) bool {
	switch c.Kind {
	case CheckStatus:
		return len(c.Statuses) > 0
	case CheckHolds:
		return len(statements(c.Holds).keys) > 0
	}
	return true
}

// jestLeft says why no client of Node sends a request; "" where one does.
func jestLeft(s *Step) string {
	for _, p := range s.Target {
		if p.literal() && strings.ContainsFunc(p.Literal, func(r rune) bool { return r <= ' ' || r == 0x7f || r > 0xff }) {
			return "its target has characters that Node does not send"
		}
	}
	for _, h := range s.Headers {
		if strings.Trim(strings.ToLower(h.Name), "abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~") != "" {
			return "the name of a header is none that Node sends"
		}
		for _, p := range h.Value {
			if p.literal() && strings.ContainsFunc(p.Literal, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f || r > 0xff }) {
				return "the header " + h.Name + " has characters that Node does not send"
			}
		}
	}
	return ""
}
