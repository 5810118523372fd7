package kotlin

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/java"
)

// Read finds what a file defines, with the text of others behind it, and tells it as a file of Java.
func Read(file, src string) (*java.File, error) {
	tokens, err := java.LexKotlin(file, src)
	if err != nil {
		return nil, err
	}
	t := &teller{src: src, in: tokens, match: java.Matches(tokens)}
	t.members(t.head(), len(tokens))
	return java.ReadKotlin(t.out), nil
}

// teller tells the tokens of Kotlin as those of Java.
type teller struct {
	src     string
	in, out []java.Token
	match   []int        // of an opening bracket of in, where it is closed
	local   []java.Token // functions within functions, which are told as those of the class
	depth   int          // of brackets
}

// is reports whether a token is a word or an operator, and no name in backquotes.
func (t *teller) is(i, to int, texts ...string) bool {
	return i < to && !t.in[i].Quoted && slices.ContainsFunc(texts, t.in[i].Is)
}

func (t *teller) isName(i, to int) bool { return i < to && t.in[i].Kind == java.NameToken }

// copy tells a token as it is.
func (t *teller) copy(i int) { t.out = append(t.out, t.in[i]) }

// say tells words that the file does not have, behind what was told.
func (t *teller) say(words ...string) {
	for _, w := range words {
		token := java.Token{Kind: java.OpToken, Text: w, Line: 1}
		if w[0] >= 'a' && w[0] <= 'z' || w[0] >= 'A' && w[0] <= 'Z' {
			token.Kind = java.NameToken
		}
		if n := len(t.out); n > 0 {
			token.Line, token.Start, token.End = t.out[n-1].Line, t.out[n-1].End, t.out[n-1].End
		}
		t.out = append(t.out, token)
	}
}

// name tells a word in the place of a token.
func (t *teller) name(word string, i int) {
	token := t.in[i]
	token.Kind, token.Text = java.NameToken, word
	t.out = append(t.out, token)
}

// breaks reports whether a line ends before a token.
func (t *teller) breaks(i int) bool {
	if i == 0 || i >= len(t.in) {
		return true
	}
	return strings.ContainsAny(t.src[t.in[i-1].End:t.in[i].Start], "\r\n")
}

// generics steps over <…>, and returns where what follows them begins.
func (t *teller) generics(i, to int) int {
	if !t.is(i, to, "<") {
		return i
	}
	depth := 0
	for k := i; k < to; k++ {
		switch {
		case t.is(k, to, "<"):
			depth++
		case t.is(k, to, ">"):
			depth--
		case t.is(k, to, "{", ";"):
			return i
		}
		if depth == 0 {
			return k + 1
		}
	}
	return i
}

// annotation steps over an annotation, and returns where what follows it begins.
func (t *teller) annotation(i, to int) int {
	i++
	if t.is(i, to, "[") {
		return t.match[i] + 1
	}
	for t.isName(i, to) {
		i = t.generics(i+1, to)
		if !t.is(i, to, ".", ":") {
			break
		}
		if i++; t.is(i, to, "[") {
			return t.match[i] + 1
		}
	}
	if t.is(i, to, "(") && t.in[i-1].End == t.in[i].Start {
		return t.match[i] + 1
	}
	return i
}

// head tells the package and the imports, and returns where what follows them begins.
func (t *teller) head() int {
	i, to := 0, len(t.in)
	for t.is(i, to, "@") && t.is(i+1, to, "file") {
		i = max(t.annotation(i, to), i+1)
	}
	for t.is(i, to, "package", "import") {
		from := i
		for i++; i < to && !t.breaks(i) && !t.is(i, to, ";"); i++ {
		}
		t.copy(from)
		t.path(from+1, i, t.in[from].Text == "import")
		t.say(";")
		if t.is(i, to, ";") {
			i++
		}
	}
	return i
}

// path tells the name of a package or of what is imported: a member of a class is static in Java.
func (t *teller) path(from, to int, imported bool) {
	for k := from; k < to; k++ {
		if t.is(k, to, "as") {
			to = k // by the name that the library has
		}
	}
	if imported && to-from > 2 {
		if of := t.in[to-3].Text; of != "" && 'A' <= of[0] && of[0] <= 'Z' {
			t.say("static")
		}
	}
	for k := from; k < to; k++ {
		t.copy(k)
	}
}
