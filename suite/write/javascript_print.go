package write

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/flaketap/flaketap/internal/literal"
)

// jsWidth is where lines are broken, as Prettier does by default.
const jsWidth = 80

// jsNode is an expression of JavaScript that can be written on one line or on several, as Prettier leaves it.
type jsNode struct {
	kind  jsKind
	text  string   // of an atom; the callee of a call
	keys  []string // of an object, as they are written
	parts []jsNode // arguments, elements, or values
}

type jsKind int

const (
	jsAtom     jsKind = iota // a name, a regular expression, a short call
	jsQuoted                 // a string literal
	jsTemplate               // a template literal
	jsNumber
	jsCall
	jsArray
	jsObject
)

func jsName(text string) jsNode         { return jsNode{kind: jsAtom, text: text} }
func jsStr(s string) jsNode             { return jsNode{kind: jsQuoted, text: literal.PrettyJavaScript(s)} }
func jsList(e ...jsNode) jsNode         { return jsNode{kind: jsArray, parts: e} }
func jsOf(f string, a ...jsNode) jsNode { return jsNode{kind: jsCall, text: f, parts: a} }

// with returns an object with one more member.
func (n jsNode) with(key string, value jsNode) jsNode {
	n.kind = jsObject
	n.keys = append(n.keys, key)
	n.parts = append(n.parts, value)
	return n
}

// flat is the expression on one line.
func (n *jsNode) flat() string {
	parts := make([]string, len(n.parts))
	for i := range n.parts {
		parts[i] = n.parts[i].flat()
		if n.kind == jsObject {
			parts[i] = n.keys[i] + ": " + parts[i]
		}
	}
	inner := strings.Join(parts, ", ")
	switch {
	case n.kind == jsCall:
		return n.text + "(" + inner + ")"
	case n.kind == jsArray:
		return "[" + inner + "]"
	case n.kind == jsObject && inner == "":
		return "{}"
	case n.kind == jsObject:
		return "{ " + inner + " }"
	}
	return n.text
}

// broken reports whether the expression is never on one line: an array of several arrays, or objects, of several each.
func (n *jsNode) broken() bool {
	if n.kind == jsArray && len(n.parts) > 1 {
		all := true
		for _, p := range n.parts {
			all = all && p.kind == n.parts[0].kind && (p.kind == jsArray || p.kind == jsObject) && len(p.parts) > 1
		}
		if all {
			return true
		}
	}
	for i := range n.parts {
		if n.parts[i].broken() {
			return true
		}
	}
	return false
}

// fits reports whether the expression can stand on one line that has so many columns before and after it.
func (n *jsNode) fits(column, after int) bool {
	return !n.broken() && column+jsColumns(n.flat())+after <= jsWidth
}

// write is the expression as it stands behind so many columns of a line that is indented; after is what has to follow on
// its last line. A call can be given as several: see jsExpect.
func (n *jsNode) write(indent, column, after int) string {
	if n.fits(column, after) {
		return n.flat()
	}
	switch {
	case len(n.parts) == 0:
	case n.kind == jsCall:
		return n.text + n.arguments(indent, column+jsColumns(n.text), after)
	case n.kind == jsArray && n.numbers():
		return "[" + n.filled(indent+2) + jsLine(indent) + "]"
	case n.kind == jsArray:
		return "[" + n.lines(indent+2) + jsLine(indent) + "]"
	case n.kind == jsObject:
		return "{" + n.members(indent+2) + jsLine(indent) + "}"
	}
	return n.flat()
}

func jsLine(indent int) string { return "\n" + strings.Repeat(" ", indent) }

