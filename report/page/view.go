package page

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// The widths of texts, in columns.
const (
	maxText  = 400
	maxName  = 160
	maxValue = 110
)

// view is what the template shows: words and coordinates.
type view struct {
	*findings.Findings
	Policy string
	Style  template.CSS
	Script template.JS

	Title      string
	Recorded   string
	Figures    []figure
	Risks      *risksView
	Actions    []findings.Action
	Categories []bar
	Heat       *heatMap
	Common     []placeView
	Sections   []section
	Quiet      []section
	Sequences  []sequenceView
	Rates      *ratesView
	Services   *servicesView
	Waits      *waitsView
	Hints      []hintView
	RunRows    []runRow
	Placed     int  // places that are listed
	Dense      bool // so many that what is in each is laid out when it is opened
}

// figure is a number of the headline.
type figure struct{ Number, Name, Words, Link string }

// bar is a number with its share of the largest, from 0 to 100.
type bar struct {
	Name, Words string
	N, Share    int
}

// section is an operation with its places.
type section struct {
	ID, Name, Status  string
	Exchanges, Steady int
	Bound             string
	Places            []placeView
	Shared            []sharedLink
}

// sharedLink is a place of an operation of which the common places tell.
type sharedLink struct{ ID, Place, Common string }

type runRow struct {
	findings.Run
	Began, Took string
}

type hintView struct {
	Operation, Name, Place string
	Looks                  string
	Samples                []string
}

func newView(f *findings.Findings) *view {
	v := &view{Findings: f, Policy: policy(), Style: template.CSS(css()), Script: template.JS(script),
		Title: cmp.Or(report.Show(f.Title, maxText), "Which tests are at risk, and why"), Recorded: report.Clock(f.Recorded)}
	v.Figures, v.Actions = figures(f), f.Headline.Actions
	most := 0
	for _, c := range f.Categories {
		most = max(most, c.Places)
	}
	for _, c := range f.Categories {
		v.Categories = append(v.Categories, bar{string(c.Category), c.Says, c.Places, share(c.Places, most)})
	}
	slices.SortStableFunc(v.Categories, func(a, b bar) int { return cmp.Compare(b.N, a.N) })
	v.Heat = newHeatMap(f)
	v.places(f)
	v.Sequences = sequenceViews(f)
	v.Risks = newRisks(f, v.Sequences)
	v.Rates = newRates(f)
	v.Services, v.Waits = newServices(f), newWaits(f)
	for _, r := range f.Runs {
		row := runRow{Run: r}
		if !r.Started.IsZero() {
			row.Began, row.Took = report.Clock(r.Started), report.Took(r.Started, r.Ended)
		}
		v.RunRows = append(v.RunRows, row)
	}
	return v
}

// figures are what is read first.
func figures(f *findings.Findings) []figure {
	h := f.Headline
	out := []figure{{fmt.Sprintf("%d of %d", h.AtRisk, h.Of), plural(h.Of, h.Unit) + " at risk", riskWords(f), "#sequences"}}
	if h.Unit == "test" {
		out[0].Link = "#tests"
	}
	return append(out,
		figure{fmt.Sprintf("%d of %d", h.NotReproduced, h.Sequences), "sequences not reproduced",
			"a run was answered with another status, or not at all", "#sequences"},
		figure{fmt.Sprintf("%d of %d", f.Summary.Volatile(), f.Summary.Places), "places move", report.Volatile(f.Summary), "#places"},
		since(f))
}

// riskWords says what puts those that the headline counts at risk.
func riskWords(f *findings.Findings) string {
	switch asserted := slices.ContainsFunc(f.Tests, func(t findings.Test) bool { return len(t.Claims) > 0 }); {
	case f.Headline.Unit != "test":
		return "something in the status or body of their answers moves"
	case asserted:
		return "they assert what moves, or was another"
	}
	return "they failed before the suite was patched"
}

func since(f *findings.Findings) figure {
	if f.Since == nil {
		return figure{report.Count(len(f.Runs), "run"), "beside the recording", "--since compares with an earlier map", "#runs"}
	}
	s := f.Since
	return figure{fmt.Sprintf("+%d −%d", s.Began+s.Unseen, s.Stopped), "since the earlier map",
		s.Words(), "#since"}
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// share returns n of a whole as a number from 0 to 100. What is there at all is never shown as nothing.
func share(n, whole int) int {
	if n <= 0 || whole <= 0 {
		return 0
	}
	return min(100, max(2, (n*100+whole/2)/whole))
}

// places sorts the places into their operations.
func (v *view) places(f *findings.Findings) {
	space := newSpace(len(f.Places)+len(f.Common), len(f.Compared()))
	v.Dense = space.dense
	at := map[string]int{}
	var all []section
	for i, op := range f.Operations {
		at[op.ID] = i
		all = append(all, section{ID: op.ID, Name: report.ShowEnds(op.Operation, maxName), Status: report.Status(op.Status),
			Exchanges: op.Exchanges, Steady: op.Steady, Bound: report.Percent(op.Bound)})
	}
	for _, p := range f.Common {
		v.Common = append(v.Common, newPlaceView(p, space))
	}
	for _, p := range f.Places {
		i, ok := at[p.Operation]
		if !ok {
			continue
		}
		s := &all[i]
		if p.Common != "" {
			s.Shared = append(s.Shared, sharedLink{p.ID, report.ShowEnds(string(p.Place), maxName), p.Common})
			continue
		}
		s.Places = append(s.Places, newPlaceView(p, space))
	}
	v.Placed = len(v.Common)
	for _, s := range all {
		if v.Placed += len(s.Places); len(s.Places) > 0 {
			v.Sections = append(v.Sections, s)
		} else {
			v.Quiet = append(v.Quiet, s)
		}
	}
	for _, h := range f.Hints {
		if i, ok := at[h.Operation]; ok {
			v.Hints = append(v.Hints, hintView{h.Operation, all[i].Name + " " + all[i].Status,
				report.ShowEnds(string(h.Place), maxName), report.Show(strings.Join(h.Looks, ", "), maxName), shows(h.Samples)})
		}
	}
}

func shows(values []string) []string {
	var out []string
	for _, s := range values {
		out = append(out, report.Show(s, maxValue))
	}
	return out
}

// verdictClass is the class of a judgement.
func verdictClass(j mapfile.Judgement) string { return report.Show(string(j), 20) }
