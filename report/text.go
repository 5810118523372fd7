package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// The widths of the text form, in columns. Cells are as wide as what they hold, and no wider than these.
const (
	lineWidth  = 120
	placeWidth = 34
	howWidth   = 17 // "would move RunMsg"
	sureWidth  = 14
	whyWidth   = 22
	hintWidth  = 50
)

// Text writes the report as plain text for terminals and CI logs: a line for each volatile place, grouped by
// operation, and a summary as the last line. No line is wider than 120 columns and none holds a control character or
// a colour code.
func Text(w io.Writer, in Input) error {
	if in.Map == nil {
		return errNoMap
	}
	t := &text{}
	v := newView(in)
	t.head(v)
	t.operations(v)
	t.apart(v)
	t.tail(v)
	if _, err := w.Write(t.out.Bytes()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// text gathers the lines.
type text struct{ out bytes.Buffer }

// line writes one line, cut to the width.
func (t *text) line(format string, args ...any) {
	t.out.WriteString(strings.TrimRight(show(fmt.Sprintf(format, args...), lineWidth), " "))
	t.out.WriteByte('\n')
}

// paragraph writes a text over as many lines as it needs, all but the first indented.
func (t *text) paragraph(label, body string) {
	lead, used := label, columns(label)
	for _, word := range strings.Fields(body) {
		if used+1+columns(word) > lineWidth && used > len("    ") {
			t.line("%s", lead)
			lead, used = "   ", len("   ")
		}
		lead += " " + word
		used += 1 + columns(word)
	}
	t.line("%s", lead)
}

func (t *text) head(v *view) {
	t.line("%s", v.Title)
	t.line("recorded %s: %s", v.Recorded, v.Exchanges)
	for _, p := range v.Passes {
		t.paragraph(fmt.Sprintf("pass %d:", p.Number), join(p.Words, p.Started, lasted(p.Took), p.Conditions, p.Target))
	}
	if v.MorePasses > 0 {
		t.line("and %d more", v.MorePasses)
	}
	t.runs(v)
	for _, s := range v.Warnings {
		t.paragraph("warning:", s)
	}
	for _, s := range v.Notes {
		t.paragraph("note:", s)
	}
}

// runs writes runs that went alike in one line.
func (t *text) runs(v *view) {
	for i := 0; i < len(v.Runs); {
		r, n := v.Runs[i], 1
		for i+n < len(v.Runs) && v.Runs[i+n].like(r) {
			n++
		}
		label, time := fmt.Sprintf("run %d:", r.Number), join(nil, r.Started, lasted(r.Took))
		if last := v.Runs[i+n-1]; n > 1 {
			label = fmt.Sprintf("runs %d to %d:", r.Number, last.Number)
			if time = r.Started; time != "" {
				time += " to " + last.Started
			}
		}
		t.paragraph(label, join(r.Words, time, r.counts(), r.Conditions, r.Target))
		i += n
	}
	if v.MoreRuns > 0 {
		t.line("and %s", count(v.MoreRuns, "more run"))
	}
}

// like reports whether two runs differ in their time alone.
func (r run) like(o run) bool {
	return r.Conditions == o.Conditions && r.Target == o.Target && r.counts() == o.counts() &&
		slices.Equal(r.Words, o.Words) && (r.Took == cutOff) == (o.Took == cutOff)
}

// operations writes the volatile places. The columns stand under each other over all operations.
func (t *text) operations(v *view) {
	wide := v.widths()
	for _, s := range v.Common {
		t.line("")
		t.line("%s", showEnds(s.Name, 90))
		t.places(s, wide)
	}
	for _, s := range v.Operations {
		t.line("")
		t.line("%s %s (%s)", showEnds(s.Name, 90), s.Status, count(s.Exchanges, "exchange"))
		t.places(s, wide)
	}
	if v.MoreOperations > 0 {
		t.line("and %s", count(v.MoreOperations, "more operation"))
	}
}

// places writes the places of a section.
func (t *text) places(s section, wide [5]int) {
	for _, r := range s.Rows {
		cells := r.cells()
		for i := range cells {
			cells[i] = show(cells[i], wide[i])
		}
		t.row(cells[:], wide[:])
	}
	if s.More > 0 {
		t.line("  and %s", count(s.More, "more place"))
	}
}

// cells are the columns of a row.
func (r *row) cells() [5]string {
	how := r.Verdict
	if r.Category != "" {
		how += " " + r.Category
	}
	sure := Share(r.Changed, r.Of)
	if r.Class == string(mapfile.WouldMove) {
		sure += " <" + strings.ReplaceAll(r.Bound, " ", "")
	}
	why := r.Evidence
	if strings.HasSuffix(r.Scope, "operations") {
		why = append([]string{r.Scope}, why...)
	}
	return [5]string{showEnds(r.Place, placeWidth), how, sure, strings.Join(r.Holds, ", "), strings.Join(why, ", ")}
}

// widths returns how wide the columns of all rows are: what still holds gets the room that the others leave.
func (v *view) widths() [5]int {
	var wide [5]int
	for _, s := range slices.Concat(v.Common, v.Operations) {
		for _, r := range s.Rows {
			for i, cell := range r.cells() {
				wide[i] = max(wide[i], columns(cell))
			}
		}
	}
	wide[1], wide[2], wide[4] = min(wide[1], howWidth), min(wide[2], sureWidth), min(wide[4], whyWidth)
	wide[3] = min(wide[3], lineWidth-wide[0]-wide[1]-wide[2]-wide[4]-len(wide)*len("  "))
	return wide
}

// apart writes what counts as nothing volatile: hints, and the protocol's own places.
func (t *text) apart(v *view) {
	if len(v.Hints) > 0 {
		t.line("")
		t.line("hints: these only look volatile, and disable no assertion")
	}
	var rows [][]string
	for _, r := range v.Hints {
		look := strings.Join(r.Evidence, ", ")
		rows = append(rows, []string{showEnds(r.Operation, hintWidth), showEnds(r.Place, placeWidth), look})
	}
	t.table(rows)
	if v.MoreHints > 0 {
		t.line("  and %s", count(v.MoreHints, "more hint"))
	}
	if len(v.Protocol) > 0 {
		t.line("")
		t.line("protocol fields: HTTP itself moves these; excluded from totals")
	}
	rows = nil
	for _, p := range v.Protocol {
		rows = append(rows, []string{showEnds(p.Place, placeWidth), Share(p.Changed, p.Of),
			"in " + count(p.Operations, "operation")})
	}
	t.table(rows)
}

func (t *text) tail(v *view) {
	if doubts := v.doubts(); len(doubts) > 0 {
		t.line("")
		for _, d := range doubts {
			t.paragraph("warning:", fmt.Sprintf("%s (%s)", d.Name, count(d.N, "place")))
		}
	}
	if v.Score != nil {
		t.line("")
		t.line("%s", v.Score.Title)
		var rows [][]string
		for _, r := range v.Score.Rows {
			rows = append(rows, []string{r.Name, r.Value})
		}
		t.table(rows)
	}
	t.line("")
	if v.Figures != "" {
		t.line("%s", v.Figures)
	}
	t.line("%s", v.Summary)
}

// table writes rows whose columns stand under each other.
func (t *text) table(rows [][]string) {
	var wide []int
	for _, cells := range rows {
		for i, cell := range cells {
			if i == len(wide) {
				wide = append(wide, 0)
			}
			wide[i] = max(wide[i], columns(cell))
		}
	}
	for _, cells := range rows {
		t.row(cells, wide)
	}
}

// row writes cells, each as wide as its column.
func (t *text) row(cells []string, wide []int) {
	var b strings.Builder
	for i, cell := range cells {
		b.WriteString("  " + cell + strings.Repeat(" ", wide[i]-columns(cell)))
	}
	t.line("%s", strings.TrimRight(b.String(), " "))
}

// doubts counts the warnings of the places shown, in the order in which they first occur.
func (v *view) doubts() []tally {
	var out []tally
	at := map[string]int{}
	for _, s := range slices.Concat(v.Common, v.Operations) {
		for _, r := range s.Rows {
			for _, w := range r.Warnings {
				i, seen := at[w]
				if !seen {
					i = len(out)
					at[w] = i
					out = append(out, tally{Name: w})
				}
				out[i].N++
			}
		}
	}
	return out
}

// counts says how much of the recording a run went through.
func (r *run) counts() string {
	s := count(r.Steps, "answer")
	if r.Lost > 0 {
		s += fmt.Sprintf(", %d lost", r.Lost)
	}
	if r.Added > 0 {
		s += fmt.Sprintf(", %d added", r.Added)
	}
	return s
}

// lasted puts into words how long something took.
func lasted(took string) string {
	if took == cutOff || took == "" {
		return took
	}
	return "took " + took
}

// join puts what is known of a pass or a run into one phrase.
func join(words []string, parts ...string) string {
	return strings.Join(known(append(parts, words...)...), ", ")
}
