package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
	"github.com/flaketap/flaketap/report/inspect"
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

// servicesView is the external services that the API asked.
type servicesView struct {
	Services []serviceRow
	Calls    []callRow
	Follow   []followRow
}

type serviceRow struct {
	Name                     string
	Calls, Faults, Unmatched int
}

type callRow struct {
	Operation, Asks, Statuses string
	Calls, Exchanges          int
}

// followRow is a place that moved when a service's answer did.
type followRow struct{ ID, Operation, Place, Follows string }

// maxCalls bounds the kinds of calls that are listed.
const maxCalls = 500

func newServices(f *findings.Findings) *servicesView {
	if f.Services == nil || len(f.Services.Services) == 0 {
		return nil
	}
	v := &servicesView{}
	for _, s := range f.Services.Services {
		v.Services = append(v.Services, serviceRow{report.ShowEnds(fmt.Sprintf("%s://%s:%d", s.Scheme, s.Host, s.Port), maxName),
			s.Calls, s.Faults, s.Unmatched})
	}
	for _, c := range f.Services.Calls[:min(len(f.Services.Calls), maxCalls)] {
		v.Calls = append(v.Calls, callRow{report.ShowEnds(asks(c), maxName),
			report.ShowEnds(c.Method+" "+c.Service+c.Path, maxName), statuses(c.Statuses), c.Calls, c.Exchanges})
	}
	names := f.Names()
	for _, p := range f.Told() {
		for _, r := range p.Reasons {
			if e := mapfile.ParseEvidence(r.Code); e.Sign == mapfile.SignFollowsExternal {
				v.Follow = append(v.Follow, followRow{p.ID, report.ShowEnds(names[p.Operation], maxName),
					report.ShowEnds(string(p.Place), maxName), report.ShowEnds(e.Detail, maxName)})
			}
		}
	}
	return v
}

// asks is who made a call.
func asks(c *inspect.Asking) string {
	switch {
	case c.Operation != "":
		return c.Operation
	case c.Cause == inspect.CauseSeveral:
		return "one of several"
	}
	return "in the background"
}

func statuses(by map[string]int) string {
	var all []string
	for _, s := range slices.Sorted(maps.Keys(by)) {
		name := s
		if s == "0" {
			name = "fault"
		}
		all = append(all, fmt.Sprintf("%s ×%d", name, by[s]))
	}
	return strings.Join(all, ", ")
}

// changed says what became of a place, or of an operation.
func changed(kind mapfile.ChangeKind, place exchange.Place) string {
	if place == "" {
		return map[mapfile.ChangeKind]string{mapfile.Came: "new operation", mapfile.Went: "no longer asked"}[kind]
	}
	return map[mapfile.ChangeKind]string{mapfile.Began: "began to move", mapfile.Unseen: "seen for the first time",
		mapfile.Stopped: "stopped", mapfile.Judged: "judged otherwise"}[kind]
}
