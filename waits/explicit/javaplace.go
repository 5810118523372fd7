package explicit

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/java"
)

// method is the method that a token stands in; nil where that is none.
func (j *javaSuite) method(at int) (found *java.Method) {
	for _, m := range j.file.Methods {
		if m.Open < at && at < m.Close {
			found = m
		}
	}
	return found
}

// call is the last call of a line, where a command of WebDriver comes from it: a token; -1 where there is none.
func (j *javaSuite) call(line int) int {
	at := -1
	for i := range j.file.Tokens[:max(0, len(j.file.Tokens)-1)] {
		if t := &j.file.Tokens[i]; t.Line == line && t.Kind == java.NameToken && j.file.Tokens[i+1].Is("(") {
			at = i
		}
	}
	return at
}

// statement is the token with which the statement begins that a token stands in, where lines can be put before it
// that are run whenever the token is, and just before it.
func (j *javaSuite) statement(within *java.Method, at int) (first int, err error) {
	levels := []javaLevel{{block: true, first: within.Open + 1}}
	for i := within.Open + 1; i < at; i++ {
		t, top := &j.file.Tokens[i], &levels[len(levels)-1]
		switch {
		case t.Is("{"):
			from := i
			if top.block {
				from = top.first
			}
			block, class := j.opens(i, from)
			levels = append(levels, javaLevel{block, class, i + 1})
		case t.Is("(") || t.Is("["):
			levels = append(levels, javaLevel{})
		case t.Is(")") || t.Is("]") || t.Is("}"):
			levels = levels[:len(levels)-1]
			if top = &levels[len(levels)-1]; top.block && t.Is("}") && !j.goesOn(i+1) {
				top.first = i + 1
			}
		case t.Is(";") && top.block:
			top.first = i + 1
		}
	}
	for _, l := range slices.Backward(levels) {
		if l.class {
			return 0, errLater
		}
		if l.block {
			return l.first, j.fits(l.first, at)
		}
	}
	return 0, errLater
}

// javaLevel is a bracket that is open.
type javaLevel struct {
	block, class bool // it holds statements; it holds members
	first        int  // of the statement that is being read
}

// opens says what a brace opens, in a statement that begins at first: a block, the members of a class, or the
// elements of an array.
func (j *javaSuite) opens(i, first int) (block, class bool) {
	tokens := j.file.Tokens
	before := &tokens[i-1]
	if before.Is("=") || before.Is("]") || before.Is(",") || before.Is("(") || before.Is("{") && !j.isStatement(i) {
		return false, false
	}
	for k := first; k < i; k++ {
		t, dotted := &tokens[k], k > 0 && tokens[k-1].Is(".")
		if !dotted && tokens[k+1].Kind == java.NameToken && (t.Is("class") || t.Is("interface") || t.Is("enum") || t.Is("record")) {
			return false, true
		}
	}
	open := slices.Index(j.file.Match, i-1)
	if !before.Is(")") || open < 1 {
		return true, false
	}
	k := open - 1
	for k > 0 && (tokens[k].Kind == java.NameToken && tokens[k-1].Is(".") || tokens[k].Is(".") || tokens[k].Is("<") || tokens[k].Is(">")) {
		k--
	}
	return true, k > 0 && tokens[k-1].Is("new")
}

// isStatement reports whether a brace behind a brace opens a block within a block.
func (j *javaSuite) isStatement(i int) bool {
	return i < 2 || !j.file.Tokens[i-2].Is("=") && !j.file.Tokens[i-2].Is("]")
}

// goesOn reports whether a token goes on with the statement that a brace before it ends a part of.
func (j *javaSuite) goesOn(i int) bool {
	t := &j.file.Tokens[i]
	return slices.ContainsFunc([]string{"else", "catch", "finally", ".", ")", ",", ";"}, t.Is) ||
		t.Is("while") && j.endsDo(i)
}

