package pytest

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/internal/literal"
)

// lineWidth is the column that generated Python keeps within, where it can. The project's own configuration says so to
// formatters.
const lineWidth = 120

// expr is a Python expression to be laid out as formatters do: on one line where it fits, else what is in its brackets
// by lines, each with a comma.
type expr struct {
	text   string // all of it where there are no brackets, else what stands before them, with the opening one
	items  []expr
	end    string   // the closing bracket; "" where there is none
	bare   bool     // the only element is a list: no comma follows it
	long   *expr    // what is written instead where the text does not fit; nil for the same
	broken []string // literals that, one after the other, are the same text, for where it does not fit
	note   string   // a comment on an element of brackets, which are then laid out by lines; "" for none
}

func atom(text string) expr { return expr{text: text} }

func call(open string, items ...expr) expr { return expr{text: open, items: items, end: ")"} }

func list(items ...expr) expr { return expr{text: "[", items: items, end: "]"} }

// named puts a text before an expression: a keyword's name, a dictionary's key.
func named(name string, e expr) expr {
	if e.long != nil {
		long := named(name, *e.long)
		e.long = &long
	}
	e.text = name + e.text
	if len(e.broken) > 0 {
		e.broken = append([]string{name}, e.broken[1:]...)
	}
	return e
}

// str is a string; a long one is broken after white space, where there is some.
func str(s string) expr {
	e := atom(literal.Python(s))
	if utf8.RuneCountInString(e.text) > lineWidth/2 {
		e.broken = append([]string{""}, breakText(s, lineWidth-40)...)
	}
	return e
}

// flat is the expression on one line.
func (e expr) flat() string {
	if e.end == "" {
		return e.text
	}
	parts := make([]string, len(e.items))
	for i, item := range e.items {
		parts[i] = item.flat()
	}
	return e.text + strings.Join(parts, ", ") + e.end
}

// lines lays the expression out at an indentation, between a prefix and a suffix.
func (e expr) lines(indent int, prefix, suffix string) []string {
	pad := strings.Repeat(" ", indent)
	one := pad + prefix + e.flat() + suffix
	switch {
	case !e.annotated() && utf8.RuneCountInString(one) <= lineWidth:
		return []string{one}
	case e.long != nil:
		return e.long.lines(indent, prefix, suffix)
	case len(e.broken) > 2:
		out := []string{pad + prefix + e.broken[0] + "("}
		for _, part := range e.broken[1:] {
			out = append(out, pad+"    "+part)
		}
		return append(out, pad+")"+suffix)
	case e.end == "" || len(e.items) == 0:
		return []string{one}
	}
	return e.open(indent, prefix, suffix)
}

// open lays the elements of brackets out by lines.
func (e expr) open(indent int, prefix, suffix string) []string {
	pad := strings.Repeat(" ", indent)
	out := []string{pad + prefix + e.text}
	comma := ","
	if e.bare {
		comma = ""
	}
	for _, item := range e.items {
		lines := item.lines(indent+4, "", comma)
		note := "# " + item.note
		switch {
		case item.note == "":
		case len(lines) == 1 && utf8.RuneCountInString(lines[0]+"  "+note) <= lineWidth:
			lines[0] += "  " + note
		default:
			out = append(out, pad+"    "+note)
		}
		out = append(out, lines...)
	}
	return append(out, pad+e.end+suffix)
}

// annotated reports whether an element within the expression's brackets has a comment.
func (e expr) annotated() bool {
	return slices.ContainsFunc(e.items, func(item expr) bool { return item.note != "" || item.annotated() })
}

// breakText splits a long text into literals of at most width characters, after white space where there is some.
func breakText(s string, width int) []string {
	var out []string
	for len(s) > 0 {
		n, last := 0, 0
		for i, r := range s {
			if n == width {
				break
			}
			n++
			size := utf8.RuneLen(r)
			if r == '\n' {
				last = i + size
				break
			}
			if r == ' ' || i+size == len(s) {
				last = i + size
			}
		}
		if last == 0 {
			last = offset(s, width)
		}
		out = append(out, literal.Python(s[:last]))
		s = s[last:]
	}
	return out
}

// offset returns where the first n characters of s end.
func offset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}
