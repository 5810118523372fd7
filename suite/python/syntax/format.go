package syntax

import (
	"strconv"
	"strings"
)

// Formatted is the f-string that makes the same text as "…%s…" % x, or as "…{}…".format(x); of what makes a text in
// another way, what it was.
func Formatted(x Node) Node {
	switch x := x.(type) {
	case Binary:
		format, ok := x.X.(StrLit)
		if x.Op != "%" || !ok {
			return x
		}
		args := []Node{x.Y}
		if tuple, ok := x.Y.(Seq); ok && tuple.Tuple {
			args = tuple.Elems
		}
		if parts, ok := byPercent(format.S, args); ok {
			return Text{parts}
		}
	case Call:
		fn, ok := x.Fn.(Attr)
		format, isText := fn.X.(StrLit)
		if !ok || !isText || fn.Name != "format" {
			return x
		}
		if parts, ok := byBraces(format.S, x); ok {
			return Text{parts}
		}
	}
	return x
}

// byPercent are the parts of a text with %s and %d for its arguments; false where it says more of one, as %05d does.
func byPercent(format string, args []Node) (parts []Node, ok bool) {
	for {
		before, after, found := strings.Cut(format, "%")
		parts = append(parts, StrLit{before})
		switch {
		case !found:
			return parts, len(args) == 0
		case strings.HasPrefix(after, "%"):
			parts = append(parts, StrLit{"%"})
		case after == "" || !strings.Contains("sdi", after[:1]) || len(args) == 0:
			return nil, false
		default:
			parts, args = append(parts, args[0]), args[1:]
		}
		format = after[1:]
	}
}

// byBraces are the parts of a text with {}, {0} and {name} for the arguments of a call.
func byBraces(format string, call Call) (parts []Node, ok bool) {
	next := 0
	for {
		i := strings.IndexAny(format, "{}")
		if i < 0 {
			return append(parts, StrLit{format}), true
		}
		parts = append(parts, StrLit{format[:i]})
		if format[i:min(i+2, len(format))] == strings.Repeat(format[i:i+1], 2) {
			parts, format = append(parts, StrLit{format[i : i+1]}), format[i+2:]
			continue
		}
		name, rest, closed := strings.Cut(format[i+1:], "}")
		if format[i] == '}' || !closed {
			return nil, false
		}
		arg := argument(call, name, next)
		if arg == nil {
			return nil, false
		}
		if name == "" {
			next++
		}
		parts, format = append(parts, arg), rest
	}
}

// argument is the argument of a call that a brace names; nil where it has none, or is asked for in a notation.
func argument(call Call, name string, next int) Node {
	for _, kw := range call.Kw {
		if kw.Name == name && name != "*" && name != "**" {
			return kw.X
		}
	}
	if name != "" {
		n, err := strconv.Atoi(name)
		if err != nil {
			return nil
		}
		next = n
	}
	if next < 0 || next >= len(call.Args) {
		return nil
	}
	return call.Args[next]
}