// endsDo reports whether a while is that of a do: nothing but a semicolon stands behind its condition.
func (j *javaSuite) endsDo(i int) bool {
	if i+1 >= len(j.file.Tokens) || !j.file.Tokens[i+1].Is("(") {
		return false
	}
	end := j.file.Match[i+1] + 1
	return end < len(j.file.Tokens) && j.file.Tokens[end].Is(";")
}

// fits says why no line can be put before a statement for what a token of it does.
func (j *javaSuite) fits(first, at int) error {
	tokens := j.file.Tokens
	begin, before := &tokens[first], tokens[first:at+1]
	has := func(words ...string) bool {
		return slices.ContainsFunc(before, func(t java.Token) bool { return slices.ContainsFunc(words, t.Is) })
	}
	headEnds := 0
	if first+1 < len(tokens) && tokens[first+1].Is("(") {
		headEnds = j.file.Match[first+1]
	}
	line := j.text[strings.LastIndexByte(j.text[:begin.Start], '\n')+1 : begin.Start]
	over := begin.Is("for") && at < headEnds && slices.ContainsFunc(before, func(t java.Token) bool { return t.Is(":") })
	switch {
	case strings.TrimSpace(line) != "":
		return errLine
	case has("->"):
		return errLater
	case begin.Is("for") && !over, has("while", "do", "else", "case", "default", "catch", "finally", "switch", "try", "class"),
		begin.Is("if") && at > headEnds, (begin.Is("super") || begin.Is("this")) && headEnds > 0:
		return errHead
	}
	return nil
}

// driver is the name of the driver where a statement begins: the one from which its method looked for elements last;
// else one from which others of its class did, which has to be a name of the class; else what the method is given, or
// the class has. "" is none.
func (j *javaSuite) driver(within *java.Method, first, at int) string {
	if name := j.named(within, at, first); name != "" {
		return name
	}
	for _, p := range within.Params {
		if strings.HasSuffix(p.Typ, "Driver") {
			return p.Name
		}
	}
	name := ""
	for _, m := range j.file.Methods {
		found := j.named(m, m.Close, m.Close)
		root, _, _ := strings.Cut(strings.TrimPrefix(found, "this."), ".")
		if _, field := j.file.FieldOf(within.Class, root); field || found != "" && m.Class == within.Class && !j.declares(m, root) {
			name = found
		}
	}
	if name != "" {
		return name
	}
	for field, v := range j.file.Fields[within.Class] {
		if strings.HasSuffix(v.Typ, "Driver") && (name == "" || field < name) {
			name = field
		}
	}
	return name
}

// named is the name from which a method looks for elements last, up to a token: on lines where it does so from the
// driver, and by a name that is known still where a statement begins.
func (j *javaSuite) named(m *java.Method, to, first int) string {
	var names known
	for i := m.Open; i <= to && i < len(j.file.Tokens); i++ {
		t := &j.file.Tokens[i]
		switch {
		case t.Is("{"):
			names.opens()
		case t.Is("}") && i < first:
			names.closes(func(root string) bool { return !j.declares(m, root) })
		case (t.Is("findElement") || t.Is("findElements")) && j.roots[t.Line]:
			names.add(j.receiver(i))
		}
	}
	return names.last()
}

// declares reports whether a method has a variable, or a parameter, of a name.
func (j *javaSuite) declares(m *java.Method, name string) bool {
	for i := m.Keyword + 2; i < m.Close; i++ {
		before := &j.file.Tokens[i-1]
		if j.file.Tokens[i].Is(name) && (before.Kind == java.NameToken && !before.Is("return") || before.Is(">") || before.Is("]")) {
			return true
		}
	}
	return false
}

// receiver is what a method is called on, where that is a name, or members of one.
func (j *javaSuite) receiver(method int) string {
	tokens, i := j.file.Tokens, method-1
	for i > 0 && tokens[i].Is(".") && tokens[i-1].Kind == java.NameToken {
		i -= 2
	}
	if i == method-1 || i >= 0 && tokens[i].Is(".") {
		return ""
	}
	return j.text[tokens[i+1].Start:tokens[method-2].End]
}
