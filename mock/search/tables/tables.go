// Package tables reads which words one construct of source lists: a table, a list, a switch, in most languages.
package tables

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/lazy"
)

// Table is one construct that lists words.
type Table struct {
	Words []string
	By    string // the name by which it chooses; "" where it does not
	At    []int  // lines that look something up in it, by its name
}

// Bounds of what is read.
const (
	maxWords  = 40 // of a table
	maxTokens = 200_000
)

// tokenOf are the parts of a text in most languages: comments, strings, names, and signs.
var tokenOf = lazy.Regexp(`"""(?s:.*?)"""|//[^\n]*|(?m:^[ \t]*#[^\n]*)|/\*(?s:.*?)\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|` +
	"`[^`\n]*`" + `|[A-Za-z_$][\w$]*|\d[\w.]*|=>|->|:=|[=!<>]==?|[\n{}()\[\],:;=|]`)

// frame is what an open bracket holds.
type frame struct {
	name                string // what it is assigned to
	elements            int
	keys, values, items []string
}

// Read returns the constructs of a text that list words, of which the first line has a number.
func Read(text string, line int) []Table {
	var all []Table
	var stack []*frame
	var said statement
	used, names := map[string][]int{}, map[int]string{}
	// Behind the last end of a comment no comment ends, which each beginning of one would be read on for.
	end := strings.LastIndex(text, "*/") + 1
	text = text[:end] + strings.ReplaceAll(text[end:], "/*", "/ ")
	tokens := tokenOf().FindAllString(text, maxTokens)
	for i, t := range tokens {
		switch {
		case t == "\n":
			line++
			said = statement{}
			continue
		case strings.HasPrefix(t, "//"), strings.HasPrefix(t, "/*"), strings.HasPrefix(t, `"""`),
			strings.HasPrefix(strings.TrimSpace(t), "#"):
			line += strings.Count(t, "\n")
			continue
		case strings.Contains("{[(", t):
			stack = append(stack, &frame{name: said.assigned()})
		case strings.Contains("}])", t):
			if len(stack) == 0 {
				continue
			}
			f := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if more, named := f.tables(); len(more) > 0 {
				all = append(all, more...)
				if named && f.name != "" {
					names[len(all)-1] = f.name
				}
			}
		case len(stack) > 0:
			stack[len(stack)-1].take(t, around(tokens, i, -1), around(tokens, i, 1))
		}
		if looksUp(tokens, i) {
			used[t] = append(used[t], line)
		}
		said.take(t)
	}
	for i, name := range names {
		if by, chosen := strings.CutPrefix(name, branches); chosen {
			all[i].By = by
		} else {
			all[i].At = used[name]
		}
	}
	return all
}

// around is the token before or behind another one, but for ends of lines.
func around(tokens []string, i, step int) string {
	for i += step; i >= 0 && i < len(tokens); i += step {
		if tokens[i] != "\n" && !strings.HasPrefix(tokens[i], "//") {
			return tokens[i]
		}
	}
	return ""
}

// take takes a token that stands right in a bracket.
func (f *frame) take(t, before, behind string) {
	if t == "," || f.elements == 0 {
		f.elements++
	}
	text, is := quotedText(t)
	if !is {
		return
	}
	ends := strings.Contains(",}])", behind)
	switch {
	case (behind == ":" || behind == "=>" || behind == "->" || before == "case") && before != "?":
		f.keys = append(f.keys, text)
	case before == ":" && ends:
		f.values = append(f.values, text)
	case strings.Contains("{[(,", before) && ends:
		f.items = append(f.items, text)
	}
}

// quotedText is the text of a string that may be a value.
func quotedText(t string) (text string, is bool) {
	if len(t) < 3 || len(t) > 42 || !strings.Contains("\"'`", t[:1]) {
		return "", false
	}
	text = t[1 : len(t)-1]
	return text, !strings.ContainsAny(text, "\\{}<>%$\n")
}

// branching are the words by which languages begin a choice by the value of something.
var branching = []string{"switch", "match", "when"}

// branches stands before the name of a thing by which is chosen.
const branches = "by "

// looksUp reports whether something that is not known before is looked up in what a token names.
func looksUp(tokens []string, i int) bool {
	if i > 0 && tokens[i-1] == "in" {
		return true
	}
	if i+2 >= len(tokens) || !slices.Contains(looking, tokens[i+1]) {
		return false
	}
	_, known := quotedText(tokens[i+2])
	return tokens[i+1] != "[" || !known
}

// looking are the signs and words behind the name of a table by which languages look something up in it.
var looking = []string{
	"[", "get", "has", "includes", "include", "contains", "containsKey", "Contains", "ContainsKey", "indexOf", "getOrDefault",
}

// statement is what a statement assigns something to, or by which it chooses, as far as it is read: lines may be long.
type statement struct {
	name    string // the last one; where it assigns, the one before
	by      string // the last one behind the word by which it chooses
	assigns bool
	chooses bool
}

// take takes the next token.
func (s *statement) take(t string) {
	switch {
	case s.assigns:
	case s.chooses:
		if identifier().MatchString(t) {
			s.by = t
		}
	case slices.Contains(branching, t):
		s.chooses = true
	case t == "=", t == ":=", t == ":" && s.name != "": // behind a colon comes a type
		s.assigns = true
	case identifier().MatchString(t):
		s.name = t
	}
}

// assigned is the name that the statement assigns something to, or by which it chooses; "" where it does neither.
func (s *statement) assigned() string {
	switch {
	case s.assigns:
		return s.name
	case s.by != "":
		return branches + s.by
	}
	return ""
}

var identifier = lazy.Regexp(`^[A-Za-z_$][\w$]*$`)

// tables are what a bracket held where it lists words, and whether something can be looked up in the last of them.
func (f *frame) tables() (out []Table, named bool) {
	add := func(words []string) bool {
		if len(words) < 2 || len(words) > maxWords {
			return false
		}
		out = append(out, Table{Words: words})
		return true
	}
	add(f.values) // one does not look up by them
	if len(f.keys) > 0 {
		named = add(f.keys)
	} else {
		named = len(f.items) >= f.elements-1 && add(f.items) // a comma may stand behind the last one
	}
	return out, named
}
