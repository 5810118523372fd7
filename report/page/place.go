package page

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// placeView is a place.
type placeView struct {
	findings.Place
	Name      string
	Class     string
	Verdict   string
	Says      string
	Strip     strip
	Share     string
	First     string // the first thing that holds
	Sure      string
	Values    []valueBlock
	Reasons   []string
	Rivals    []string
	Moves     []string // under which conditions
	Samples   []string
	IsNew     bool
	ExceptAll string
	More      template.HTML // what is shown when somebody opens it
}

// strip is how often a place moved, run by run: bars in a box of Width by 10.
type strip struct {
	Width int
	Bars  string // a path
}

// valueBlock is what one exchange had at the place.
type valueBlock struct {
	Request, At, Recorded string
	Rows                  []valueRow
	More                  int // rows for which there is no room
}

// valueRow is what some runs had there, one after the other: the part in the middle differs from what was recorded.
type valueRow struct {
	Runs                    string // "run 3", "runs 1–4"
	Before, Differs, Behind string
	Words                   string // in the place of a value
}

// The bytes of the page that all values of all places may take, and what each place has at least and at most.
const (
	allRoom   = 1_400_000
	leastRoom = 150
	mostRoom  = 8000
)

// dense is from how many places on a page says of each what is no news, and what is in it stands in a comment
// ([view.fill]).
const dense = 500

// space is what there is on a page of so many places for one.
type space struct {
	room  int // bytes for its values
	runs  int // that are told one by one
	dense bool
}

func newSpace(places, runs int) space {
	return space{min(mostRoom, max(leastRoom, allRoom/max(places, 1))), runs, places > dense}
}

func newPlaceView(p findings.Place, space space) placeView {
	v := placeView{Place: p, Name: report.ShowEnds(string(p.Place), maxName), Class: verdictClass(p.Judgement),
		Verdict: report.Verdict(p.Judgement), Says: report.Says(p.Category), Samples: shows(p.Samples),
		IsNew: p.Since == mapfile.Began || p.Since == mapfile.Unseen, Sure: sure(p)}
	room := space.room
	if !space.dense || uneven(p) {
		v.Strip = newStrip(p, space.runs, room)
	}
	v.Share = "not seen"
	if p.Of > 0 {
		v.Share = fmt.Sprintf("%d of %d", p.Changed, p.Of)
	}
	if len(p.Holds) > 0 {
		v.First = report.Show(p.Holds[0], maxValue)
	}
	for _, r := range p.Reasons {
		v.Reasons = append(v.Reasons, reasonWords(r))
	}
	for _, x := range p.Rivals {
		v.Rivals = append(v.Rivals, fmt.Sprintf("%s would explain it too (weight %.2f)", x.Category, x.Weight))
	}
	v.Moves = conditionWords(p.Conditions)
	if space.dense && v.Do.Command == report.CommandPatch {
		v.Do.Command = ""
	}
	for _, s := range p.Seen {
		block := newValueBlock(s, room)
		if len(v.Values) > 0 && block.size() > room {
			break
		}
		room -= block.size()
		v.Values = append(v.Values, block)
	}
	v.ExceptAll = report.Show(strings.Join(p.Except, ", "), maxText)
	return v
}

// reasonWords says what a piece of evidence is; a code that has no words stands for itself.
func reasonWords(r report.Reason) string {
	if r.Says == "" {
		return report.Show(r.Code, maxName)
	}
	return report.Show(strings.ReplaceAll(r.Says, "\n", " "), maxName)
}

// sure says how sure it is that a place moves which no run moved.
func sure(p findings.Place) string {
	switch {
	case p.Of == 0:
		return "no run has seen it yet"
	case p.Changed == 0:
		return fmt.Sprintf("it moves in at most %s of the answers%s", report.Percent(p.Bound), report.RestsOn(p.Pooled))
	}
	return ""
}

// conditionWords says in which runs a place moved. Where the conditions made no difference, it says that.
func conditionWords(all []findings.Condition) []string {
	var out []string
	moved, of, differ := 0, 0, false
	for _, c := range all {
		if c.Of == 0 {
			continue
		}
		out = append(out, fmt.Sprintf("%d of %s in %s, %s", c.Moved, report.Count(c.Of, "answer"), runWords(c.Runs),
			report.Show(c.Words, maxName)))
		differ = differ || of > 0 && moved*c.Of != c.Moved*of
		moved, of = moved+c.Moved, of+c.Of
	}
	if len(out) > 1 && !differ {
		return []string{fmt.Sprintf("%d of %s, under each condition alike", moved, report.Count(of, "answer"))}
	}
	return out
}

