package triage

import (
	"fmt"
	"io"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
)

// text writes lines, and keeps the first error.
type text struct {
	out io.Writer
	err error
}

func (t *text) line(format string, args ...any) {
	indent := format[:len(format)-len(strings.TrimLeft(format, " "))]
	if t.err == nil {
		_, t.err = fmt.Fprintln(t.out, strings.TrimRight(indent+console.OneLine(fmt.Sprintf(format, args...)), " "))
	}
}

// Text writes the report for people.
func (r *Report) Text(out io.Writer) error {
	t := &text{out: out}
	t.line("%s", r.headline())
	t.line("%s", r.Basis.says())
	for i := range r.Tests {
		t.test(&r.Tests[i])
	}
	if len(r.Unnoticed) > 0 {
		t.line("")
		t.line("answers as they never were before, that no failed test has")
		for _, e := range r.Unnoticed {
			t.line("  %s", e.where())
			t.line("    %s", e.Says)
		}
		if r.More > 0 {
			t.line("  and %s", console.Count(r.More, "more place"))
		}
	}
	return t.err
}

// headline counts the verdicts: "3 tests failed: 1 regression, 2 volatile".
func (r *Report) headline() string {
	if len(r.Tests) == 0 {
		return "no test failed"
	}
	var parts []string
	for _, v := range Verdicts() {
		if n := r.Counts[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return fmt.Sprintf("%s failed: %s", console.Count(len(r.Tests), "test"), strings.Join(parts, ", "))
}

// says tells what the verdicts rest on.
func (b Basis) says() string {
	var parts []string
	if b.Executions > 0 {
		parts = append(parts, console.Count(b.Executions, "earlier execution"))
	}
	if b.Map {
		parts = append(parts, "the map")
	}
	if b.Recorded {
		parts = append(parts, "the recording of this run")
	} else {
		parts = append(parts, "the failures alone, as this run was not recorded")
	}
	out := "judged by " + strings.Join(parts, ", ")
	if b.Doubt != "" {
		out += "; " + b.Doubt
	}
	return out
}

// name names a test with what it stands in.
func (t *Test) name() string {
	if t.Suite == "" {
		return t.Test
	}
	return t.Test + " (" + t.Suite + ")"
}

// where names the answer of a piece of evidence; "" where it is about none.
func (e *Evidence) where() string {
	if e.Method == "" {
		return string(e.Place)
	}
	answered := fmt.Sprintf("answered %d", e.Status)
	if e.Status == 0 {
		answered = "not answered"
	}
	s := fmt.Sprintf("%s %s, %s", e.Method, e.Target, answered)
	if e.Exchange > 0 {
		s = fmt.Sprintf("exchange %d, %s", e.Exchange, s)
	}
	if e.Place != "" {
		s += ": " + string(e.Place)
	}
	return s
}

// test writes one test.
func (t *text) test(f *Test) {
	t.line("")
	t.line("%s  %s", strings.ToUpper(string(f.Verdict)), f.name())
	t.line("  %s", f.Reason)
	if f.Failure != "" {
		t.line("  its runner says: %s", cut(strings.Join(strings.Fields(f.Failure), " "), 300))
	}
	if f.Where != "" {
		t.line("  at %s", f.Where)
	}
	for i := range f.Evidence {
		e := &f.Evidence[i]
		if where := e.where(); where != "" {
			t.line("  %s", where)
		}
		t.line("    %s", e.Says)
	}
	if f.Tie != "" {
		t.line("  %s", f.Tie)
	}
	for _, s := range f.Missing {
		t.line("  missing: %s", s)
	}
	for _, s := range f.Next {
		t.line("  do: %s", s)
	}
}

// cut is a text of so many bytes at most.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