// arguments are those of a call, in brackets: on one line; or all but the last, which is broken; or a line for each.
func (n *jsNode) arguments(indent, column, after int) string {
	if whole := (jsNode{kind: jsCall, parts: n.parts}); whole.fits(column, after) {
		return whole.flat()
	}
	last := n.parts[len(n.parts)-1]
	head := "("
	hugs := (last.kind == jsArray || last.kind == jsObject) && len(last.parts) > 0 && (len(n.parts) == 1 || !last.numbers())
	for i := range n.parts[:len(n.parts)-1] {
		hugs = hugs && !n.parts[i].broken() && (i < len(n.parts)-2 || n.parts[i].kind != last.kind)
		head += n.parts[i].flat() + ", "
	}
	if column += jsColumns(head); hugs && column+1 <= jsWidth {
		last.keys = append([]string{}, last.keys...)
		switch {
		case last.kind == jsObject:
			return head + "{" + last.members(indent+2) + jsLine(indent) + "})"
		case last.numbers():
			return head + "[" + last.filled(indent+2) + jsLine(indent) + "])"
		}
		return head + "[" + last.lines(indent+2) + jsLine(indent) + "])"
	}
	return "(" + n.lines(indent+2) + jsLine(indent) + ")"
}

// lines writes parts one below the other.
func (n *jsNode) lines(indent int) string {
	var b strings.Builder
	for i := range n.parts {
		b.WriteString(jsLine(indent) + n.parts[i].write(indent, indent, 1) + ",")
	}
	return b.String()
}

// members writes the members of an object one below the other.
func (n *jsNode) members(indent int) string {
	var b strings.Builder
	for i := range n.parts {
		key, value := n.keys[i]+":", &n.parts[i]
		column := indent + jsColumns(key) + 1
		if value.apart(jsColumns(n.keys[i])) && !value.fits(column, 1) {
			b.WriteString(jsLine(indent) + key + jsLine(indent+2) + value.write(indent+2, indent+2, 1) + ",")
			continue
		}
		b.WriteString(jsLine(indent) + key + " " + value.write(indent, column, 1) + ",")
	}
	return b.String()
}

// apart reports whether a value that is too long for the line of its key goes to the next: not that of a short key, which
// would win nothing.
func (n *jsNode) apart(key int) bool {
	const short, lone = 5, jsWidth / 4
	switch n.kind {
	case jsQuoted, jsAtom:
		return key >= short || n.kind == jsAtom
	case jsCall:
		return len(n.parts) == 1 && n.parts[0].kind == jsQuoted && jsColumns(n.parts[0].text) <= lone
	}
	return false
}

// numbers reports whether an array is of numbers alone, of which as many go on a line as fit.
func (n *jsNode) numbers() bool {
	if n.kind != jsArray || len(n.parts) < 2 {
		return false
	}
	for _, p := range n.parts {
		if p.kind != jsNumber {
			return false
		}
	}
	return true
}

func (n *jsNode) filled(indent int) string {
	var b strings.Builder
	column := jsWidth + 1
	for _, p := range n.parts {
		if w := jsColumns(p.text); column+1+w+1 > jsWidth {
			b.WriteString(jsLine(indent) + p.text + ",")
			column = indent + w + 1
		} else {
			b.WriteString(" " + p.text + ",")
			column += 1 + w + 1
		}
	}
	return b.String()
}

// jsExpect is the statement expect(got).matcher(args), as it stands at an indent.
func jsExpect(indent int, got jsNode, matcher string, args ...jsNode) string {
	call := jsNode{kind: jsCall, parts: args}
	head := "expect(" + got.flat() + ")." + matcher
	if !got.broken() && indent+jsColumns(head)+1 <= jsWidth || len(args) == 0 {
		return head + call.arguments(indent, indent+jsColumns(head), 1) + ";"
	}
	head = ")." + matcher
	return "expect(" + jsLine(indent+2) + got.write(indent+2, indent+2, 1) + "," + jsLine(indent) + head +
		call.arguments(indent, indent+jsColumns(head), 1) + ";"
}

// jsColumns is how wide Prettier takes a text to be: wide characters count twice, those that combine not at all.
func jsColumns(s string) int {
	if len(s) == utf8.RuneCountInString(s) {
		return len(s)
	}
	n := 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case jsWide(r):
			n += 2
		default:
			n++
		}
	}
	return n
}

// jsWide reports whether a character is as wide as two in a terminal: East Asian ones, and pictures.
func jsWide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) ||
		r >= 0x3000 && r <= 0x303f || r >= 0xff01 && r <= 0xff60 || r >= 0x1f300 && r <= 0x1faff
}
func jsInt(n int) jsNode { return jsNode{kind: jsNumber, text: strconv.Itoa(n)} }
