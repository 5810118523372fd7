package polling

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/black"
	"github.com/flaketap/flaketap/suite/python/importing"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// Site is where a test sends a read: in a statement of its own, by the call that some tokens of that are.
type Site struct {
	Script    *script.Script
	Test      *script.Test
	Stmts     []syntax.Statement // of the file
	At        syntax.Statement
	From, End int    // of its tokens, the first and the one behind the last
	Made      bool   // the call gives something made of the answer, as its body, or may fail where that is not ready
	Given     string // what conditions call what it gives; "" for Answer
	Answer    string // a name that is free for what the call gives
	// how the status and the text of an answer of that name are written
	Status, Text string
}

// names are those that the function may have, in the order in which they are tried.
func (s Site) names() []string {
	if s.Made {
		return []string{"poll_for", "poll_for_body"}
	}
	return []string{"poll", "poll_until_ready"}
}

// given is what conditions call what the call gives.
func (s Site) given() string {
	return cmp.Or(s.Given, s.Answer)
}

// Find finds the call in the statement; is reports whether a function, as it is called by some tokens, sends the read.
func (s *Site) Find(is func(function syntax.Node, call []syntax.Token) bool) bool {
	for i, t := range s.At.Tokens {
		if t.Kind != syntax.TokenName || i > 0 && s.At.Tokens[i-1].Text == "." {
			continue
		}
		for _, end := range syntax.CallEnds(s.At.Tokens[i:]) {
			s.From, s.End = i, i+end+1
			x, err := syntax.ParseExpr(s.At.Tokens[s.From:s.End])
			if call, ok := x.(syntax.Call); ok && err == nil && is(call.Fn, s.At.Tokens[s.From:s.End]) {
				return true
			}
		}
	}
	return false
}

// Write returns the edits, in lines of so many characters; source writes a condition about an answer, or a body, of a
// name. There are none where the statement is of another form than is understood.
func (s Site) Write(w script.Wait, source func(x expr.Expr, name string) (string, bool), width int) []script.Edit {
	conditions, said := s.conditions(w, func(x expr.Expr) (string, bool) { return source(x, s.given()) })
	name, edits := s.helper(w)
	if name == "" || !said || !s.plain() {
		return nil
	}
	tokens, text, eol := s.At.Tokens, s.Script.Text, s.Script.EOL()
	read, ok := s.read()
	if !ok {
		return nil
	}
	call := black.Piece{Text: name + "(", Close: ")", Call: true, Inner: []black.Piece{read}}
	for i, x := range conditions {
		call.Inner = append(call.Inner, black.Piece{Text: [...]string{"", "failed="}[i] + "lambda " + s.given() + ": " + strings.Join(x, " ")})
	}
	if s.Made && len(w.Early) > 0 {
		call.Inner = append(call.Inner, black.Piece{Text: "early=" + early(w.Early)})
	}
	call.Inner = append(call.Inner, black.Piece{Text: "seconds=" + script.Seconds(w.Atmost)}, black.Piece{Text: "every=" + script.Seconds(w.Every)})
	given, rest := s.Answer+" = ", eol+s.At.Indent+
		text[s.At.Start:tokens[s.From].Start]+s.Answer+text[tokens[s.End-1].End:s.At.End]
	if s.assigns() {
		given, rest = text[s.At.Start:tokens[s.From].Start], ""
	}
	width -= utf8.RuneCountInString(s.At.Indent)
	now := s.Script.Comment(w.Comment) + eol + s.At.Indent +
		strings.Join(broken(call.Lines(given, "", width), conditions, width), eol+s.At.Indent) + rest
	edits = append(edits, script.Edit{Start: s.At.Start, End: s.At.End, Text: now})
	return append(edits, s.sleeps(w.Call)...)
}

// early lists the statuses that an answer has which is not ready.
func early(statuses []int) string {
	return strings.ReplaceAll(fmt.Sprint(statuses), " ", ", ")
}

// condition is a condition in pieces, of which each but the first begins with and, or or.
type condition []string

// conditions writes what is waited for, and the bad ends, if any are known. Of what is made of an answer, the status
// and bad ends are left out that it does not tell.
func (s Site) conditions(w script.Wait, source func(expr.Expr) (string, bool)) ([]condition, bool) {
	out, said := conditions(w, source)
	if said || !s.Made {
		return out, said
	}
	if _, tells := conditions(script.Wait{Failed: w.Failed}, source); !tells {
		w.Failed = nil
	}
	if out, said = conditions(w, source); said {
		return out, true
	}
	less, more := w.OfBody()
	if !more {
		return nil, false
	}
	return conditions(less, source)
}

