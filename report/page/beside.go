package page

import (
	"fmt"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// ratesView is failure rates of the forms of a suite.
type ratesView struct {
	*findings.Rates
	Title  string
	Bars   []rateBar
	Height int
}

// rateBar is the failure rate of one form.
type rateBar struct {
	Name, Words string
	Y, Width    int
}

// The sizes of the bars of failure rates, in pixels.
const (
	rateHigh = 30
	rateWide = 300
)

func newRates(f *findings.Findings) *ratesView {
	if f.Rates == nil || len(f.Rates.Forms) == 0 {
		return nil
	}
	v := &ratesView{Rates: f.Rates, Title: "The suite, before and after"}
	if len(f.Rates.Forms) == 1 {
		v.Title = "The suite"
	}
	for i, form := range f.Rates.Forms {
		v.Bars = append(v.Bars, rateBar{Name: report.ShowEnds(form.Name, 40), Y: i * rateHigh,
			Words: fmt.Sprintf("%s in a run; %d of %s failed in any of %s", rate(form.Rate), form.Failing,
				report.Count(form.Tests, "test"), report.Count(form.Runs, "run")),
			Width: int(max(1, form.Rate*rateWide))})
		if form.Rate == 0 {
			v.Bars[i].Width = 0
		}
	}
	v.Height = len(v.Bars) * rateHigh
	return v
}

// rate says what share of the tests fails, with as many digits as tell.
func rate(share float64) string {
	if share == 0 {
		return "no test fails"
	}
	return fmt.Sprintf("%.1f %% of tests fail", share*100)
}

// changed says what became of a place, or of an operation.
func changed(kind mapfile.ChangeKind, place exchange.Place) string {
	if place == "" {
		return map[mapfile.ChangeKind]string{mapfile.Came: "new operation", mapfile.Went: "no longer asked"}[kind]
	}
	return map[mapfile.ChangeKind]string{mapfile.Began: "began to move", mapfile.Unseen: "seen for the first time",
		mapfile.Stopped: "stopped", mapfile.Judged: "judged otherwise"}[kind]
}
