package prettier

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/layout"
)

// Spelling is what of prettier's settings shows on a line: those of a file are read off what stands in it.
type Spelling struct {
	Single bool   // texts stand in single quotes, where double ones need no fewer escapes (singleQuote)
	Bare   bool   // a parameter by itself has no brackets (arrowParens: "avoid")
	Tight  bool   // no blank stands within the braces of an object (bracketSpacing: false)
	Commas Commas // where a comma stands behind the last of several that have a line each (trailingComma)
}

// Commas says behind the last of which things a comma stands.
type Commas uint8

// The settings of trailingComma.
const (
	CommaAll  Commas = iota // elements, members and arguments
	CommaES5                // elements and members
	CommaNone               // none of them
)

// SpellingOf is how a file is spelled, by most of what stands in it.
func SpellingOf(source string, tokens []layout.Token) Spelling {
	single, bare, tight := 0, 0, 0
	for i, t := range tokens {
		switch {
		case t.Kind == layout.Other && t.Text[0] == '\'':
			single++
		case t.Kind == layout.Other && t.Text[0] == '"':
			single--
		case t.Text == "=>" && i > 0 && tokens[i-1].Kind == layout.Name:
			bare++
		case t.Text == "=>" && isAlone(tokens[:i]):
			bare--
		case t.Text == "{" && i+1 < len(tokens) && tokens[i+1].Text != "}":
			switch between := source[t.End:tokens[i+1].Start]; between {
			case "":
				tight++
			case " ":
				tight--
			}
		}
	}
	return Spelling{Single: single > 0, Bare: bare > 0, Tight: tight > 0, Commas: commasOf(source, tokens)}
}

// Quote is what stands around texts.
func (s Spelling) Quote() string {
	if s.Single {
		return "'"
	}
	return `"`
}

// comma is what stands behind the last of several things that have a line each, by what ends with the bracket before
// the first.
func (s Spelling) comma(open string) string {
	if s.Commas == CommaNone || s.Commas == CommaES5 && strings.HasSuffix(open, "(") {
		return ""
	}
	return ","
}

// isAlone reports whether tokens end with one name in brackets.
func isAlone(tokens []layout.Token) bool {
	n := len(tokens)
	return n > 2 && tokens[n-1].Text == ")" && tokens[n-2].Kind == layout.Name && tokens[n-3].Text == "(" &&
		(n == 3 || tokens[n-4].Kind != layout.Name || tokens[n-4].Text == "async" || tokens[n-4].Text == "return")
}

// commasOf is where commas stand at the ends of lines of which a bracket closes the next.
func commasOf(source string, tokens []layout.Token) Commas {
	with, without := map[string]int{}, map[string]int{}
	var open []int
	for i, t := range tokens {
		if t.Kind != layout.Bracket {
			continue
		}
		if strings.Contains("([{", t.Text) {
			open = append(open, i)
			continue
		}
		if len(open) == 0 {
			break
		}
		from := open[len(open)-1]
		open = open[:len(open)-1]
		last := tokens[i-1]
		switch {
		case !strings.Contains(source[last.End:t.Start], "\n"):
		case last.Text == ",":
			with[t.Text]++
		case t.Text == "]", len(commas(tokens[from+1:i])) > 1 && !slices.ContainsFunc(tokens[from+1:i], isSemicolon):
			without[t.Text]++
		}
	}
	switch {
	case with[")"] > 0:
		return CommaAll
	case with["]"]+with["}"] > 0 && without[")"] > 0:
		return CommaES5
	case with["]"]+with["}"] == 0 && without["]"]+without[")"] > 0:
		return CommaNone
	}
	return CommaAll
}

func isSemicolon(t layout.Token) bool { return t.Text == ";" }

// identifier is a key that needs no quotes.
var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// Spelled is a source in this spelling, but for blanks and commas, which are matters of its lines.
func (s Spelling) Spelled(source string, tokens []layout.Token) string {
	var b strings.Builder
	at := 0
	put := func(from, to int, text string) {
		b.WriteString(source[at:from] + text)
		at = to
	}
	for i, t := range tokens {
		switch next := i+1 < len(tokens) && tokens[i+1].Text == ":"; {
		case t.Kind == layout.Other && strings.ContainsRune(`"'`, rune(t.Text[0])):
			key := t.Text[1 : len(t.Text)-1]
			if next && i > 0 && (tokens[i-1].Text == "{" || tokens[i-1].Text == ",") && identifier.MatchString(key) {
				put(t.Start, t.End, key)
			} else {
				put(t.Start, t.End, s.quoted(key))
			}
		case t.Kind == layout.Name && i+1 < len(tokens) && tokens[i+1].Text == "=>" && !s.Bare:
			put(t.Start, t.End, "("+t.Text+")")
		case t.Text == "(" && s.Bare && i+3 < len(tokens) && tokens[i+3].Text == "=>" && isAlone(tokens[:i+3]):
			name := tokens[i+1].Text
			if i > 0 && tokens[i-1].End == t.Start && tokens[i-1].Kind != layout.Bracket && tokens[i-1].Kind != layout.Mark {
				name = " " + name // return(x) => 1
			}
			put(t.Start, tokens[i+2].End, name)
		}
	}
	return b.String() + source[at:]
}

// quoted puts the source of a text into quotes: those that are preferred, unless the others need fewer escapes.
func (s Spelling) quoted(raw string) string {
	quote, other := s.Quote(), `"`
	if !s.Single {
		other = "'"
	}
	if strings.Count(raw, quote) > strings.Count(raw, other) {
		quote, other = other, quote
	}
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		switch c := raw[i : i+1]; {
		case c == `\` && i+1 < len(raw):
			if i++; raw[i:i+1] != other {
				b.WriteString(c)
			}
			b.WriteByte(raw[i])
		case c == quote:
			b.WriteString(`\` + c)
		default:
			b.WriteString(c)
		}
	}
	return quote + b.String() + quote
}

// UnitOf is how much further in a line stands than the one around it: as the line that stands in the least.
func UnitOf(lines []string) string {
	unit := ""
	for _, line := range lines {
		text := strings.TrimLeft(line, " \t")
		indent := line[:len(line)-len(text)]
		if indent == "" || strings.HasPrefix(text, "*") || strings.TrimSpace(text) == "" {
			continue
		}
		if indent[0] == '\t' {
			return "\t"
		}
		if unit == "" || len(indent) < len(unit) {
			unit = indent
		}
	}
	return cmp.Or(unit, "  ")
}
