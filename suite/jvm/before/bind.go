package before

import (
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/script"
)

// bind puts variables into the literals of a call's own statement, or of those before it.
func (f *File) bind(s *script.Script, c *script.Call, sent string, parts []script.TextPart) ([]script.Edit, bool) {
	holes, ok := handset.Holes(sent, parts)
	if !ok {
		return nil, false
	}
	words := f.words()
	if edits, ok := handset.Bind(s.Text, f.literals(c.At.Start, c.At.End), sent, holes, words); ok {
		return edits, true
	}
	for _, t := range s.Tests {
		if slices.Contains(t.Calls, c) && t.BodyStart < c.At.Start {
			return handset.Bind(s.Text, f.literals(t.BodyStart, c.At.End), sent, holes, words)
		}
	}
	return nil, false
}

// words are how the language writes variables.
func (f *File) words() handset.Words { return handset.Words{Number: f.number, Text: f.with} }

// literals lists those of a piece of the file.
func (f *File) literals(start, end int) []handset.Literal {
	s, tokens := f.Script, f.tokens(start, end)
	var literals []handset.Literal
	for i, t := range tokens {
		source := s.Text[t.Start:t.End]
		called := i+1 < len(tokens) && tokens[i+1].Is(".") // what is written in its place may be a sum
		switch raw := strings.HasPrefix(source, `"""`); {
		case t.Kind == java.StringToken:
			l := handset.Literal{Start: t.Start, End: t.End, From: t.Start + 1, To: t.End - 1, Plain: !raw}
			if raw && f.Kotlin && len(source) >= 6 {
				l.From, l.To, l.Plain = t.Start+3, t.End-3, true
			}
			if l.Template = f.Kotlin && strings.Contains(source, "$"); l.Template {
				l.From += len(regexp.MustCompile(`^\$\w+`).FindString(s.Text[l.From:l.To]))
				rest := s.Text[l.From:l.To]
				l.Plain = l.Plain && strings.Count(rest, "$") == strings.Count(rest, "${")
			}
			l.Cut = !called && (l.Plain || !raw)
			l.Plain = l.Plain && !called && !strings.ContainsAny(source, "\\\r\n")
			literals = append(literals, l)
		case source[0] >= '0' && source[0] <= '9':
			literals = append(literals, handset.Literal{Start: t.Start, End: t.End, From: t.Start, To: t.End, Number: true})
		}
	}
	return literals
}

// number is the number that a variable is the text of.
func (f *File) number(variable string) string {
	if f.Kotlin {
		return variable + ".toInt()"
	}
	return "Integer.parseInt(" + variable + ")"
}

// with writes a literal with variables in some places.
func (f *File) with(source string, l handset.Literal, holes []handset.Hole) (string, bool) {
	open, end := source[l.Start:l.From], source[l.To:l.End]
	plain := func(text string) string { return text }
	written := func(variable string) string { return `" + ` + variable + ` + "` }
	if f.Kotlin {
		written = func(variable string) string { return "${" + variable + "}" }
	}
	text := open + handset.Replaced(source, l.From, l.To, holes, written, plain) + end
	if f.Kotlin {
		return unbraced(text), true
	}
	return strings.TrimSuffix(strings.TrimPrefix(text, `"" + `), ` + ""`), true
}
