package javascript

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/flaketap/flaketap/internal/literal"
)

// Width is where lines are broken, as Prettier does by default.
const Width = 80

// Node is an expression of JavaScript that can be written on one line or on several, as Prettier leaves it.
type Node struct {
	Kind  Kind
	Text  string   // of an atom; the callee of a call
	keys  []string // of an object, as they are written
	Parts []Node   // arguments, elements, or values
	Note  string   // a comment on a member or an element of what is then written by lines; "" for none
}

type Kind int

const (
	Atom     Kind = iota // a name, a regular expression, a short call
	Quoted               // a string literal
	Template             // a template literal
	Number
	Invocation
	Array
	Object
)

func Name(text string) Node         { return Node{Kind: Atom, Text: text} }
func String(s string) Node          { return Node{Kind: Quoted, Text: literal.PrettyJavaScript(s)} }
func List(e ...Node) Node           { return Node{Kind: Array, Parts: e} }
func Call(f string, a ...Node) Node { return Node{Kind: Invocation, Text: f, Parts: a} }

// Strings are texts as literals.
func Strings[T ~string](list []T) []Node {
	out := make([]Node, len(list))
	for i, s := range list {
		out[i] = String(string(s))
	}
	return out
}

// With returns an object with one more member.
func (n Node) With(key string, value Node) Node {
	n.Kind = Object
	n.keys = append(n.keys, key)
	n.Parts = append(n.Parts, value)
	return n
}

// flat is the expression on one line.
func (n *Node) Flat() string {
	parts := make([]string, len(n.Parts))
	for i := range n.Parts {
		parts[i] = n.Parts[i].Flat()
		if n.Kind == Object {
			parts[i] = n.keys[i] + ": " + parts[i]
		}
	}
	inner := strings.Join(parts, ", ")
	switch {
	case n.Kind == Invocation:
		return n.Text + "(" + inner + ")"
	case n.Kind == Array:
		return "[" + inner + "]"
	case n.Kind == Object && inner == "":
		return "{}"
	case n.Kind == Object:
		return "{ " + inner + " }"
	}
	return n.Text
}

// broken reports whether the expression is never on one line: an array of several arrays, or objects, of several each.
func (n *Node) broken() bool {
	if n.Kind == Array && len(n.Parts) > 1 {
		all := true
		for _, p := range n.Parts {
			all = all && p.Kind == n.Parts[0].Kind && (p.Kind == Array || p.Kind == Object) && len(p.Parts) > 1
		}
		if all {
			return true
		}
	}
	for i := range n.Parts {
		if n.Parts[i].Note != "" || n.Parts[i].broken() {
			return true
		}
	}
	return false
}

// fits reports whether the expression can stand on one line that has so many columns before and after it.
func (n *Node) fits(column, after int) bool {
	return !n.broken() && column+columns(n.Flat())+after <= Width
}

// write is the expression as it stands behind so many columns of a line that is indented; after is what has to follow
// on its last line. A call can be given as several: see jsExpect.
func (n *Node) Write(indent, column, after int) string {
	if n.fits(column, after) {
		return n.Flat()
	}
	switch {
	case len(n.Parts) == 0:
	case n.Kind == Invocation:
		return n.Text + n.arguments(indent, column+columns(n.Text), after)
	case n.Kind == Array && n.numbers():
		return "[" + n.filled(indent+2) + NewLine(indent) + "]"
	case n.Kind == Array:
		return "[" + n.lines(indent+2) + NewLine(indent) + "]"
	case n.Kind == Object:
		return "{" + n.members(indent+2) + NewLine(indent) + "}"
	}
	return n.Flat()
}

func NewLine(indent int) string { return "\n" + strings.Repeat(" ", indent) }

