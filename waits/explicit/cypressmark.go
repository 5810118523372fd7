package explicit

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/waits/marked"
)

// mark ends the lines of a spec that set marks.
const mark = " // flaketap: mark"

// MarkCypress has a spec of Cypress's set marks around its sleeps while it is recorded, at the control address of a
// recorder, http://127.0.0.1:8878. Before what a sleep is for it rests, between one and four times as long as that.
// Marks of an earlier time are replaced; left are sleeps that cannot be looked at.
func MarkCypress(name string, data []byte, control string) Result {
	text := unmarked(string(data))
	r := Result{Data: data, Spec: true}
	j, err := readJavaScript(name, text)
	if err != nil {
		r.Left = []Left{unreadSpec(err)}
		return r
	}
	m := marking{javaScript: j, control: control}
	spec := specOf(name, text)
	for _, s := range j.cypressSleeps(name) {
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
	}
	r.Data = []byte(script.Apply(text, m.edits))
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

// unmarked is a spec without marks, and without waits that were written into it.
func unmarked(text string) string {
	text, _ = withoutWaits(text)
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(strings.TrimRight(line, "\r\n"), mark) {
			b.WriteString(line)
		}
	}
	return b.String()
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

// tests marks where tests have come to their end, and, by a hook before the first statement that declares one, where
// they are over.
func (m *marking) tests(spec marked.Spec) {
	for _, body := range m.cypressBodies() {
		if end := m.tokens[body.to].Start; body.test && m.beginsLine(end) {
			m.before(end, end, m.set(spec.Mark(marked.Passed)))
		}
	}
	for _, first := range m.statements(0, len(m.tokens)) {
		if t := m.tokens[first]; t.Is("describe") || t.Is("context") || cypressTests[t.Text] || cypressHooks[t.Text] {
			m.before(t.Start, t.Start, fmt.Sprintf("afterEach(() => { %s })", m.set(spec.Mark(marked.Ended))))
			return
		}
	}
}
