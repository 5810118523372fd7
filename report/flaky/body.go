package flaky

import (
	"regexp"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// sourceLine is a line of a file.
type sourceLine struct {
	file string
	line int // from 1
	text string
}

// beginsTest matches lines in which tests begin, in the languages of suites.
var beginsTest = regexp.MustCompile(`^\s*(?:async\s+)?def\s|^func\s|^\s*@Test\b|\bfun\s|\bvoid\s+\w+\s*\(|` +
	`\b(?:it|test|describe)(?:\.\w+)?\s*\(`)

// asserts matches lines that look like assertions.
var asserts = regexp.MustCompile(`(?i)assert|expect|require\.|should|\bthat\(|\.(?:error|fatal)f?\(|!=|==`)

// body returns the lines of a test: those from its name on to where the next test begins. There are none where the
// suite was not given, or where its name stands in several places that could be it.
func (in *Input) body(t *Test) []sourceLine {
	for name := bareName(t.ID.Name); name != ""; {
		var found [][]sourceLine
		for _, s := range in.Sources {
			if body := bodyIn(s, name); body != nil {
				found = append(found, body)
			}
		}
		if len(found) > 0 {
			if len(found) > 1 {
				return nil
			}
			return found[0]
		}
		_, rest, more := strings.Cut(name, " ") // the titles around a test come first
		if !more {
			return nil
		}
		name = rest
	}
	return nil
}

// bareName is the name of a test without the file that a mark has before it, and the parameters.
func bareName(name string) string {
	name = name[strings.LastIndexByte(name, ':')+1:]
	name = strings.TrimSuffix(name, "()")
	if i := strings.IndexAny(name, "[("); i > 0 {
		name = name[:i]
	}
	return strings.TrimSpace(name)
}

// bodyIn returns the lines of the test of a name in a file; nil where none begins there.
func bodyIn(s SourceFile, name string) []sourceLine {
	var out []sourceLine
	n := 0
	for text := range strings.Lines(string(s.Data)) {
		n++
		begins := beginsTest.MatchString(text)
		switch {
		case out == nil && !(begins && hasWord(text, name)):
			continue
		case out != nil && begins:
			return out
		}
		out = append(out, sourceLine{s.Path, n, strings.TrimSpace(text)})
	}
	return out
}

// naming returns the line that has a name which means a place: one that looks like an assertion, if there is one.
func naming(body []sourceLine, place exchange.Place) (found sourceLine, ok bool) {
	for _, l := range body {
		if !named(l.text, place) {
			continue
		}
		if asserts.MatchString(l.text) {
			return l, true
		}
		if !ok {
			found, ok = l, true
		}
	}
	return found, ok
}