// runWords names runs: "run 3", "runs 1–4, 7".
func runWords(runs []int) string {
	if len(runs) == 1 {
		return fmt.Sprintf("run %d", runs[0])
	}
	return "runs " + ranges(runs)
}

// ranges writes numbers that rise: "1–4, 7".
func ranges(numbers []int) string {
	var b strings.Builder
	for i := 0; i < len(numbers); {
		n := i
		for n+1 < len(numbers) && numbers[n+1] == numbers[n]+1 {
			n++
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, numbers[i])
		if n > i {
			fmt.Fprintf(&b, "–%d", numbers[n])
		}
		i = n + 1
	}
	return b.String()
}

// uneven reports whether runs differ in how often a place moved.
func uneven(p findings.Place) bool {
	return slices.ContainsFunc(p.ByRun, func(r report.WhyRun) bool {
		return r.Moved*p.ByRun[0].Of != p.ByRun[0].Moved*r.Of
	})
}

// newStrip draws how often a place moved in each run.
func newStrip(p findings.Place, runs, room int) strip {
	const high = 10
	width := 8
	if runs > 12 {
		width = max(1, 96/runs)
	}
	s := strip{Width: width * runs}
	var b strings.Builder
	heights := make([]int, len(p.ByRun))
	for i, r := range p.ByRun {
		if r.Moved > 0 && r.Of > 0 {
			heights[i] = min(high, max(2, r.Moved*high/r.Of))
		}
	}
	for i := 0; i < len(heights); {
		n := i
		for n < len(heights) && heights[n] == heights[i] {
			n++
		}
		if h := heights[i]; h > 0 {
			fmt.Fprintf(&b, "M%d %dh%dv%dh-%dz", i*width, high-h, (n-i)*width, h, (n-i)*width)
		}
		i = n
	}
	if s.Bars = b.String(); len(s.Bars) > max(room/3, 60) {
		s.Bars, s.Width = "", 0
	}
	return s
}

// newValueBlock tells what an exchange had, in as many rows as there is room for.
func newValueBlock(s findings.Seen, room int) valueBlock {
	b := valueBlock{Request: fmt.Sprintf("exchange %d, %s", s.Seq, report.ShowEnds(s.Request, maxName)),
		At: report.ShowEnds(string(s.Place), maxName), Recorded: report.Show(s.Recorded, maxValue)}
	if s.Recorded == "" {
		b.Recorded = "nothing there"
	}
	for i := 0; i < len(s.Runs); {
		numbers := []int{s.Runs[i].Run}
		n := i + 1
		for n < len(s.Runs) && alike(s.Runs[n], s.Runs[i]) {
			numbers = append(numbers, s.Runs[n].Run)
			n++
		}
		row := newValueRow(s.Recorded, s.Runs[i])
		row.Runs = runWords(numbers)
		if len(b.Rows) > 0 && b.size()+row.size() > room {
			b.More = len(s.Runs) - i
			break
		}
		b.Rows = append(b.Rows, row)
		i = n
	}
	return b
}

// alike reports whether two runs had the same.
func alike(a, b findings.SeenRun) bool {
	return a.Value == b.Value && a.Moved == b.Moved && a.Otherwise == b.Otherwise
}

func newValueRow(recorded string, r findings.SeenRun) valueRow {
	switch {
	case r.Otherwise != "":
		return valueRow{Words: "answered " + report.Show(r.Otherwise, 40) + ", not compared"}
	case !r.Moved:
		return valueRow{Words: "as recorded"}
	case r.Value == "":
		return valueRow{Differs: "nothing there"}
	}
	before, differs, behind := report.Marked(recorded, r.Value)
	return valueRow{Before: report.Show(before, maxValue), Differs: report.Show(differs, maxValue),
		Behind: report.Show(behind, maxValue)}
}

// markup is about how many bytes the tags around a row or a block take.
const markup = 40

func (r valueRow) size() int {
	return markup + len(r.Runs) + len(r.Before) + len(r.Differs) + len(r.Behind) + len(r.Words)
}

func (b valueBlock) size() int {
	n := 2*markup + len(b.Request) + len(b.At) + len(b.Recorded)
	for _, r := range b.Rows {
		n += r.size()
	}
	return n
}
