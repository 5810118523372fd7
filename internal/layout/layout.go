package layout

import (
	"strings"
	"unicode/utf8"
)

// Piece is a piece of a program that has yet to be broken into lines: one of the other types here.
type Piece interface{}

type (
	// Text stands as it is.
	Text string
	// All is one piece after the other.
	All []Piece
	// Indented is a piece of which the lines stand further in.
	Indented struct{ Piece }
	// Group is on one line where it fits; else all lines of its own are broken, those of groups in it where these do not
	// fit either.
	Group struct {
		Piece
		Broken bool // it is broken whatever room there is
	}
	// States is the first of some pieces that fits on the line, or the last one.
	States []Piece
	// Line is where a line may end, and what stands there where it does not: a blank or nothing.
	Line string
	// IfBroken stands there only where its group is broken.
	IfBroken string
)

// In is a piece of which the lines stand further in.
func In(piece Piece) Indented { return Indented{piece} }

// Fit is a group that is broken where it does not fit, or where a group in it is broken whatever room there is.
func Fit(piece Piece) Group { return Group{Piece: piece, Broken: Breaks(piece)} }

// Break is a group that is broken whatever room there is.
func Break(piece Piece) Group { return Group{Piece: piece, Broken: true} }

// Lines lays a piece out in lines of at most so many characters, where it can. What is indented stands so many blanks
// further in.
func Lines(piece Piece, width, indent int) []string {
	p := printer{width: width, unit: indent}
	return strings.Split(p.print(piece), "\n")
}

// task is what is left to print.
type task struct {
	Piece
	indent string
	broken bool
}

// printer writes a piece in lines of some width.
type printer struct {
	width, unit int
	out         strings.Builder
	column      int
}

func (p *printer) print(l Piece) string {
	rest := []task{{l, "", true}}
	for len(rest) > 0 {
		t := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		switch x := t.Piece.(type) {
		case Text:
			p.write(string(x))
		case All:
			for i := len(x) - 1; i >= 0; i-- {
				rest = append(rest, task{x[i], t.indent, t.broken})
			}
		case Indented:
			rest = append(rest, task{x.Piece, t.indent + strings.Repeat(" ", p.unit), t.broken})
		case Group:
			flat := task{x.Piece, t.indent, false}
			if x.Broken || t.broken && !p.fits(flat, rest) {
				flat.broken = true
			}
			rest = append(rest, flat)
		case States:
			rest = append(rest, p.chosen(x, t, rest))
		case Line:
			if t.broken {
				p.out.WriteString("\n" + t.indent)
				p.column = len(t.indent)
			} else {
				p.write(string(x))
			}
		case IfBroken:
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
func (p *printer) chosen(of States, t task, rest []task) task {
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
		switch x := t.Piece.(type) {
		case Text:
			room -= utf8.RuneCountInString(string(x))
		case All:
			for i := len(x) - 1; i >= 0; i-- {
				todo = append(todo, task{x[i], "", t.broken})
			}
		case Indented:
			todo = append(todo, task{x.Piece, "", t.broken})
		case Group:
			todo = append(todo, task{x.Piece, "", t.broken || x.Broken})
		case States:
			first := x[0]
			if t.broken {
				first = x[len(x)-1]
			}
			todo = append(todo, task{first, "", t.broken})
		case Line:
			if t.broken {
				return true
			}
			room -= len(x)
		case IfBroken:
			if t.broken {
				room -= len(x)
			}
		}
	}
	return false
}

// Breaks reports whether a piece has a group in it that is broken whatever room there is.
func Breaks(l Piece) bool {
	switch x := l.(type) {
	case All:
		for _, one := range x {
			if Breaks(one) {
				return true
			}
		}
	case Indented:
		return Breaks(x.Piece)
	case Group:
		return x.Broken || Breaks(x.Piece)
	case States:
		return Breaks(x[0])
	}
	return false
}
