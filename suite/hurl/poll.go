package hurl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// poll has an entry be sent again until its answer is ready: Hurl does so until all that it asserts and captures holds,
// and knows no end but the last of its tries. Where a bad end is known, an entry ahead of it waits for any end, and the
// entry itself, sent once more then, asserts the good one: a bad end fails it at once. A delay before the request is
// taken away. See [script.Writer.Poll].
func (dialect) poll(s *script.Script, t *script.Test, of script.Wait) []script.Edit {
	w := &assertWriter{own: of.Call.Var}
	wanted := w.asserts(of.Ready)
	e, ok := entryOf(s, t, of.Call)
	if w.failed || !ok {
		return nil
	}
	eol, indent := s.EOL(), of.Call.At.Indent
	tries := (of.Atmost + of.Every - 1) / of.Every
	options := []string{fmt.Sprintf("retry: %d", tries), fmt.Sprintf("retry-interval: %dms", of.Every.Milliseconds())}
	if !e.options {
		options = append([]string{"[Options]"}, options...)
	}
	above := s.Comment(of.Comment) + eol + indent
	edits := e.undelayed()
	if end := w.end(of); end != "" && !e.body {
		ahead := slices.Insert(slices.Clone(e.sent), e.sentTo, options...)
		above += strings.Join(append(ahead, "HTTP *", "[Asserts]", end), eol+indent) + eol + eol + indent
	} else {
		text := indent + strings.Join(options, eol+indent) + eol
		edits = append(edits[:min(1, len(edits))], script.Edit{Start: e.retry, End: e.retry, Text: text})
	}
	edits = append(edits, script.Edit{Start: of.Call.At.Start, End: of.Call.At.Start, Text: above})
	asserts := ""
	for _, line := range wanted {
		if !slices.Contains(e.asserted, line) {
			asserts += indent + line + eol
		}
	}
	if asserts != "" && !e.asserts {
		asserts = indent + "[Asserts]" + eol + asserts
	}
	if asserts != "" {
		edits = append(edits, script.Edit{Start: e.assert, End: e.assert, Text: asserts})
	}
	return edits
}

// end asserts that an answer is ready, or at a bad end, by the one text that tells both; "" where none does.
func (w *assertWriter) end(of script.Wait) string {
	of, _ = of.OfBody()
	ready, known := of.Ready.(expr.Compare)
	if !known || of.Failed == nil {
		return ""
	}
	ends := []expr.Expr{ready.Y}
	vain, _ := script.Pieces(of.Failed, "", "")
	for _, x := range append(vain, ready) {
		one, _ := x.(expr.Compare)
		_, text := one.Y.(expr.Str)
		if !text || one.Op != expr.Eq || !expr.Identical(one.X, ready.X) {
			return ""
		}
		if x != expr.Expr(ready) {
			ends = append(ends, one.Y)
		}
	}
	lines := w.asserts(expr.Cmp(ready.X, expr.In, expr.List{Elems: ends}))
	if w.failed || len(lines) != 1 {
		return ""
	}
	return lines[0]
}

// lines says where in an entry lines can be written: places are beginnings of lines, in bytes.
type lines struct {
	retry    int // where options of the request stand, or a section of them can
	options  bool
	delay    script.Span // the line of the request's delay; none where there is none
	alone    script.Span // the line that begins a section of nothing but that
	body     bool        // the request has one
	sent     []string    // what is sent, line by line, without comments and the delay
	sentTo   int         // where options stand among these, or can
	assert   int         // where asserts stand, or a section of them can
	asserts  bool
	asserted []string // what is asserted already, the status as an assert
}

// undelayed are the edits that take the delay away, and, behind these, what else is left of its section.
func (e *lines) undelayed() []script.Edit {
	var out []script.Edit
	for _, line := range []script.Span{e.delay, e.alone} {
		if e.delay.End > 0 && line.End > 0 {
			out = append(out, script.Edit{Start: line.Start, End: line.End})
		}
	}
	return out
}

// entryOf finds the lines of the entry of a call; false where it has an answer that is not described, or is sent again
// already.
func entryOf(s *script.Script, t *script.Test, c *script.Call) (e lines, ok bool) {
	end := len(s.Text)
	if i := slices.Index(t.Calls, c); i >= 0 && i+1 < len(t.Calls) {
		end = t.Calls[i+1].At.Start
	}
	at, section, answer, done := c.At.Start, "", false, false
	for i, full := range script.SplitLines(s.Text[c.At.Start:end]) {
		line := strings.TrimSpace(full)
		begin := at
		at += len(full)
		switch {
		case i == 0:
			e.retry = at
			e.heads(line)
		case line == "", line[0] == '#':
		case answerHead.MatchString(line):
			if answer {
				return e, false
			}
			answer, section, done, e.assert = true, "", false, at
			e.asserted = append(e.asserted, "status == "+answerHead.FindStringSubmatch(line)[1])
		case done:
		case sectionLine.MatchString(line):
			section = sectionLine.FindStringSubmatch(line)[1]
			e.named(section, line, answer, script.Span{Start: begin, End: at})
		case section == "" && beginsBody(line):
			done, e.body = true, e.body || !answer
		case section == "":
			e.header(line, answer, at)
		case section == "Options" && strings.HasPrefix(line, "retry"):
			return e, false
		case section == "Options" && strings.HasPrefix(line, "delay:"):
			e.delay = script.Span{Start: begin, End: at}
		case section == "Asserts":
			e.asserted = append(e.asserted, line)
		case section == "Options":
			e.alone = script.Span{}
			if !strings.HasPrefix(line, "repeat:") && !strings.HasPrefix(line, "output:") {
				e.sent = append(e.sent, line)
			}
		case !answer:
			e.sent = append(e.sent, line)
		}
	}
	return e, answer && strings.HasSuffix(s.Text[:e.retry], "\n") && (strings.HasSuffix(s.Text[:e.assert], "\n"))
}

// heads notes a line of what is sent, behind which options can stand.
func (e *lines) heads(line string) {
	e.sent = append(e.sent, line)
	e.sentTo = len(e.sent)
}

// named notes the line that begins a section.
func (e *lines) named(section, line string, answer bool, at script.Span) {
	switch {
	case !answer && section == "Options":
		e.retry, e.options, e.alone = at.End, true, at
	case answer && section == "Asserts":
		e.assert, e.asserts = at.End, true
	}
	switch {
	case !answer && section == "Options":
		e.heads(line)
	case !answer:
		e.sent = append(e.sent, line)
	}
}

// header notes a header, behind which a section can stand, if none does.
func (e *lines) header(line string, answer bool, at int) {
	if answer {
		e.assert = at
		return
	}
	e.retry = at
	e.heads(line)
}
