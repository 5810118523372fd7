package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
)

// servicesView is the external services that the API asked, and what a search found of it.
type servicesView struct {
	Graph     *graph
	Services  []serviceRow
	Calls     []callRow
	Follow    []followRow
	Found     string // how many behaviors there are
	Behaviors []behaviorRow
	More      int // further behaviors
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

// behaviorRow is a behavior that a search found.
type behaviorRow struct {
	Request, Outcome, Stubs, Findings string
	Calls                             []string
}

// The most that is listed.
const (
	maxCalls     = 500 // kinds of calls
	maxBehaviors = 200
)

func newServices(f *findings.Findings) *servicesView {
	asked := f.Services != nil && len(f.Services.Services) > 0
	if !asked && len(f.Behaviors) == 0 {
		return nil
	}
	v := &servicesView{Graph: newGraph(f)}
	if asked {
		v.asked(f)
	}
	v.behaviors(f.Behaviors)
	return v
}

// asked lists services, calls, and what follows them.
func (v *servicesView) asked(f *findings.Findings) {
	for _, s := range f.Services.Services {
		v.Services = append(v.Services, serviceRow{report.ShowEnds(s.Name(), maxName), s.Calls, s.Faults, s.Unmatched})
	}
	for _, c := range f.Services.Calls[:min(len(f.Services.Calls), maxCalls)] {
		v.Calls = append(v.Calls, callRow{report.ShowEnds(findings.Asks(c), maxName),
			report.ShowEnds(c.Method+" "+c.Service+c.Path, maxName), statuses(c.Statuses), c.Calls, c.Exchanges})
	}
	names := f.Names()
	for _, p := range f.Following() {
		v.Follow = append(v.Follow, followRow{p.ID, report.ShowEnds(names[p.Operation], maxName),
			report.ShowEnds(string(p.Place.Place), maxName), report.ShowEnds(p.Value, maxName)})
	}
}

// behaviors lists those first that look wrong.
func (v *servicesView) behaviors(all []findings.Behavior) {
	if len(all) == 0 {
		return
	}
	var wrong, sound []findings.Behavior
	for _, b := range all {
		if len(b.Findings) > 0 {
			wrong = append(wrong, b)
		} else {
			sound = append(sound, b)
		}
	}
	look := "look"
	if len(wrong) == 1 {
		look = "looks"
	}
	v.Found = fmt.Sprintf("%s, of which %d %s wrong", report.Count(len(all), "behavior"), len(wrong), look)
	all = slices.Concat(wrong, sound)
	v.More = max(0, len(all)-maxBehaviors)
	for _, b := range all[:len(all)-v.More] {
		row := behaviorRow{Request: report.ShowEnds(b.Request, maxName), Outcome: report.Show(b.Outcome(), maxName),
			Stubs: report.ShowEnds(b.Stubs, maxName), Findings: report.Show(strings.Join(b.Findings, ", "), maxName)}
		for _, c := range b.Calls {
			row.Calls = append(row.Calls, report.ShowEnds(c, maxName))
		}
		v.Behaviors = append(v.Behaviors, row)
	}
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
