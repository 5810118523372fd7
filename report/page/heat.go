package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
)

// heatMap is operations by runs: in how many places each run moved each operation.
type heatMap struct {
	Width, Height int
	Rows          []heatRow
	Columns       []heatText // the numbers of the runs
	Groups        []heatGroup
	Levels        []heatLevel
	Otherwise     string     // a path: cells in which a status was another
	Texts         []heatText // numbers in the cells, where they fit
	Left          int
	Words         string
}

type heatRow struct {
	ID, Name string
	Y        int
	Words    string // what the row says
}

// heatLevel is a path of all cells of one level, from 0 (nothing moved) to 4.
type heatLevel struct {
	Level int
	Path  string
}

type heatText struct {
	X, Y  int
	Text  string
	Light bool // on a dark cell
}

// heatGroup is runs beside each other under the same conditions.
type heatGroup struct {
	X, Width, Middle int
	Letter, Words    string
	Runs             string
}

// The sizes of a heat map, in pixels.
const (
	heatLabel = 300
	heatTop   = 40
	heatRows  = 40
)

// newHeatMap draws the heat map; nil where there is nothing to compare.
func newHeatMap(f *findings.Findings) *heatMap {
	runs := f.Compared()
	operations := slices.DeleteFunc(slices.Clone(f.Operations), func(o findings.Operation) bool { return o.Volatile == 0 })
	if len(runs) == 0 || len(operations) == 0 {
		return nil
	}
	slices.SortStableFunc(operations, func(a, b findings.Operation) int {
		return cmp.Or(cmp.Compare(others(b), others(a)), cmp.Compare(b.Volatile, a.Volatile))
	})
	h := &heatMap{Left: max(0, len(operations)-heatRows)}
	operations = operations[:len(operations)-h.Left]
	cell := min(30, max(10, 900/len(runs)))
	high := 22
	h.Width, h.Height = heatLabel+cell*len(runs)+1, heatTop+high*len(operations)+1
	h.columns(f, runs, cell)
	levels := make([]strings.Builder, 5)
	var otherwise strings.Builder
	for y, op := range operations {
		top := heatTop + y*high
		row := heatRow{ID: op.ID, Name: report.ShowEnds(op.Operation, 36) + " " + report.Status(op.Status), Y: top + 15}
		moved := 0
		for x, r := range op.ByRun {
			left := heatLabel + x*cell
			if r.Answers == 0 {
				continue
			}
			if r.Moved > 0 {
				moved++
			}
			level := level(r.Moved, op.Volatile+op.Steady)
			fmt.Fprintf(&levels[level], "M%d %dh%dv%dh-%dz", left+1, top+1, cell-2, high-2, cell-2)
			if r.Otherwise > 0 {
				fmt.Fprintf(&otherwise, "M%d %dh7v7z", left+cell-8, top+1)
			}
			if r.Moved > 0 && cell >= 18 {
				h.Texts = append(h.Texts, heatText{left + cell/2, top + 15, fmt.Sprint(r.Moved), level > 2})
			}
		}
		row.Words = fmt.Sprintf("%s: something moved in %d of %s; %s", row.Name, moved, report.Count(len(runs), "run"),
			report.Count(op.Volatile, "place"))
		h.Rows = append(h.Rows, row)
	}
	for i := range levels {
		if levels[i].Len() > 0 {
			h.Levels = append(h.Levels, heatLevel{i, levels[i].String()})
		}
	}
	h.Otherwise = otherwise.String()
	h.Words = fmt.Sprintf("%s by %s: how many places moved", report.Count(len(operations), "operation"), report.Count(len(runs), "run"))
	return h
}

// others is how many answers of an operation had another status.
func others(o findings.Operation) int {
	n := 0
	for _, r := range o.ByRun {
		n += r.Otherwise
	}
	return n
}

// level says how dark a cell is: what share of all places of the operation moved in the run.
func level(moved, of int) int {
	switch share := 100 * moved; {
	case moved == 0 || of == 0:
		return 0
	case share <= 5*of:
		return 1
	case share <= 15*of:
		return 2
	case share <= 40*of:
		return 3
	}
	return 4
}

// columns writes the numbers of the runs, and groups those that had the same conditions.
func (h *heatMap) columns(f *findings.Findings, runs []int, cell int) {
	words := map[int]string{}
	for _, r := range f.Runs {
		words[r.Number] = r.Words
	}
	letters := map[string]string{}
	every := 1 + 20/cell // numbers need room
	for x, n := range runs {
		if x%every == 0 {
			h.Columns = append(h.Columns, heatText{X: heatLabel + x*cell + cell/2, Y: heatTop - 6, Text: fmt.Sprint(n)})
		}
		last := len(h.Groups) - 1
		if last >= 0 && h.Groups[last].Words == words[n] {
			h.Groups[last].Width += cell
			continue
		}
		if letters[words[n]] == "" {
			letters[words[n]] = letter(len(letters))
		}
		h.Groups = append(h.Groups, heatGroup{X: heatLabel + x*cell, Width: cell, Letter: letters[words[n]], Words: words[n]})
	}
	for i := range h.Groups {
		g := &h.Groups[i]
		g.Middle = g.X + g.Width/2
	}
}

// letter names a group of runs: A, B, … Z, 27, …
func letter(n int) string {
	if n < 26 {
		return string(rune('A' + n))
	}
	return fmt.Sprint(n + 1)
}

// Legend tells the groups once each.
func (h *heatMap) Legend() []heatGroup {
	var out []heatGroup
	for _, g := range h.Groups {
		if !slices.ContainsFunc(out, func(o heatGroup) bool { return o.Letter == g.Letter }) {
			out = append(out, g)
		}
	}
	return out
}
