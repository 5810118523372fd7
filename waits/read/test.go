package read

import (
	"slices"
	"sort"
	"strings"
)

// title takes down the test that a call is: it('opens', function).
func (w *walker) title(f frame, end int) {
	if w.file.Language != JavaScript || len(f.args) < 2 || end >= len(w.tokens) {
		return
	}
	first := w.tokens[f.args[0][0]]
	if first.kind != text || !titled[f.callee.name] && !titled[f.callee.of] {
		return
	}
	w.tests = append(w.tests, header{first.text, w.tokens[f.first].line, w.tokens[end].line})
}

// titled are the calls that are tests.
var titled = wordSet("it test specify")

// declares takes down what a name says of the text: where a function begins, and what a class is made of.
func (w *walker) declares(i int) {
	t := w.tokens[i]
	switch {
	case i+1 < len(w.tokens) && t.text == "func" && w.file.Language == Go && w.tokens[i+1].text == "(":
		w.method(i)
	case i+1 >= len(w.tokens) || w.tokens[i+1].kind != name:
	case t.text == "def" && w.file.Language == Python, t.text == "fun" && w.file.Language == Kotlin,
		t.text == "func" && w.file.Language == Go, t.text == "void" && w.file.Language == Java:
		w.tests = append(w.tests, header{name: w.tokens[i+1].text, from: t.line})
	case (t.text == "class" || t.text == "object") && (w.file.Language == Java || w.file.Language == Kotlin):
		for j := i + 2; j < min(len(w.tokens), i+40) && w.tokens[j].text != "{"; j++ {
			if w.tokens[j].kind == name {
				w.file.extends = append(w.file.extends, w.tokens[j].text)
			}
		}
	}
}

// method is the name of a method of Go, of which func begins.
func (w *walker) method(i int) {
	for j := i + 2; j < min(len(w.tokens)-1, i+12); j++ {
		if w.tokens[j].text == ")" && w.tokens[j+1].kind == name {
			w.tests = append(w.tests, header{name: w.tokens[j+1].text, from: w.tokens[i].line})
			return
		}
	}
}

// titles names the tests around the waits that were found.
func (w *walker) titles() {
	slices.SortStableFunc(w.tests, func(a, b header) int { return a.from - b.from })
	w.file.tests = w.tests
	slices.SortStableFunc(w.file.Waits, func(a, b Wait) int { return a.Line - b.Line })
	var around []header // those that have begun, the innermost last
	next := 0
	for i := range w.file.Waits {
		wait := &w.file.Waits[i]
		for next < len(w.tests) && w.tests[next].from <= wait.Line {
			if w.tests[next].to == 0 {
				around = around[:0]
			}
			around = append(around, w.tests[next])
			next++
		}
		for len(around) > 0 && around[len(around)-1].to != 0 && around[len(around)-1].to < wait.Line {
			around = around[:len(around)-1]
		}
		if len(around) > 0 {
			wait.Test = around[len(around)-1].name
		}
	}
}

// TestAt names the test that a line stands in; "" where it stands in none: in a function that another one calls, or
// outside of all. In Python, Java, Kotlin and Go a test is a function whose name says so.
func (f *File) TestAt(line int) string {
	end := sort.Search(len(f.tests), func(i int) bool { return f.tests[i].from > line })
	for i := end - 1; i >= max(0, end-maxAround); i-- {
		switch t := f.tests[i]; {
		case t.to == 0 && f.Language != JavaScript:
			if strings.HasPrefix(strings.ToLower(t.name), "test") {
				return t.name
			}
			return ""
		case t.to >= line:
			return t.name
		}
	}
	return ""
}

// maxAround bounds how many tests are looked at that begin before a line.
const maxAround = 1000

// imports takes down what the text names of other files.
func (f *File) imports(tokens []token) {
	for i, t := range tokens {
		if t.kind != name || len(f.Imports) >= maxConstants {
			continue
		}
		switch {
		case f.Language == JavaScript && (t.text == "from" || t.text == "require" || t.text == "import"):
			if s := textBehind(tokens, i); s != "" {
				f.Imports = append(f.Imports, s)
			}
		case f.Language == Go:
			return // the files of a folder are one package
		case t.text == "import" || t.text == "from" && f.Language == Python:
			f.Imports = append(f.Imports, dottedBehind(tokens, i)...)
		}
	}
	f.fromMilli = f.Language == Python && slices.ContainsFunc(f.Imports, func(s string) bool {
		return strings.HasPrefix(s, "playwright")
	})
}

// textBehind is the text that a name is followed by, a bracket between them or not.
func textBehind(tokens []token, i int) string {
	for j := i + 1; j < min(len(tokens), i+3); j++ {
		if tokens[j].kind == text {
			return tokens[j].text
		}
		if tokens[j].text != "(" {
			return ""
		}
	}
	return ""
}

// dottedBehind are the names that an import names: of its line.
func dottedBehind(tokens []token, i int) []string {
	var out []string
	path := ""
	for j := i + 1; j < min(len(tokens), i+60) && tokens[j].line == tokens[i].line; j++ {
		switch t := tokens[j]; {
		case t.kind == name && (t.text == "import" || t.text == "as"):
			return append(out, path)
		case t.kind == name && t.text != "static":
			path += t.text
		case t.text == ".":
			path += "."
		case t.text == ",":
			out = append(out, path)
			path = ""
		}
	}
	return append(out, path)
}
