package hurl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// poll has an entry be sent again until its answer is ready: Hurl does so until all that it asserts and captures holds.
// There are no words for a bad end. A delay before the request is taken away. See [script.Writer.Poll].
func (dialect) poll(s *script.Script, t *script.Test, of script.Wait) []script.Edit {
	w := &assertWriter{own: of.Call.Var}
	wanted := w.asserts(of.Ready)
	e, ok := entryOf(s, t, of.Call)
	if w.failed || !ok {
		return nil
	}
	eol, indent := s.EOL(), of.Call.At.Indent
	edits := []script.Edit{{Start: of.Call.At.Start, End: of.Call.At.Start, Text: s.Comment(of.Comment) + eol + indent}}
	tries := (of.Atmost + of.Every - 1) / of.Every
	options := fmt.Sprintf("%sretry: %d%s%sretry-interval: %dms%s", indent, tries, eol, indent, of.Every.Milliseconds(), eol)
	if !e.options {
		options = indent + "[Options]" + eol + options
	}
	edits = append(edits, script.Edit{Start: e.retry, End: e.retry, Text: options})
	if e.delay.End > 0 {
		edits = append(edits, script.Edit{Start: e.delay.Start, End: e.delay.End})
	}
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

// lines says where in an entry lines can be written: places are beginnings of lines, in bytes.
type lines struct {
	retry    int // where options of the request stand, or a section of them can
	options  bool
	delay    script.Span // the line of the request's delay; none where there is none
	assert   int         // where asserts stand, or a section of them can
	asserts  bool
	asserted []string // what is asserted already, the status as an assert
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
			e.named(section, answer, at)
		case section == "" && beginsBody(line):
			done = true
		case section == "":
			e.behindHeader(answer, at)
		case section == "Options" && strings.HasPrefix(line, "retry"):
			return e, false
		case section == "Options" && strings.HasPrefix(line, "delay:"):
			e.delay = script.Span{Start: begin, End: at}
		case section == "Asserts":
			e.asserted = append(e.asserted, line)
		}
	}
	return e, answer && strings.HasSuffix(s.Text[:e.retry], "\n") && (strings.HasSuffix(s.Text[:e.assert], "\n"))
}

// named notes the beginning of a section.
func (e *lines) named(section string, answer bool, at int) {
	switch {
	case !answer && section == "Options":
		e.retry, e.options = at, true
	case answer && section == "Asserts":
		e.assert, e.asserts = at, true
	}
}

// behindHeader notes that a section can stand behind a header, if none does.
func (e *lines) behindHeader(answer bool, at int) {
	if answer {
		e.assert = at
	} else {
		e.retry = at
	}
}