// arguments are those of a call, in brackets: on one line; or all but the last, which is broken; or a line for each.
func (n *Node) arguments(indent, column, after int) string {
	if whole := (Node{Kind: Invocation, Parts: n.Parts}); whole.fits(column, after) {
		return whole.Flat()
	}
	last := n.Parts[len(n.Parts)-1]
	head := "("
	hugs := (last.Kind == Array || last.Kind == Object) && len(last.Parts) > 0 && (len(n.Parts) == 1 || !last.numbers())
	for i := range n.Parts[:len(n.Parts)-1] {
		hugs = hugs && !n.Parts[i].broken() && (i < len(n.Parts)-2 || n.Parts[i].Kind != last.Kind)
		head += n.Parts[i].Flat() + ", "
	}
	if column += columns(head); hugs && column+1 <= Width {
		last.keys = append([]string{}, last.keys...)
		switch {
		case last.Kind == Object:
			return head + "{" + last.members(indent+2) + NewLine(indent) + "})"
		case last.numbers():
			return head + "[" + last.filled(indent+2) + NewLine(indent) + "])"
		}
		return head + "[" + last.lines(indent+2) + NewLine(indent) + "])"
	}
	return "(" + n.lines(indent+2) + NewLine(indent) + ")"
}

// lines writes parts one below the other.
func (n *Node) lines(indent int) string {
	var b strings.Builder
	for i := range n.Parts {
		b.WriteString(NewLine(indent) + n.Parts[i].Write(indent, indent, 1) + ",")
		b.WriteString(n.Parts[i].comment())
	}
	return b.String()
}

// members writes the members of an object one below the other.
func (n *Node) members(indent int) string {
	var b strings.Builder
	for i := range n.Parts {
		key, value := n.keys[i]+":", &n.Parts[i]
		column := indent + columns(key) + 1
		if value.apart(columns(n.keys[i])) && !value.fits(column, 1) {
			b.WriteString(NewLine(indent) + key + NewLine(indent+2) + value.Write(indent+2, indent+2, 1) + ",")
		} else {
			b.WriteString(NewLine(indent) + key + " " + value.Write(indent, column, 1) + ",")
		}
		b.WriteString(value.comment())
	}
	return b.String()
}

// comment is what follows an element or a member on its line.
func (n *Node) comment() string {
	if n.Note == "" {
		return ""
	}
	return " // " + n.Note
}

// apart reports whether a value that is too long for the line of its key goes to the next: not that of a short key,
// which would win nothing.
func (n *Node) apart(key int) bool {
	const short, lone = 5, Width / 4
	switch n.Kind {
	case Quoted, Atom:
		return key >= short || n.Kind == Atom
	case Invocation:
		return len(n.Parts) == 1 && n.Parts[0].Kind == Quoted && columns(n.Parts[0].Text) <= lone
	}
	return false
}

// numbers reports whether an array is of numbers alone, of which as many go on a line as fit.
func (n *Node) numbers() bool {
	if n.Kind != Array || len(n.Parts) < 2 {
		return false
	}
	for _, p := range n.Parts {
		if p.Kind != Number {
			return false
		}
	}
	return true
}

func (n *Node) filled(indent int) string {
	var b strings.Builder
	column := Width + 1
	for _, p := range n.Parts {
		if w := columns(p.Text); column+1+w+1 > Width {
			b.WriteString(NewLine(indent) + p.Text + ",")
			column = indent + w + 1
		} else {
			b.WriteString(" " + p.Text + ",")
			column += 1 + w + 1
		}
	}
	return b.String()
}

// Expect is the statement expect(got).matcher(args), as it stands at an indent.
func Expect(indent int, got Node, matcher string, args ...Node) string {
	call := Node{Kind: Invocation, Parts: args}
	head := "expect(" + got.Flat() + ")." + matcher
	if !got.broken() && indent+columns(head)+1 <= Width || len(args) == 0 {
		return head + call.arguments(indent, indent+columns(head), 1) + ";"
	}
	head = ")." + matcher
	return "expect(" + NewLine(indent+2) + got.Write(indent+2, indent+2, 1) + "," + NewLine(indent) + head +
		call.arguments(indent, indent+columns(head), 1) + ";"
}

// columns is how wide Prettier takes a text to be: wide characters count twice, those that combine not at all.
func columns(s string) int {
	if len(s) == utf8.RuneCountInString(s) {
		return len(s)
	}
	n := 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case wide(r):
			n += 2
		default:
			n++
		}
	}
	return n
}

// wide reports whether a character is as wide as two in a terminal: East Asian ones, and pictures.
func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) ||
		r >= 0x3000 && r <= 0x303f || r >= 0xff01 && r <= 0xff60 || r >= 0x1f300 && r <= 0x1faff
}
func Int(n int) Node { return Node{Kind: Number, Text: strconv.Itoa(n)} }
