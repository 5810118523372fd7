package page

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
)

// sequenceView is a sequence, with its timeline where there is room for one.
type sequenceView struct {
	findings.Sequence
	Title    string
	Class    string
	Words    string
	Why      string
	Runs     string // in which it went otherwise
	Timeline *timeline
}

// timeline is the exchanges of a sequence below each other, with the values that flow between them.
type timeline struct {
	Width, Height int
	Arcs          []arc
	Rows          []timelineRow
	Columns       []heatText // the numbers of the runs
	More          int        // exchanges that are not drawn
	Flows         []flow
	Label         string
	Begin, End    heatText // the times at the ends of the bars
}

// arc is a value's way from the exchange that gave it to one that used it.
type arc struct {
	Path  string
	Words string
}

// timelineRow is one exchange.
type timelineRow struct {
	Y, Top         int
	Seq            uint64
	Name, Outcome  string
	Words          string
	BarX, BarWidth int
	Marks          []markPath // by how it went
	Gives          bool
}

// markPath is the cells of the runs in which an exchange went alike.
type markPath struct{ How, Path string }

// flow is a binding in words.
type flow struct{ Name, Value, From, Uses string }

// The sizes of a timeline, in pixels, and how much is drawn.
const (
	rowHigh    = 24
	arcRoom    = 88
	nameRoom   = 400
	barRoom    = 130
	drawnSteps = 1200 // on the whole page
	drawnMost  = 200  // sequences
	drawnRuns  = 30
)

func sequenceViews(f *findings.Findings) []sequenceView {
	out := make([]sequenceView, 0, len(f.Sequences))
	steps := 0
	for i, s := range f.Sequences {
		v := sequenceView{Sequence: s, Title: report.ShowEnds(s.Name, maxName), Class: string(s.Risk),
			Words: strings.ReplaceAll(string(s.Risk), "-", " ")}
		var why []string
		for _, c := range s.Categories {
			why = append(why, string(c))
		}
		v.Why = strings.Join(why, ", ")
		if len(s.Otherwise) > 0 {
			v.Runs = runWords(s.Otherwise)
		}
		if steps += len(s.Steps); steps <= drawnSteps && i < drawnMost {
			v.Timeline = newTimeline(s)
		}
		out = append(out, v)
	}
	return out
}

// newTimeline draws a sequence.
func newTimeline(s findings.Sequence) *timeline {
	runs := 0
	for _, step := range s.Steps {
		runs = min(drawnRuns, max(runs, len(step.Runs)))
	}
	cell := 12
	t := &timeline{More: s.Exchanges - len(s.Steps), Height: rowHigh*(len(s.Steps)+1) + 4}
	grid := arcRoom + nameRoom
	bars := grid + runs*cell + 12
	t.Width = bars + barRoom + 4
	t.Label = fmt.Sprintf("timeline of %s: %s, %s", report.ShowEnds(s.Name, maxName), report.Count(len(s.Steps), "exchange"),
		report.Count(len(s.Bindings), "value")+" carried over")
	at, whole := map[uint64]int{}, 1.0
	for i, step := range s.Steps {
		at[step.Seq] = i
		whole = max(whole, step.Begins+step.Took)
	}
	t.Begin = heatText{X: bars, Y: rowHigh - 8, Text: "0"}
	t.End = heatText{X: bars + barRoom, Y: rowHigh - 8, Text: fmt.Sprintf("%.0f ms", whole)}
	for i, step := range s.Steps {
		top := rowHigh * (i + 1)
		row := timelineRow{Y: top + 16, Top: top, Seq: step.Seq, Name: report.ShowEnds(step.Request, 44),
			Outcome: report.Show(step.Outcome, 12), BarX: bars + int(step.Begins/whole*barRoom), Words: stepWords(step)}
		row.BarWidth = max(2, int(step.Took/whole*barRoom))
		row.BarX = min(row.BarX, bars+barRoom-row.BarWidth)
		row.Marks = marks(step, grid, top, cell, runs)
		t.Rows = append(t.Rows, row)
		if i == 0 {
			for x, r := range step.Runs[:min(len(step.Runs), runs)] {
				if runs <= 15 || x%5 == 0 {
					t.Columns = append(t.Columns, heatText{X: grid + x*cell + cell/2, Y: rowHigh - 8, Text: fmt.Sprint(r.Run)})
				}
			}
		}
	}
	for n, b := range s.Bindings {
		t.bind(n, b, at)
	}
	return t
}

// bind draws the ways of a value, and says them.
func (t *timeline) bind(n int, b findings.Binding, at map[uint64]int) {
	from, ok := at[b.From]
	if !ok {
		return
	}
	line := flow{Name: report.Show(b.Name, 60), Value: report.Show(b.Value, 60),
		From: fmt.Sprintf("%d at %s", b.From, report.ShowEnds(string(b.Place), 80))}
	var uses []string
	for _, u := range b.Uses {
		to, ok := at[u.Seq]
		if !ok || to <= from {
			continue
		}
		uses = append(uses, fmt.Sprintf("%d at %s", u.Seq, report.ShowEnds(string(u.Place), 80)))
		x, y1, y2 := arcRoom-10, rowHigh*(from+1)+12+n%3*2, rowHigh*(to+1)+12-n%3*2
		bow := min(arcRoom-16, 14+8*(to-from)+4*(n%4))
		t.Arcs = append(t.Arcs, arc{fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x, y1, x-bow, y1, x-bow, y2, x, y2),
			fmt.Sprintf("%s: from %d to %d", line.Name, b.From, u.Seq)})
		t.Rows[from].Gives = true
	}
	if len(uses) > 0 {
		line.Uses = strings.Join(uses, ", ")
		t.Flows = append(t.Flows, line)
	}
}

// marks draws how an exchange went in each run: a path for each way.
func marks(step findings.SequenceStep, left, top, cell, runs int) []markPath {
	paths := map[string]*strings.Builder{}
	for x, r := range step.Runs[:min(len(step.Runs), runs)] {
		if paths[r.How] == nil {
			paths[r.How] = &strings.Builder{}
		}
		x, y := left+x*cell+1, top+6
		switch r.How {
		case "same":
			fmt.Fprintf(paths[r.How], "M%d %dh10v2h-10z", x, y+5)
		case "otherwise":
			fmt.Fprintf(paths[r.How], "M%d %dl10 12M%d %dl-10 12", x, y, x+10, y)
		case "moved":
			fmt.Fprintf(paths[r.How], "M%d %dh10v12h-10z", x, y)
		}
	}
	var out []markPath
	for _, how := range []string{"same", "moved", "otherwise"} {
		if b := paths[how]; b != nil && b.Len() > 0 {
			out = append(out, markPath{how, b.String()})
		}
	}
	return out
}

// stepWords says how an exchange went.
func stepWords(step findings.SequenceStep) string {
	by := map[string][]int{}
	for _, r := range step.Runs {
		by[r.How] = append(by[r.How], r.Run)
	}
	words := fmt.Sprintf("exchange %d, %s, answered %s in %.1f ms", step.Seq, report.ShowEnds(step.Request, maxName),
		report.Show(step.Outcome, 40), step.Took)
	for _, said := range []struct{ how, words string }{{"moved", "something moved in "}, {"otherwise", "went otherwise in "},
		{"missing", "missing in "}} {
		if len(by[said.how]) > 0 {
			words += "; " + said.words + runWords(by[said.how])
		}
	}
	return words
}
