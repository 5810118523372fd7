package before

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// Fixture is a set-up that pytest has done before the fixtures that its test names: what these send is to find what it
// has made.
type Fixture struct {
	Test  *script.Test
	Asks  []string // its parameters, self included
	Lines []string // its statements
	Gives []string // variables of these that the test speaks of
}

// FixtureName is the name of the fixture that sets up a test.
func FixtureName(test string) string { return "set_up_" + test }

// Edits put the fixture above its test, which asks for it first. decorators and head are those of the test.
func (f Fixture) Edits(s *script.Script, decorators []syntax.Statement, head syntax.Statement) []script.Edit {
	eol, name := script.LineEnd(s.Lines[0]), FixtureName(f.Test.Name)
	first := head
	if len(decorators) > 0 {
		first = decorators[0]
	}
	at := first.Start - len(first.Indent)
	text := fmt.Sprintf("%s@pytest.fixture%s%sdef %s(%s):%s", head.Indent, eol, head.Indent, name,
		strings.Join(f.Asks, ", "), eol)
	for _, line := range f.statements() {
		if line != "" {
			line = f.Test.Indent + line
		}
		text += line + eol
	}
	text += eol
	if head.Indent == "" {
		text += eol // as formatters have it
	}
	above := handset.Above(s.Text, first.Start, "#")
	edits := []script.Edit{{Start: above, End: above, Text: text}}
	if len(f.Gives) == 0 {
		uses := head.Indent + `@pytest.mark.usefixtures("` + name + `")` + eol
		return append(edits, script.Edit{Start: at, End: at, Text: uses})
	}
	taken := f.Test.Indent + strings.Join(f.Gives, ", ") + " = " + name + eol
	body := f.Test.BodyStart
	return append(edits, asksFirst(s, head, name), script.Edit{Start: body, End: body, Text: taken})
}

// statements are those of the fixture, with what it gives.
func (f Fixture) statements() []string {
	out := f.Lines
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	if len(f.Gives) > 0 {
		out = append(out[:len(out):len(out)], "return "+strings.Join(f.Gives, ", "))
	}
	return out
}

// Asks has a function ask for a fixture, as its last parameter.
func Asks(s *script.Script, head syntax.Statement, fixture string) script.Edit {
	tokens := head.Tokens
	at := syntax.TopLevel(tokens, "->")
	if at < 0 {
		at = len(tokens) - 1
	}
	for at > 0 && tokens[at].Text != ")" {
		at--
	}
	before := tokens[at-1]
	text := ", " + fixture
	switch {
	case before.Text == "(":
		text = fixture
	case before.Text == "," && before.Line < tokens[at].Line:
		text = script.LineEnd(s.Lines[0]) + indentOf(s, before.Line) + fixture + ","
	case before.Text == ",":
		text = " " + fixture
	}
	return script.Edit{Start: before.End, End: before.End, Text: text}
}

// asksFirst has a function ask for a fixture before any other.
func asksFirst(s *script.Script, head syntax.Statement, fixture string) script.Edit {
	tokens := head.Tokens
	at := 1
	for at+2 < len(tokens) && tokens[at-1].Text != "(" {
		at++
	}
	next, behind := tokens[at], tokens[at+1] // of the first parameter, or the closing bracket
	if next.Text == "self" && behind.Text != "," {
		return script.Edit{Start: next.End, End: next.End, Text: ", " + fixture}
	}
	before := tokens[at-1]
	if next.Text == "self" {
		before, next = behind, tokens[at+2]
	}
	switch {
	case next.Text == ")" && before.Text == "(":
		return script.Edit{Start: next.Start, End: next.Start, Text: fixture}
	case next.Line > before.Line:
		text := fixture + "," + script.LineEnd(s.Lines[0]) + indentOf(s, next.Line)
		return script.Edit{Start: next.Start, End: next.Start, Text: text}
	}
	return script.Edit{Start: next.Start, End: next.Start, Text: fixture + ", "}
}

// indentOf is the white space that a line begins with.
func indentOf(s *script.Script, line int) string {
	text := s.Lines[line-1]
	return text[:len(text)-len(strings.TrimLeft(text, " \t"))]
}