// conditions writes what is waited for, and the bad ends.
func conditions(w script.Wait, source func(expr.Expr) (string, bool)) ([]condition, bool) {
	var out []condition
	for _, x := range []expr.Expr{w.Ready, w.Failed} {
		if x == nil {
			continue
		}
		parts, word := script.Pieces(x, "and ", "or ")
		var one condition
		for i, part := range parts {
			text, ok := source(part)
			if !ok || strings.ContainsAny(text, "\r\n") {
				return nil, false
			}
			if i > 0 {
				text = word + text
			}
			one = append(one, text)
		}
		out = append(out, one)
	}
	return out, true
}

// broken has conditions that are too long for their lines stand in several.
func broken(lines []string, all []condition, width int) []string {
	var out []string
	for _, line := range lines {
		margin := line[:len(line)-len(strings.TrimLeft(line, " "))]
		i := slices.IndexFunc(all, func(c condition) bool { return strings.HasSuffix(line, ": "+strings.Join(c, " ")+",") })
		if i < 0 || utf8.RuneCountInString(line) <= width {
			out = append(out, line)
			continue
		}
		whole := strings.Join(all[i], " ")
		broken := line[:len(line)-len(whole)-1] + strings.Join(all[i], "\n"+margin) + ","
		out = append(out, strings.Split(broken, "\n")...)
	}
	return out
}

// read is the call that sends the read, put off; false where one of its arguments stands in several lines.
func (s Site) read() (black.Piece, bool) {
	tokens := s.At.Tokens[s.From:s.End]
	args, open := syntax.Arguments(tokens)
	source := func(some []syntax.Token) string { return s.Script.Text[some[0].Start:some[len(some)-1].End] }
	out := black.Piece{Text: "lambda: " + source(tokens[:open+1]), Close: ")", Call: true}
	whole := out.Text
	for _, arg := range args {
		if len(arg) > 0 {
			out.Inner = append(out.Inner, black.Piece{Text: source(arg)})
			whole += source(arg)
		}
	}
	return out, open > 0 && !strings.ContainsAny(whole, "\r\n#")
}

// plain reports whether the call is evaluated once, whenever the test is, and nothing catches what it raises.
func (s Site) plain() bool {
	if s.within("try", "if", "elif", "else", "except", "finally", "for", "while", "match") {
		return false
	}
	for _, t := range s.At.Tokens {
		if t.Kind == syntax.TokenName && slices.Contains([]string{"await", "yield", "lambda", "for", "with", "if", "while", "and", "or",
			"return", "elif", "async", "del", "raise"}, t.Text) || t.Kind == syntax.TokenOp && t.Text == ":=" {
			return false
		}
	}
	oneLine := s.At.FirstLine == s.At.LastLine || s.assigns()
	return oneLine && s.Script.BeginsLine(s.At.Span) && !strings.Contains(s.Script.Text[s.At.Start:s.At.End], "#")
}

// within reports whether the statement stands in one of those that begin with a word, within its test.
func (s Site) within(words ...string) bool {
	indent := len(s.At.Indent)
	at := slices.IndexFunc(s.Stmts, func(st syntax.Statement) bool { return st.Start == s.At.Start })
	for i := at - 1; i >= 0 && s.Stmts[i].Start >= s.Test.BodyStart; i-- {
		if st := s.Stmts[i]; len(st.Indent) < indent {
			if indent = len(st.Indent); slices.Contains(words, st.Tokens[0].Text) {
				return true
			}
		}
	}
	return false
}

// assigns reports whether the statement gives what the call gives a name, or its parts several, and does no more.
func (s Site) assigns() bool {
	t := s.At.Tokens
	return s.From >= 2 && t[s.From-1].Text == "=" && s.End == len(t) && !slices.ContainsFunc(t[:s.From-1], func(t syntax.Token) bool {
		return t.Kind != syntax.TokenName && t.Text != ","
	})
}

// sleeps are the edits that take the sleeps away that stood between a write and the read, in the same block.
func (s Site) sleeps(c *script.Call) []script.Edit {
	var out []script.Edit
	at := slices.IndexFunc(s.Stmts, func(st syntax.Statement) bool { return st.Start == s.At.Start })
	for i := at - 1; i >= 0; i-- {
		st := s.Stmts[i]
		if len(st.Indent) < len(s.At.Indent) || st.Start < s.Test.BodyStart {
			break
		}
		if st.Indent != s.At.Indent || !isSleep(st) || !s.Test.SleepsBetween(st.Start, c) {
			continue
		}
		if edit, ok := s.Script.WithoutLine(st.Span); ok {
			out = append(out, edit)
		}
	}
	return out
}

