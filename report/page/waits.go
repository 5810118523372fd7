package page

import (
	"fmt"
	"math"
	"strings"

	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
	"github.com/flaketap/flaketap/report/waiting"
	"github.com/flaketap/flaketap/waits/oracle"
	"github.com/flaketap/flaketap/waits/tune"
)

// waitsView is the panel of waits.
type waitsView struct {
	Tests []waitTest
	Reads []waitRead
	Tuned []waitTuned
	Left  waiting.Left
}

// waitTest is one test of a suite for browsers.
type waitTest struct {
	waiting.Test
	Words   string
	Drawing *drawing
	Chosen  []waiting.Command // those that wait
}

// waitRead is one read of an API that is ready later.
type waitRead struct {
	waiting.Read
	Words   string
	Drawing *drawing
}

// waitTuned is a time that was looked for.
type waitTuned struct {
	tune.Report
	Bars []tunedBar
}

// tunedBar is what came of one strategy.
type tunedBar struct {
	Name, Words string
	Y, Width    int
}

// drawing is rows below each other over one axis of time.
type drawing struct {
	Width    int
	Label    string
	End      string // of the axis
	From, To int    // where the axis begins and ends
	Rows     []drawnRow
	Bands    []drawnSpan // over all rows
}

// drawnRow is one row.
type drawnRow struct {
	Y, Text, Top int
	Name, Words  string
	Class        string
	Spans        []drawnSpan
	Marks        []drawnMark // by what they are
}

// drawnSpan is a stretch of time.
type drawnSpan struct {
	Class    string
	X, Width int
}

// drawnMark is the moments at which one kind of thing was.
type drawnMark struct{ Class, Path string }

// The sizes of a drawing, in pixels, and how much is drawn on a page.
const (
	waitRow   = 20
	waitName  = 330
	waitAxis  = 520
	drawnWait = 1500 // rows
)

func newWaits(f *findings.Findings) *waitsView {
	if f.Waits == nil || f.Waits.Empty() {
		return nil
	}
	v := &waitsView{Left: f.Waits.Left}
	rows := 0
	for _, t := range f.Waits.Tests {
		one := waitTest{Test: t}
		for _, c := range t.Commands {
			if c.Wait != nil {
				one.Chosen = append(one.Chosen, c)
			}
		}
		one.Words = report.Count(len(t.Commands), "command") + ", " + report.Count(len(one.Chosen), "wait")
		if rows += len(t.Commands) + len(t.Requests) + len(t.Changes); rows <= drawnWait {
			one.Drawing = drawTest(&one)
		}
		v.Tests = append(v.Tests, one)
	}
	for _, r := range f.Waits.Reads {
		one := waitRead{Read: r, Words: fmt.Sprintf("ready after %s, %s at most, seen %s", span(r.Median), span(r.Longest),
			report.Count(r.N, "time"))}
		if rows += len(r.Trails); rows <= drawnWait {
			one.Drawing = drawRead(r)
		}
		v.Reads = append(v.Reads, one)
	}
	for _, t := range f.Waits.Tuned {
		v.Tuned = append(v.Tuned, newTuned(t))
	}
	return v
}

// span is a time in milliseconds, for people.
func span(ms float64) string {
	if ms >= 10_000 {
		return fmt.Sprintf("%.1f s", ms/1000)
	}
	return fmt.Sprintf("%.0f ms", ms)
}

// newDrawing begins a drawing over so many milliseconds.
func newDrawing(whole float64, label string) (*drawing, func(ms float64) int) {
	d := &drawing{Width: waitName + waitAxis + 8, Label: label, End: span(whole), From: waitName, To: waitName + waitAxis}
	return d, func(ms float64) int {
		share := ms / max(whole, 1)
		if math.IsNaN(share) {
			share = 0
		}
		return waitName + int(min(1, max(0, share))*waitAxis)
	}
}

// Height is that of all rows, with the axis above them.
func (d *drawing) Height() int { return waitRow*(len(d.Rows)+1) + 6 }

// row adds a row.
func (d *drawing) row(name, words, class string) *drawnRow {
	top := waitRow * (len(d.Rows) + 1)
	d.Rows = append(d.Rows, drawnRow{Y: top + 5, Text: top + 14, Top: top, Name: report.ShowEnds(name, 44), Words: words,
		Class: class})
	return &d.Rows[len(d.Rows)-1]
}

