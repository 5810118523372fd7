package golang

import (
	"go/types"
	"net/url"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/typing"
	"github.com/flaketap/flaketap/suite/script"
)

// packageMember is a constant or a variable of another package.
func packageMember(pkg, name string) value {
	if pkg == "net/http" {
		if method, ok := strings.CutPrefix(name, "Method"); ok {
			return str(strings.ToUpper(method))
		}
		if status, ok := statusConstant(name); ok {
			return plain{x: expr.Numeral(status), typ: types.Typ[types.Int]}
		}
		if name == "DefaultClient" {
			return client{}
		}
	}
	return opaque{"the name " + pkg[strings.LastIndexByte(pkg, '/')+1:] + "." + name}
}

// statusConstant is the code of an answer that package http calls by a name.
func statusConstant(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, "Status")
	code, known := script.StatusNamed(rest)
	return code, ok && known
}

// textual reads functions that make texts of values, and ask something of texts.
func textual(full string, args []value) (value, bool) {
	text := func(x expr.Expr) (value, bool) { return plain{x: x, typ: types.Typ[types.String]}, true }
	switch full {
	case "fmt.Sprintf":
		return sprintf(args), true
	case "fmt.Sprint", "strconv.Itoa":
		if len(args) == 1 {
			return text(asText(args[0]))
		}
	case "strconv.FormatInt":
		if len(args) == 2 {
			if base, ok := args[1].(plain); ok && base.x == expr.Expr(expr.Num{Text: "10"}) {
				return text(asText(args[0]))
			}
		}
	case "net/url.QueryEscape", "net/url.PathEscape":
		if len(args) == 1 {
			s, ok := meaningOf(args[0]).(expr.Str)
			switch {
			case ok && full == "net/url.PathEscape":
				return str(url.PathEscape(s.Value)), true
			case ok:
				return str(url.QueryEscape(s.Value)), true
			}
			return text(expr.Unknown{What: "an escaped text"})
		}
	case "strings.TrimSpace", "bytes.TrimSpace":
		if p, ok := only(args); ok {
			return plain{x: expr.Trim{X: p.x}, typ: p.typ}, true
		}
	case "strings.TrimRight", "strings.TrimSuffix":
		if len(args) == 2 {
			return trimmed(args[0], args[1], full)
		}
	case "strings.HasPrefix", "bytes.HasPrefix", "strings.HasSuffix", "bytes.HasSuffix", "strings.Contains", "bytes.Contains":
		if len(args) != 2 {
			break
		}
		x, y := meaningOf(args[0]), meaningOf(args[1])
		switch full[strings.IndexByte(full, '.')+1:] {
		case "HasPrefix":
			return boolean(expr.HasPrefix{X: x, Prefix: y}), true
		case "HasSuffix":
			return boolean(expr.HasSuffix{X: x, Suffix: y}), true
		}
		return boolean(expr.Cmp(y, expr.In, x)), true
	}
	return nil, false
}

// trimmed is a text without its end, as a base URL is taken.
func trimmed(text, end value, by string) (value, bool) {
	x, y := meaningOf(text), meaningOf(end)
	s, ok := x.(expr.Str)
	cut, too := y.(expr.Str)
	switch {
	case ok && too && by == "strings.TrimSuffix":
		return str(strings.TrimSuffix(s.Value, cut.Value)), true
	case ok && too:
		return str(strings.TrimRight(s.Value, cut.Value)), true
	case expr.FromAnswer(x):
		return nil, false
	}
	return text, true
}

func only(args []value) (plain, bool) {
	if len(args) != 1 {
		return plain{}, false
	}
	p, ok := args[0].(plain)
	return p, ok
}

// asText is a text, or a whole number as one.
func asText(v value) expr.Expr {
	p, ok := v.(plain)
	switch {
	case ok && typing.IsString(p.typ):
		return p.x
	case ok && (typing.IsInteger(p.typ) || typing.IsAny(p.typ) && ofSetUp(p.x)):
		return expr.ToText{X: p.x}
	}
	return expr.Unknown{What: "the text of a value"}
}

// sprintf is a text that is made by a format.
func sprintf(args []value) value {
	unknown := plain{x: expr.Unknown{What: "the text of a format"}, typ: types.Typ[types.String]}
	if len(args) == 0 {
		return unknown
	}
	format, ok := meaningOf(args[0]).(expr.Str)
	if !ok {
		return unknown
	}
	var pieces []expr.Expr
	rest, n := format.Value, 1
	for {
		before, after, found := strings.Cut(rest, "%")
		if before != "" {
			pieces = append(pieces, expr.Str{Value: before})
		}
		if !found {
			break
		}
		verb := after[:min(1, len(after))]
		switch {
		case verb == "%":
			pieces = append(pieces, expr.Str{Value: "%"})
		case n >= len(args):
			return unknown
		case verb == "s" || verb == "d" || verb == "v":
			pieces = append(pieces, asText(args[n]))
			n++
		default: // with a width, a flag: what it makes is not known, nor what comes behind
			pieces = append(pieces, expr.Unknown{What: "the text of a format"})
			verb = after[:formatEnd(after)]
			n++
		}
		rest = after[len(verb):]
	}
	return plain{x: expr.Sum(pieces...), typ: types.Typ[types.String]}
}

// formatEnd is where a verb ends, with its flags.
func formatEnd(s string) int {
	for i, c := range s {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
			return i + 1
		}
	}
	return len(s)
}

// comparing reads functions that hold two values against each other.
func comparing(full string, args []value) (value, bool) {
	if len(args) < 2 {
		return nil, false
	}
	by, known := together(args[2:])
	if !known || len(args) > 2 && !strings.HasPrefix(full, "github.com/google/go-cmp/cmp.") {
		return nil, false
	}
	switch full {
	case "slices.Equal", "maps.Equal", "bytes.Equal":
		return boolean(equal(args[0], args[1])), true
	case "reflect.DeepEqual", "github.com/google/go-cmp/cmp.Equal":
		return boolean(by.equal(by.deeply(args[0]), by.deeply(args[1]))), true
	case "github.com/google/go-cmp/cmp.Diff":
		return diff{by.equal(by.deeply(args[0]), by.deeply(args[1]))}, true
	case "slices.Contains":
		return boolean(contained(args[1], args[0])), true
	}
	return nil, false
}