// isSleep reports whether a statement is time.sleep(…), or sleep(…).
func isSleep(st syntax.Statement) bool {
	open := 1
	if st.Is("time", ".", "sleep", "(") {
		open = 3
	} else if !st.Is("sleep", "(") {
		return false
	}
	return open+syntax.Closed(st.Tokens[open:]) == len(st.Tokens)-1
}

// helper returns the name of the function, and the edits that define it where the file does not; "" where its names are
// taken.
func (s Site) helper(w script.Wait) (string, []script.Edit) {
	names := s.names()
	for _, name := range names {
		for _, st := range s.Stmts {
			if st.Is("def", name) && s.defined(st, w) {
				return name, nil
			}
		}
	}
	i := slices.IndexFunc(names, func(name string) bool { return importing.Free(s.Stmts, name) })
	first := slices.IndexFunc(s.Stmts, func(st syntax.Statement) bool {
		return st.Indent == "" && (st.Is("def") || st.Is("class") || st.Is("@") || st.Is("async"))
	})
	if i < 0 || first < 0 {
		return "", nil
	}
	eol := s.Script.EOL()
	line := s.Stmts[first].FirstLine
	for line > 1 && strings.HasPrefix(s.Script.Lines[line-2], "#") {
		line--
	}
	empty := 0
	for line-1-empty > 0 && strings.TrimSpace(s.Script.Lines[line-2-empty]) == "" {
		empty++
	}
	if line == 1 {
		empty = 2
	}
	start := script.LineStarts(s.Script)[line-1]
	text := strings.Repeat("\n", max(0, 2-empty)) + s.function(names[i]) + "\n\n\n"
	return names[i], []script.Edit{{Start: start, End: start, Text: strings.ReplaceAll(text, "\n", eol), Once: true}}
}

// defined reports whether a function is the one that is written here, and knows what it is told.
func (s Site) defined(st syntax.Statement, w script.Wait) bool {
	_, says, ok := s.Script.CommentAbove(st.Span)
	return ok && says == script.PollRemark && (!s.Made || len(w.Early) == 0 ||
		slices.ContainsFunc(st.Tokens, func(t syntax.Token) bool { return t.Text == "early" }))
}

// function is the text of the function.
func (s Site) function(name string) string {
	imports := ""
	if !importing.Imports(s.Stmts, "time") && !importing.Free(s.Stmts, "time") {
		imports = "    import time\n"
	}
	text := head + loop
	given := s.Answer
	if s.Made {
		text, given = headOf+loopOf, "body"
	}
	return strings.NewReplacer("REMARK", s.Script.Comment(script.PollRemark), "NAME", name, "IMPORTS", imports,
		"STATUS", s.Status, "TEXT", s.Text, "ANSWER", given).Replace(text)
}

// The function for what gives an answer, and the one for what gives a body, and may fail where the answer is not ready.
const (
	head = `REMARK
def NAME(send, ready, failed=lambda ANSWER: False, *, seconds, every):
    """The answer of send, once it is ready; fails at a bad end, or at none in time."""
IMPORTS
` + fits
	headOf = `REMARK
def NAME(get, ready, failed=lambda ANSWER: False, *, early=(), seconds, every):
    """What get gives, once it is ready; fails at a bad end, or at none in time."""
IMPORTS
    errors = []

    def got():
        try:
            return get()
        except Exception as error:
            answer = getattr(error, "response", None)
            status = getattr(answer, "status_code", getattr(error, "code", None))
            if isinstance(status, int) and status not in early:
                raise
            errors.append(error)

` + fits
	fits = `    def fits(condition, ANSWER):
        try:
            return condition(ANSWER)
        except (LookupError, TypeError, ValueError):
            return False

    end = time.monotonic() + seconds
    while True:
`
	loop = `        ANSWER = send()
        if fits(ready, ANSWER):
            return ANSWER
        bad = fits(failed, ANSWER)
        if bad or time.monotonic() >= end:
            why = "it came to a bad end" if bad else f"not ready after {seconds} s"
            raise AssertionError(f"{why}: {STATUS} {TEXT}")
        time.sleep(every)`
	loopOf = `        errors.clear()
        ANSWER = got()
        if not errors and fits(ready, ANSWER):
            return ANSWER
        bad = not errors and fits(failed, ANSWER)
        if bad or time.monotonic() >= end:
            why = "it came to a bad end" if bad else f"not ready after {seconds} s"
            raise errors[0] if errors else AssertionError(f"{why}: {ANSWER}")
        time.sleep(every)`
)
