package prettier

import (
	"strings"
	"unicode/utf8"
)

// layout is a piece of a program that has yet to be broken into lines: text, all, indented, group, states, line,
// ifBroken.
type layout interface{}

type (
	text     string   // stands as it is
	all      []layout // one after the other
	indented struct{ layout }
	group    struct {
		layout
		broken bool // whatever room there is
	}
	states   []layout // the first of which all fits; the last one where none does
	line     string   // what stands there unless the group is broken: a blank or nothing
	ifBroken string   // stands there only where the group is broken
)

// task is what is left to print.
type task struct {
	layout
	indent string
	broken bool
}

// printer writes a layout in lines of some width.
type printer struct {
	width, unit int
	out         strings.Builder
	column      int
}

func (p *printer) print(l layout) string {
	rest := []task{{l, "", true}}
	for len(rest) > 0 {
		t := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		switch x := t.layout.(type) {
		case text:
			p.write(string(x))
		case all:
			for i := len(x) - 1; i >= 0; i-- {
				rest = append(rest, task{x[i], t.indent, t.broken})
			}
		case indented:
			rest = append(rest, task{x.layout, t.indent + strings.Repeat(" ", p.unit), t.broken})
		case group:
			flat := task{x.layout, t.indent, false}
			if x.broken || t.broken && !p.fits(flat, rest) {
				flat.broken = true
			}
			rest = append(rest, flat)
		case states:
			rest = append(rest, p.chosen(x, t, rest))
		case line:
			if t.broken {
				p.out.WriteString("\n" + t.indent)
				p.column = len(t.indent)
			} else {
				p.write(string(x))
			}
		case ifBroken:
			if t.broken {
				p.write(string(x))
			}
		}
	}
	return p.out.String()
}

func (p *printer) write(s string) {
	p.out.WriteString(s)
	p.column += utf8.RuneCountInString(s)
}

// chosen is the first of some states that fits.
func (p *printer) chosen(of states, t task, rest []task) task {
	for _, state := range of[:len(of)-1] {
		if one := (task{state, t.indent, false}); !t.broken || p.fits(one, rest) {
			return one
		}
	}
	return task{of[len(of)-1], t.indent, true}
}

// fits reports whether what is next, and what is left up to the first break of a line, fits into the line.
func (p *printer) fits(next task, rest []task) bool {
	room := p.width - p.column
	todo := []task{next}
	for room >= 0 {
		if len(todo) == 0 {
			if len(rest) == 0 {
				return true
			}
			todo, rest = append(todo, rest[len(rest)-1]), rest[:len(rest)-1]
		}
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch x := t.layout.(type) {
		case text:
			room -= utf8.RuneCountInString(string(x))
		case all:
			for i := len(x) - 1; i >= 0; i-- {
				todo = append(todo, task{x[i], "", t.broken})
			}
		case indented:
			todo = append(todo, task{x.layout, "", t.broken})
		case group:
			todo = append(todo, task{x.layout, "", t.broken || x.broken})
		case states:
			first := x[0]
			if t.broken {
				first = x[len(x)-1]
			}
			todo = append(todo, task{first, "", t.broken})
		case line:
			if t.broken {
				return true
			}
			room -= len(x)
		case ifBroken:
			if t.broken {
				room -= len(x)
			}
		}
	}
	return false
}

// breaks reports whether a layout has a group in it that is broken whatever room there is.
func breaks(l layout) bool {
	switch x := l.(type) {
	case all:
		for _, one := range x {
			if breaks(one) {
				return true
			}
		}
	case indented:
		return breaks(x.layout)
	case group:
		return x.broken || breaks(x.layout)
	case states:
		return breaks(x[0])
	}
	return false
}