// drawTest draws the commands of a test, the requests of its pages and what changed there.
func drawTest(t *waitTest) *drawing {
	changes := changesBy(t.Changes)
	d, at := newDrawing(t.Took, fmt.Sprintf("timeline of %s: %s, %s, %s of pages, over %s", t.Name,
		report.Count(len(t.Commands), "command"), report.Count(len(t.Requests), "request"),
		report.Count(len(t.Changes), "change"), span(t.Took)))
	for _, c := range t.Commands {
		words := fmt.Sprintf("%s, at %s, answered %s after %s", c.Does, span(c.Start), c.Answer, span(c.Given-c.Start))
		row := d.row(c.Does, words, "")
		row.Spans = append(row.Spans, stretch("w-command", at(c.Start), at(c.First)))
		if c.Given > c.First {
			row.Spans = append(row.Spans, stretch("w-held", at(c.First), at(c.Given)))
		}
		if c.Wait != nil {
			row.Class = "w-wait"
			row.Words += "; waits until " + c.Wait.Until
		}
	}
	for _, q := range t.Requests {
		row := d.row(q.What, fmt.Sprintf("request %s, from %s to %s", q.What, span(q.Start), span(q.End)), "s")
		row.Spans = append(row.Spans, stretch("w-request", at(q.Start), at(q.End)))
	}
	for _, c := range changes {
		row := d.row(c.what, c.words, "s")
		for _, class := range []string{"w-pruned", "w-awaited"} {
			var path strings.Builder
			for _, m := range c.all {
				if (m.Fate == oracle.Awaited) == (class == "w-awaited") {
					fmt.Fprintf(&path, "M%d %dh3v10h-3z", at(m.At)-1, row.Y)
				}
			}
			if path.Len() > 0 {
				row.Marks = append(row.Marks, drawnMark{class, path.String()})
			}
		}
	}
	return d
}

// stretch is a span that can be seen, however short it is.
func stretch(class string, from, to int) drawnSpan { return drawnSpan{class, from, max(2, to-from)} }

// changedProperty is what happened to one property.
type changedProperty struct {
	what, words string
	all         []waiting.Change
}

// changesBy gathers changes by property, in the order in which these began to change.
func changesBy(all []waiting.Change) []changedProperty {
	var out []changedProperty
	at := map[string]int{}
	for _, c := range all {
		what := c.Property + " of " + c.Element
		i, ok := at[what]
		if !ok {
			i = len(out)
			at[what] = i
			out = append(out, changedProperty{what: what})
		}
		out[i].all = append(out[i].all, c)
	}
	for i := range out {
		p := &out[i]
		told := p.all[0] // or the last one that is waited for
		for _, c := range p.all {
			if c.Fate == oracle.Awaited {
				told = c
			}
		}
		p.words = fmt.Sprintf("%s changed %s; %s: %s", p.what, report.Count(len(p.all), "time"), span(told.At), waiting.FateWords(told.Fate))
	}
	return out
}

// drawRead draws what the executions of a read were answered on the way.
func drawRead(r waiting.Read) *drawing {
	whole := r.Longest
	for _, t := range r.Trails {
		for _, k := range t.Looks {
			whole = max(whole, k.After)
		}
	}
	d, at := newDrawing(whole, fmt.Sprintf("answers of %s after the write before it, in %s: %s", r.Operation,
		report.Count(len(r.Trails), "execution"), "ready after "+span(r.Median)+", "+span(r.Longest)+" at most"))
	d.Bands = append(d.Bands, drawnSpan{"w-band", at(r.Median), max(1, at(r.Longest)-at(r.Median))})
	for _, t := range r.Trails {
		name := "recorded"
		if t.Run > 0 {
			name = fmt.Sprintf("run %d", t.Run)
		}
		row := d.row(name, "", "s")
		paths := map[waiting.State]*strings.Builder{}
		var words []string
		for _, k := range t.Looks {
			if paths[k.State] == nil {
				paths[k.State] = &strings.Builder{}
			}
			words = append(words, span(k.After)+" "+k.Says)
			fmt.Fprintf(paths[k.State], "M%d %dh4v10h-4z", at(k.After)-2, row.Y)
		}
		row.Words = name + ": " + report.Show(strings.Join(words, "; "), maxText)
		for _, s := range []waiting.State{waiting.Early, waiting.Vain, waiting.Ready} {
			if b := paths[s]; b != nil {
				row.Marks = append(row.Marks, drawnMark{"w-" + string(s), b.String()})
			}
		}
	}
	return d
}

// newTuned tells of a time that was looked for: what is written now, and each strategy.
func newTuned(r tune.Report) waitTuned {
	v := waitTuned{Report: r}
	most := max(r.Against, r.Millis, 1)
	for _, s := range r.Strategies {
		most = max(most, s.Millis)
	}
	add := func(name, words string, ms float64) {
		v.Bars = append(v.Bars, tunedBar{Name: name, Words: words, Y: 24 * len(v.Bars),
			Width: int(min(1, max(0, ms/most)) * 300)})
	}
	add("as it is", span(r.Millis)+", "+r.Written, r.Millis)
	if r.Against > 0 && r.Against != r.Millis {
		add("held against", span(r.Against), r.Against)
	}
	for _, s := range r.Strategies {
		words := fmt.Sprintf("%s: passed %s", span(s.Millis), report.Count(s.Passed, "run"))
		switch {
		case s.Unusable != "":
			words = "cannot be used: " + s.Unusable
		case s.Failed:
			words += ", then failed: " + s.Words
		case s.Holds:
			words += fmt.Sprintf(", fails in less than %s of runs", report.Percent(s.Bound))
			if s.Saves > 0 {
				words += ", saves " + span(s.Saves) + " of each"
			}
		}
		if s.Strategy == r.Best && r.Best != "" {
			words += "; chosen"
		}
		add(s.Strategy, words, s.Millis)
	}
	return v
}

// Height is that of the bars.
func (t waitTuned) Height() int { return 24*len(t.Bars) - 4 }
