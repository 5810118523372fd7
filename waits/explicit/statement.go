package explicit

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/js"
)

// level is a bracket that is open.
type level struct {
	block bool // it holds statements
	first int  // of the statement that is being read
}

// statement is the token with which the statement begins that a token stands in, where a line can be put before it
// that is run whenever the token is, and just before it.
func (j *javaScript) statement(at int) (first int, err error) {
	levels := []level{{block: true}}
	for i := 0; i <= at; i++ {
		t, top := j.tokens[i], &levels[len(levels)-1]
		if top.block && i > 0 && j.beginsStatement(i) {
			top.first = i
		}
		switch {
		case i == at:
		case t.Is("{"):
			levels = append(levels, level{j.opensBlock(i), i + 1})
		case t.Is("(") || t.Is("["):
			levels = append(levels, level{})
		case t.Is(")") || t.Is("]") || t.Is("}"):
			if len(levels) > 1 {
				levels = levels[:len(levels)-1]
			}
			if top = &levels[len(levels)-1]; top.block && t.Is("}") && !j.continues(i+1) {
				top.first = i + 1
			}
		case t.Is(";") && top.block:
			top.first = i + 1
		}
	}
	for i := len(levels) - 1; i >= 0; i-- {
		if levels[i].block {
			return levels[i].first, j.fits(levels[i].first, at)
		}
	}
	return 0, errLater
}

// fits says why no line can be put before a statement for what a token of it does.
func (j *javaScript) fits(first, at int) error {
	begin := j.tokens[first]
	line := j.text[strings.LastIndexByte(j.text[:begin.Start], '\n')+1 : begin.Start]
	has := func(tokens []js.Token, words ...string) bool {
		return slices.ContainsFunc(tokens, func(t js.Token) bool { return slices.ContainsFunc(words, t.Is) })
	}
	before := j.tokens[first : at+1]
	if j.overAll(first, at) {
		before = before[1:]
	}
	switch {
	case strings.TrimSpace(line) != "":
		return errLine
	case has(before, "=>", "function"), !has(j.tokens[first:j.end(at)], "await"):
		return errLater
	case has(before, "for", "while", "do", "else", "case", "default", "catch", "finally", "switch", "class"),
		begin.Is("if") && at > j.pairs[first+1]:
		return errHead
	}
	return nil
}

// overAll reports whether a token stands in what a loop goes over, which is made once: for (const row of await rows()).
func (j *javaScript) overAll(first, at int) bool {
	return j.is(first, "for") && j.is(first+1, "(") && at < j.pairs[first+1] && slices.ContainsFunc(j.tokens[first:at], isOf)
}

func isOf(t js.Token) bool { return t.Is("of") }

// end is about where the statement ends that a token stands in.
func (j *javaScript) end(at int) int {
	for i := at; i < len(j.tokens); i++ {
		if j.tokens[i].Is(";") || i > at && j.beginsStatement(i) || i > at+maxStatement {
			return i
		}
	}
	return len(j.tokens)
}

// maxStatement is how many tokens of a statement are looked at.
const maxStatement = 200

// pairs is, for each bracket, the other one of its pair.
func pairs(tokens []js.Token) map[int]int {
	out := map[int]int{}
	var open []int
	for i, t := range tokens {
		switch {
		case oneOf(t, "(", "[", "{"):
			open = append(open, i)
		case oneOf(t, ")", "]", "}") && len(open) > 0:
			last := open[len(open)-1]
			open, out[i], out[last] = open[:len(open)-1], last, i
		}
	}
	return out
}

// opensBlock reports whether a brace opens a block, and no object.
func (j *javaScript) opensBlock(i int) bool {
	if i == 0 {
		return true
	}
	before := j.tokens[i-1]
	return oneOf(before, ")", "=>", "else", "try", "finally", "do", ";", "{", "}") ||
		before.Kind == js.Word && i > 1 && oneOf(j.tokens[i-2], "class", "extends", "implements") || j.endsResult(i-1)
}

// endsResult reports whether a token ends the type of what a function returns: ): Promise<string> {
func (j *javaScript) endsResult(i int) bool {
	at := i
	for at > 0 && i-at < maxStatement && (j.tokens[at].Kind == js.Word || oneOf(j.tokens[at], ".", "<", ">", ">>", ">>>", "[", "]", "|", "&", ",")) {
		at--
	}
	return at > 0 && at < i && j.tokens[at].Is(":") && j.tokens[at-1].Is(")")
}

// beginsStatement reports whether a token begins a statement because a line ended before it.
func (j *javaScript) beginsStatement(i int) bool {
	before, t := j.tokens[i-1], j.tokens[i]
	if !strings.Contains(j.text[before.End:t.Start], "\n") || j.continues(i) {
		return false
	}
	switch {
	case before.Kind == js.Word:
		return !oneOf(before, "await", "return", "new", "typeof", "in", "of", "else", "do", "async", "const", "let", "var",
			"throw")
	case before.Is(")"):
		head := max(0, j.pairs[i-1]-1)
		return !oneOf(j.tokens[head], "if", "for", "while", "with") &&
			!(head > 0 && oneOf(j.tokens[head], "await") && oneOf(j.tokens[head-1], "for"))
	case j.isMark(before):
		return oneOf(before, "]", "}")
	}
	return true
}

// isMark reports whether a token is punctuation.
func (j *javaScript) isMark(t js.Token) bool {
	c := rune(j.text[t.Start])
	return t.Kind != js.Word && t.Kind != js.JsString && t.Kind != js.JsTemplate && t.End-t.Start <= 4 &&
		strings.ContainsRune("()[]{}.,;:?=+-*/%&|^~!<>", c)
}

// continues reports whether a token goes on with what stands before it.
func (j *javaScript) continues(i int) bool {
	if i >= len(j.tokens) {
		return false
	}
	t := j.tokens[i]
	if t.Kind == js.Word {
		return oneOf(t, "else", "catch", "finally", "in", "instanceof", "of")
	}
	return j.isMark(t) && !oneOf(t, "{", "}", "!", "++", "--")
}

func oneOf(t js.Token, texts ...string) bool { return slices.ContainsFunc(texts, t.Is) }
