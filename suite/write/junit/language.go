package junit

import (
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// language is what Java and Kotlin write differently.
type language struct {
	name    string // of the folder below src/test
	suffix  string // of files
	kotlin  bool
	in      int // how far a broken group is indented
	end     string
	literal func(string) string
}

// javaLanguage is Java, as google-java-format lays it out.
func javaLanguage() *language {
	return &language{name: "java", suffix: ".java", in: 4, end: ";", literal: literal.Java}
}

// kotlinLanguage is Kotlin, as ktfmt lays it out in Google's style.
func kotlinLanguage() *language {
	return &language{name: "kotlin", suffix: ".kt", kotlin: true, in: 2, literal: literal.Kotlin}
}

// maxLiteral is how wide one literal may be, in columns, so that it fits on a line at any depth that is written;
// maxChunk is how much text may stand in one constant, in bytes. A class file holds none of 64 KiB, and compilers
// descend into each +.
const (
	maxLiteral = 64
	maxChunk   = 6000
)

// args writes the arguments of a call, with its brackets.
func (j *language) args(args []doc) []doc {
	if len(args) == 0 {
		return []doc{word("()")}
	}
	inner := []doc{args[0]}
	for _, a := range args[1:] {
		inner = append(inner, word(","), gap{flat: " "}, a)
	}
	if !j.kotlin {
		return []doc{word("("), docGroup{j.in, []doc{gap{}, docGroup{0, inner}}}, word(")")}
	}
	comma := ""
	if len(args) > 1 {
		comma = ","
	}
	inner = append(append([]doc{gap{}}, inner...), gap{before: comma, in: -j.in})
	return []doc{word("("), docGroup{j.in, inner}, word(")")}
}

// call writes a call of a function.
func (j *language) call(name string, args ...doc) doc {
	return docGroup{0, append([]doc{word(name)}, j.args(args)...)}
}

// link is one call of a chain.
type link struct {
	name string
	args []doc
}

// chain writes calls on what those before them return. Java leaves the first where what it is called on is short.
func (j *language) chain(first doc, links ...link) doc {
	name, isName := first.(word)
	short := isName && name.width() <= j.in
	parts := []doc{first}
	for i, l := range links {
		if i > 0 || !short || j.kotlin {
			parts = append(parts, gap{})
		}
		parts = append(parts, docGroup{0, append([]doc{word("." + l.name)}, j.args(l.args)...)})
	}
	return docGroup{j.in, parts}
}

// sum joins texts.
func (j *language) sum(parts []doc) doc {
	if len(parts) == 1 {
		return parts[0]
	}
	out := []doc{parts[0]}
	for _, p := range parts[1:] {
		if j.kotlin {
			out = append(out, word(" +"), gap{flat: " "}, p)
		} else {
			out = append(out, gap{flat: " "}, word("+ "), p)
		}
	}
	return docGroup{j.in, out}
}

// constants cuts a text into literals that fit on a line.
func (j *language) constants(text string) []doc {
	var out []doc
	for _, part := range cut(text, maxLiteral-2, j.columns) {
		out = append(out, word(j.literal(part)))
	}
	return out
}

// columns is how wide a character is within a literal.
func (j *language) columns(r rune) int {
	if ' ' <= r && r <= '~' && r != '"' && r != '\\' && r != '$' {
		return 1
	}
	return word(j.literal(string(r))).width() - 2
}

// text writes a literal text, in as many parts as it needs.
func (j *language) text(text string) doc {
	if len(text) <= maxChunk {
		return j.sum(j.constants(text))
	}
	return j.call("text", j.chunks(text)...)
}

// chunks writes a text as the arguments of a call that joins them.
func (j *language) chunks(text string) []doc {
	var args []doc
	for _, chunk := range cut(text, maxChunk, utf8.RuneLen) {
		args = append(args, j.sum(j.constants(chunk)))
	}
	return args
}

// cut cuts a text into parts that are no wider than width, as measure has it of each character: behind a blank or a
// comma where there is one in the second half. There is one part at least.
func cut(text string, width int, measure func(rune) int) []string {
	var out []string
	text = strings.ToValidUTF8(text, "\ufffd")
	from, good, size, sizeGood := 0, 0, 0, 0
	for i, r := range text {
		n := measure(r)
		if size+n > width && i > from {
			if good <= from || 2*sizeGood <= width {
				good, sizeGood = i, size
			}
			out = append(out, text[from:good])
			from, size = good, size-sizeGood
		}
		size += n
		if strings.ContainsRune(" ,;&\n", r) {
			good, sizeGood = i+1, size
		}
	}
	return append(out, text[from:])
}

// assign writes the declaration of a variable of REST-assured's Response.
func (j *language) assign(name string, value doc) doc {
	head := "Response " + name + " ="
	if j.kotlin {
		head = "val " + name + " ="
	}
	return docGroup{j.in, []doc{word(head), gap{flat: " "}, value}}
}

// lambda writes a call of a function that is given what to run.
func (j *language) lambda(name string, body doc) doc {
	if j.kotlin {
		return docGroup{j.in, []doc{word(name + " {"), gap{flat: " "}, body, gap{flat: " ", in: -j.in}, word("}")}}
	}
	return j.call(name, j.function(body))
}

// function writes a lambda of no parameters.
func (j *language) function(body doc) doc {
	if j.kotlin {
		return docGroup{j.in, []doc{word("{"), gap{flat: " "}, body, gap{flat: " ", in: -j.in}, word("}")}}
	}
	return docGroup{j.in, []doc{word("() ->"), gap{flat: " "}, body}}
}

// statement lays out an expression that stands for itself.
func (j *language) statement(d doc, indent int) []string {
	return layout(docGroup{0, []doc{d, word(j.end)}}, indent)
}

// comment writes a comment, in as many lines as it needs. Java reads a backslash and a u as a character even there,
// unless the backslash is doubled.
func (j *language) comment(text string, indent int) []string {
	text = plan.Visible(text)
	if !j.kotlin {
		text = strings.ReplaceAll(text, `\`, `\\`)
	}
	mark := strings.Repeat(" ", indent) + "//"
	line, width := mark, indent+2
	var out []string
	for _, w := range strings.Fields(text) {
		for _, part := range cut(w, lineWidth-indent-3, func(rune) int { return 1 }) {
			n := 1 + word(part).width()
			if width+n > lineWidth && line != mark {
				out = append(out, line)
				line, width = mark, indent+2
			}
			line += " " + part
			width += n
		}
	}
	return append(out, line)
}

// when is REST-assured's verb, which is a word of Kotlin's own.
func (j *language) when() string {
	if j.kotlin {
		return "`when`"
	}
	return "when"
}

// method writes how a test begins.
func (j *language) method(name, display, throws string) []string {
	out := []string{"  @Test"}
	if display != "" {
		annotation := docGroup{0, append([]doc{word("@DisplayName")}, j.args([]doc{j.sum(j.constants(display))})...)}
		out = append(out, layout(annotation, 2)...)
	}
	return append(out, j.opening("", name, throws))
}

// opening writes the first line of a method that returns nothing. throws is the exception that Java wants named, "" for
// none.
func (j *language) opening(modifier, name, throws string) string {
	if j.kotlin {
		return "  " + modifier + "fun " + name + "() {"
	}
	return "  " + modifier + "void " + name + "()" + throwing(throws) + " {"
}

func throwing(exception string) string {
	if exception == "" {
		return ""
	}
	return " throws " + exception
}
