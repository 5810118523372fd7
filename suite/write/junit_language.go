package write

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/internal/literal"
)

// jvmLanguage is what Java and Kotlin write differently.
type jvmLanguage struct {
	name    string // of the folder below src/test
	suffix  string // of files
	kotlin  bool
	in      int // how far a broken group is indented
	end     string
	literal func(string) string
}

// javaLanguage is Java, as google-java-format lays it out.
func javaLanguage() *jvmLanguage {
	return &jvmLanguage{name: "java", suffix: ".java", in: 4, end: ";", literal: literal.Java}
}

// kotlinLanguage is Kotlin, as ktfmt lays it out in Google's style.
func kotlinLanguage() *jvmLanguage {
	return &jvmLanguage{name: "kotlin", suffix: ".kt", kotlin: true, in: 2, literal: literal.Kotlin}
}

// jvmMaxLiteral is how wide one literal may be, in columns, so that it fits on a line at any depth that is written; jvmMaxChunk is
// how much text may stand in one constant, in bytes. A class file holds none of 64 KiB, and compilers descend into each +.
const (
	jvmMaxLiteral = 64
	jvmMaxChunk   = 6000
)

// args writes the arguments of a call, with its brackets.
func (j *jvmLanguage) args(args []jvmDoc) []jvmDoc {
	if len(args) == 0 {
		return []jvmDoc{jvmWord("()")}
	}
	inner := []jvmDoc{args[0]}
	for _, a := range args[1:] {
		inner = append(inner, jvmWord(","), jvmGap{flat: " "}, a)
	}
	if !j.kotlin {
		return []jvmDoc{jvmWord("("), jvmGroup{j.in, []jvmDoc{jvmGap{}, jvmGroup{0, inner}}}, jvmWord(")")}
	}
	comma := ""
	if len(args) > 1 {
		comma = ","
	}
	inner = append(append([]jvmDoc{jvmGap{}}, inner...), jvmGap{before: comma, in: -j.in})
	return []jvmDoc{jvmWord("("), jvmGroup{j.in, inner}, jvmWord(")")}
}

// call writes a call of a function.
func (j *jvmLanguage) call(name string, args ...jvmDoc) jvmDoc {
	return jvmGroup{0, append([]jvmDoc{jvmWord(name)}, j.args(args)...)}
}

// link is one call of a chain.
type jvmLink struct {
	name string
	args []jvmDoc
}

// chain writes calls on what those before them return. Java leaves the first where what it is called on is short.
func (j *jvmLanguage) chain(first jvmDoc, short bool, links ...jvmLink) jvmDoc {
	parts := []jvmDoc{first}
	for i, l := range links {
		if i > 0 || !short || j.kotlin {
			parts = append(parts, jvmGap{})
		}
		parts = append(parts, jvmGroup{0, append([]jvmDoc{jvmWord("." + l.name)}, j.args(l.args)...)})
	}
	return jvmGroup{j.in, parts}
}

// sum joins texts.
func (j *jvmLanguage) sum(parts []jvmDoc) jvmDoc {
	if len(parts) == 1 {
		return parts[0]
	}
	out := []jvmDoc{parts[0]}
	for _, p := range parts[1:] {
		if j.kotlin {
			out = append(out, jvmWord(" +"), jvmGap{flat: " "}, p)
		} else {
			out = append(out, jvmGap{flat: " "}, jvmWord("+ "), p)
		}
	}
	return jvmGroup{j.in, out}
}

// constants cuts a text into literals that fit on a line.
func (j *jvmLanguage) constants(text string) []jvmDoc {
	var out []jvmDoc
	for _, part := range jvmCut(text, jvmMaxLiteral-2, j.columns) {
		out = append(out, jvmWord(j.literal(part)))
	}
	return out
}

// columns is how wide a character is within a literal.
func (j *jvmLanguage) columns(r rune) int {
	if ' ' <= r && r <= '~' && r != '"' && r != '\\' && r != '$' {
		return 1
	}
	return jvmWord(j.literal(string(r))).width() - 2
}

// text writes a literal text, in as many parts as it needs.
func (j *jvmLanguage) text(text string) jvmDoc {
	if len(text) <= jvmMaxChunk {
		return j.sum(j.constants(text))
	}
	return j.call("text", j.chunks(text)...)
}

// chunks writes a text as the arguments of a call that joins them.
func (j *jvmLanguage) chunks(text string) []jvmDoc {
	var args []jvmDoc
	for _, chunk := range jvmCut(text, jvmMaxChunk, utf8.RuneLen) {
		args = append(args, j.sum(j.constants(chunk)))
	}
	return args
}

// jvmCut cuts a text into parts that are no wider than width, as measure has it of each character: behind a blank or a comma
// where there is one in the second half. There is one part at least.
func jvmCut(text string, width int, measure func(rune) int) []string {
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
func (j *jvmLanguage) assign(name string, value jvmDoc) jvmDoc {
	head := "Response " + name + " ="
	if j.kotlin {
		head = "val " + name + " ="
	}
	return jvmGroup{j.in, []jvmDoc{jvmWord(head), jvmGap{flat: " "}, value}}
}

// lambda writes a call of a function that is given what to run.
func (j *jvmLanguage) lambda(name string, body jvmDoc) jvmDoc {
	if j.kotlin {
		return jvmGroup{j.in, []jvmDoc{jvmWord(name + " {"), jvmGap{flat: " "}, body, jvmGap{flat: " ", in: -j.in}, jvmWord("}")}}
	}
	return j.call(name, jvmGroup{j.in, []jvmDoc{jvmWord("() ->"), jvmGap{flat: " "}, body}})
}

// statement lays out an expression that stands for itself.
func (j *jvmLanguage) statement(d jvmDoc, indent int) []string {
	return jvmLayout(jvmGroup{0, []jvmDoc{d, jvmWord(j.end)}}, indent)
}

// comment writes a comment, in as many lines as it needs. Java reads a backslash and a u as a character even there, unless
// the backslash is doubled.
func (j *jvmLanguage) comment(text string, indent int) []string {
	text = visible(text)
	if !j.kotlin {
		text = strings.ReplaceAll(text, `\`, `\\`)
	}
	mark := strings.Repeat(" ", indent) + "//"
	line, width := mark, indent+2
	var out []string
	for _, w := range strings.Fields(text) {
		for _, part := range jvmCut(w, jvmWidth-indent-3, func(rune) int { return 1 }) {
			n := 1 + jvmWord(part).width()
			if width+n > jvmWidth && line != mark {
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
func (j *jvmLanguage) when() string {
	if j.kotlin {
		return "`when`"
	}
	return "when"
}

// method writes how a test begins.
func (j *jvmLanguage) method(name, display string, throws bool) []string {
	out := []string{"  @Test"}
	if display != "" {
		annotation := jvmGroup{0, append([]jvmDoc{jvmWord("@DisplayName")}, j.args([]jvmDoc{j.sum(j.constants(display))})...)}
		out = append(out, jvmLayout(annotation, 2)...)
	}
	switch {
	case j.kotlin:
		return append(out, fmt.Sprintf("  fun %s() {", name))
	case throws:
		return append(out, fmt.Sprintf("  void %s() throws Exception {", name))
	}
	return append(out, fmt.Sprintf("  void %s() {", name))
}
