package junit

import (
	"strings"
	"unicode/utf8"
)

// doc is a piece of source code that is laid out by the rule that google-java-format and ktfmt share: a group stands on
// one line if it fits there, else each of its breaks becomes a new line, and the groups in it are tried again.
type doc interface{ width() int }

type (
	// word is what is never broken.
	word string
	// gap is a blank or nothing, where a line may end. In a broken group what comes after it is indented by in beside
	// the group's own indentation, and what stands before it is put before it: a trailing comma.
	gap struct {
		flat, before string
		in           int
	}
	// group is laid out as one; what is on lines of their own is indented by in.
	docGroup struct {
		in    int
		parts []doc
	}
	// block is a text of several lines between marks of their own, which nothing else can stand beside.
	block []string
)

// lineWidth is how wide both formatters write, in columns.
const (
	lineWidth = 100
	endless   = 1 << 20
)

func (w word) width() int  { return utf8.RuneCountInString(string(w)) }
func (g gap) width() int   { return len(g.flat) }
func (b block) width() int { return endless }

func (g docGroup) width() int {
	sum := 0
	for _, p := range g.parts {
		sum = min(sum+p.width(), endless)
	}
	return sum
}

// layout writes a doc at an indentation, as lines.
func layout(d doc, indent int) []string {
	l := &layouter{line: strings.Repeat(" ", indent), column: indent}
	l.put(d, indent, 0)
	return append(l.lines, l.line)
}

type layouter struct {
	lines  []string
	line   string
	column int
}

func (l *layouter) write(s string) {
	l.line += s
	l.column += utf8.RuneCountInString(s)
}

func (l *layouter) newline(indent int) {
	l.lines = append(l.lines, strings.TrimRight(l.line, " "))
	l.line, l.column = strings.Repeat(" ", indent), indent
}

// put writes a doc; rest is the width of what has to stand behind it on the same line.
func (l *layouter) put(d doc, indent, rest int) {
	switch d := d.(type) {
	case word:
		l.write(string(d))
	case gap:
		l.write(d.flat)
	case block:
		at := l.column
		for i, line := range d {
			if i > 0 {
				l.newline(at)
			}
			l.write(line)
		}
	case docGroup:
		if l.column+d.width()+rest <= lineWidth {
			l.flat(d)
			return
		}
		for i, p := range d.parts {
			if g, ok := p.(gap); ok {
				l.write(g.before)
				l.newline(indent + d.in + g.in)
				continue
			}
			l.put(p, indent+d.in, l.behind(d.parts[i+1:], rest))
		}
	}
}

// behind returns the width of what stands on a line behind a part: up to the next break.
func (l *layouter) behind(parts []doc, rest int) int {
	sum := 0
	for _, p := range parts {
		if g, ok := p.(gap); ok {
			return sum + len(g.before)
		}
		sum = min(sum+p.width(), endless)
	}
	return sum + rest
}

func (l *layouter) flat(d doc) {
	switch d := d.(type) {
	case word:
		l.write(string(d))
	case gap:
		l.write(d.flat)
	case docGroup:
		for _, p := range d.parts {
			l.flat(p)
		}
	}
}
