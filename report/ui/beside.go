package ui

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/inspect"
	"github.com/flaketap/flaketap/volatility/compare"
)

// besideView is two answers to one request, beside each other.
type besideView struct {
	N           uint64
	A, B        int   // the runs that they are of, 0 for the recording
	Runs        []int // that have an answer, the recording first
	Rows        []pairRow
	Differences []report.Difference
	More        int // differences, and rows, for which there is no room
	MoreRows    int
}

// pairRow is a line of both answers. Sign says how they compare, so that color need not.
type pairRow struct {
	Sign string // "" for lines that are the same, "≠", "−" for one of A alone, "+" for one of B alone
	A, B part
}

// part is a line, of which the middle is what differs.
type part struct{ Before, Differs, Behind string }

// The bounds on what is compared line by line.
const (
	maxPairs       = 4000
	maxDifferences = 200
	maxCells       = 4 << 20 // of the table of common lines
)

func showBeside(s *Server, r *http.Request) (any, error) {
	at, step, done, err := s.step(r)
	if err != nil {
		return nil, err
	}
	defer done()
	v := besideView{N: step.Exchange.Seq, Runs: []int{0}}
	for _, o := range step.Observations {
		v.Runs = append(v.Runs, o.Run)
	}
	if v.A, v.B, err = v.chosen(r); err != nil {
		return nil, err
	}
	redactor := at.knowing(step)
	a, afault := answerOf(step, v.A)
	b, bfault := answerOf(step, v.B)
	v.Rows = pairs(answerLines(a, afault, redactor), answerLines(b, bfault, redactor))
	v.MoreRows = max(0, len(v.Rows)-maxPairs)
	v.Rows = v.Rows[:len(v.Rows)-v.MoreRows]
	for _, d := range compare.Read(a, afault).Differences(compare.Read(b, bfault)) {
		if len(v.Differences) == maxDifferences {
			v.More++
			continue
		}
		v.Differences = append(v.Differences, inspect.Difference(d, redactor))
	}
	return v, nil
}

// chosen are the runs whose answers are compared: by themselves the recording, and the first run beside it.
func (v *besideView) chosen(r *http.Request) (a, b int, err error) {
	query := r.URL.Query()
	na, err := number(query, "a")
	if err != nil {
		return 0, 0, err
	}
	nb, err := number(query, "b")
	if err != nil {
		return 0, 0, err
	}
	a, b = int(na), int(nb)
	if !query.Has("b") && len(v.Runs) > 1 {
		b = v.Runs[1]
	}
	for _, n := range []int{a, b} {
		if !slices.Contains(v.Runs, n) {
			return 0, 0, wrong("run %d has no answer to this request", n)
		}
	}
	return a, b, nil
}

// answerOf is what a run answered, or what was recorded.
func answerOf(step exchange.Step, run int) (*exchange.Response, *exchange.Fault) {
	for _, o := range step.Observations {
		if o.Run == run {
			return o.Response, o.Fault
		}
	}
	return step.Exchange.Response, step.Exchange.Fault
}

// answerLines are an answer as lines: status, header fields, and a body whose JSON is laid out.
func answerLines(r *exchange.Response, fault *exchange.Fault, redactor exchange.Redactor) []string {
	if r == nil {
		return []string{fmt.Sprintf("no answer: %s", report.Show(string(fault.Kind), maxShown))}
	}
	m := inspect.Answer(r, redactor)
	lines := []string{report.Show(m.Line, maxLine)}
	for _, h := range m.Headers {
		lines = append(lines, report.Show(h.Name+": "+h.Value, maxLine))
	}
	body := newBody(m.Body)
	return append(append(lines, ""), body.Lines...)
}

// pairs puts the lines of two answers beside each other.
func pairs(a, b []string) []pairRow {
	var out []pairRow
	same := func(line string) { out = append(out, pairRow{"", part{Before: line}, part{Before: line}}) }
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		same(a[n])
		n++
	}
	end := 0
	for end < min(len(a), len(b))-n && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	middle := func(all []string) []string { return all[n : len(all)-end] }
	out = append(out, changedPairs(middle(a), middle(b))...)
	for _, line := range a[len(a)-end:] {
		same(line)
	}
	return out
}

// changedPairs pairs lines between which something differs: those that both have, in order, keep their places.
func changedPairs(a, b []string) []pairRow {
	var out []pairRow
	i, j := 0, 0
	for _, c := range common(a, b) {
		out = append(out, gap(a[i:c.a], b[j:c.b])...)
		out = append(out, pairRow{"", part{Before: a[c.a]}, part{Before: b[c.b]}})
		i, j = c.a+1, c.b+1
	}
	return append(out, gap(a[i:], b[j:])...)
}

// gap pairs lines that differ by their position.
func gap(a, b []string) []pairRow {
	var out []pairRow
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(b):
			out = append(out, pairRow{"−", part{Differs: a[i]}, part{}})
		case i >= len(a):
			out = append(out, pairRow{"+", part{}, part{Differs: b[i]}})
		default:
			out = append(out, pairRow{"≠", marked(b[i], a[i]), marked(a[i], b[i])})
		}
	}
	return out
}

func marked(other, line string) part {
	before, differs, behind := report.Marked(other, line)
	return part{before, differs, behind}
}

// match is a line that both have.
type match struct{ a, b int }

// common is the longest list of lines that both have in the same order; none where finding it takes too much.
func common(a, b []string) []match {
	if len(a)*len(b) > maxCells {
		return nil
	}
	wide := len(b) + 1
	longest := make([]int32, (len(a)+1)*wide) // from a line of each on
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				longest[i*wide+j] = longest[(i+1)*wide+j+1] + 1
			} else {
				longest[i*wide+j] = max(longest[(i+1)*wide+j], longest[i*wide+j+1])
			}
		}
	}
	var out []match
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			out = append(out, match{i, j})
			i, j = i+1, j+1
		case longest[(i+1)*wide+j] >= longest[i*wide+j+1]:
			i++
		default:
			j++
		}
	}
	return out
}
