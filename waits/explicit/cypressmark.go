package explicit

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/waits/marked"
)

// Marks in a spec: a statement of flaketap's ends so, and a line of the spec that is not to run meanwhile, a wait of an
// earlier patch, begins so.
const (
	mark  = " // flaketap: mark"
	aside = "// flaketap: mark: "
)

// MarkCypress has a spec of Cypress's set marks around its sleeps while it is recorded, at the control address of a
// recorder, http://127.0.0.1:8878. Before what a sleep is for it rests, between one and four times as long as that.
// Waits of an earlier patch are set aside, so that the sleeps in whose place they stand are there again. Marks of an
// earlier time are replaced; left are sleeps that cannot be looked at. A file that is no spec stays as it is.
func MarkCypress(name string, data []byte, control string) Result {
	if !OfCypress(name, data) {
		return Result{Data: data}
	}
	before := unmarked(string(data))
	r := Result{Data: []byte(before), Spec: true}
	bare, _ := withoutWaits(before)
	text := waitsAside(before)
	j, err := readJavaScript(name, text)
	if err != nil {
		r.Left = []Left{unreadSpec(err)}
		return r
	}
	m := marking{javaScript: j, control: control}
	spec := specOf(name, bare)
	for _, s := range j.cypressSleeps(name) {
		s.line -= strings.Count(text[:j.lines[s.line-1]], aside) // that it has in the bare spec
		if s.err != nil {
			r.Left = append(r.Left, s.left(s.err))
			continue
		}
		sleep, ms := marked.Sleep{Spec: spec, Line: s.line}, s.time.Milliseconds()
		m.before(s.acts, s.acts, m.set(sleep.Mark(marked.Rests)),
			fmt.Sprintf("cy.wait(%d + Math.round(%d * Math.random()))", ms, 3*ms), m.set(sleep.Mark(marked.Acts)))
		m.before(endOfLine(text, s.at), s.at, m.set(sleep.Mark(marked.Over)))
		r.Written++
	}
	if r.Written > 0 {
		m.tests(spec)
		r.Data = []byte(script.Apply(text, m.edits))
	}
	return r
}

// waitsAside is a text of which the waits of an earlier patch are comments, and the sleeps in whose place they stand
// are there again.
func waitsAside(text string) string {
	var b strings.Builder
	eachLine(text, func(line, was string, written bool) {
		if !written {
			b.WriteString(line)
			return
		}
		bare := strings.TrimLeft(line, " \t")
		b.WriteString(line[:len(line)-len(bare)] + aside + bare)
		if sleep := strings.TrimRight(was, "\r\n"); was != "" {
			b.WriteString(sleep + mark + was[len(sleep):])
		}
	})
	return b.String()
}

// UnmarkCypress takes the marks out of a spec again, where it has some. All else stays, byte for byte, as do files of
// other languages, which may write of marks.
func UnmarkCypress(name string, data []byte) Result {
	if !Readable(name) {
		return Result{Data: data}
	}
	r := Result{Data: []byte(unmarked(string(data))), Spec: true}
	if string(r.Data) != string(data) {
		r.Unmarked = 1
	}
	return r
}

func (s cypressSleep) left(err error) Left {
	does := "sleep of " + s.time.String()
	if s.time == 0 {
		does = "sleep of a constant's time"
	}
	return Left{s.line, does, err.Error()}
}

// specOf is a spec by its text, whatever was moved in it.
func specOf(name, text string) marked.Spec {
	return marked.SpecOf(string(Cypress(name, []byte(text), Options{}).Data))
}

// unmarked is a spec as it was before it was marked, but for what was changed in it meanwhile.
func unmarked(text string) string {
	if !strings.Contains(text, strings.TrimSpace(mark)) {
		return text
	}
	var lines []string
	for line := range strings.Lines(text) {
		bare := strings.TrimLeft(line, " \t")
		switch was, ok := strings.CutPrefix(bare, aside); {
		case ok:
			lines = append(lines, line[:len(line)-len(bare)]+was)
		case strings.HasSuffix(strings.TrimRight(line, "\r\n"), mark):
			lines = lines[:beginOfMark(lines, line)]
		default:
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// mostOfMark is how many lines a formatter may make of one that sets a mark.
const mostOfMark = 8

// beginOfMark is how many of some lines stand before the statement that a line ends: its own brackets open there.
func beginOfMark(lines []string, last string) int {
	open := brackets(last)
	for i := len(lines) - 1; i >= 0 && i >= len(lines)-mostOfMark && open < 0; i-- {
		if open += brackets(lines[i]); open == 0 {
			return i
		}
	}
	return len(lines)
}

// brackets is how many brackets a line opens, less those that it closes.
func brackets(line string) (open int) {
	for _, c := range line {
		switch c {
		case '(', '{', '[':
			open++
		case ')', '}', ']':
			open--
		}
	}
	return open
}

// marking is a spec into which marks are written.
type marking struct {
	*javaScript
	control string
	edits   []script.Edit
}

// set is the command that sets a mark.
func (m *marking) set(name string) string {
	return fmt.Sprintf("cy.request(%s)", m.literal(m.control+"/.flaketap/mark?name="+name))
}

// before puts lines before the one of a place, indented as that of another.
func (m *marking) before(at, as int, statements ...string) {
	begin, indent := m.line(at)
	if as != at {
		_, indent = m.line(as)
	}
	var b strings.Builder
	for _, s := range statements {
		b.WriteString(indent + s + mark + lineEnd(m.text))
	}
	m.edits = append(m.edits, script.Edit{Start: begin, End: begin, Text: b.String()})
}

// line is where the line of a place begins, and by what it is indented.
func (j *javaScript) line(at int) (begin int, indent string) {
	begin = strings.LastIndexByte(j.text[:at], '\n') + 1
	rest := j.text[begin:]
	return begin, rest[:len(rest)-len(strings.TrimLeft(rest, " \t"))]
}

// tests marks, by hooks before the first statement that declares a test, where they begin, and where each is over and
// how it came out. A test itself may return before its last line.
func (m *marking) tests(spec marked.Spec) {
	for _, first := range m.statements(0, len(m.tokens)) {
		if t := m.tokens[first]; t.Is("describe") || t.Is("context") || cypressTests[t.Text] || cypressHooks[t.Text] {
			url := m.literal(m.control + "/.flaketap/mark?name=" + spec.Mark(""))
			m.before(t.Start, t.Start, fmt.Sprintf("before(() => { %s })", m.set(spec.Mark(marked.Begins))),
				fmt.Sprintf("afterEach(function () { cy.request(%s + this.currentTest.state) })", url))
			return
		}
	}
}
