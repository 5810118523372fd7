package form

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
)

// group is lines below a head.
type group struct {
	head  string
	lines []string
	more  int // further lines
}

// say adds a line, where there is room.
func (g *group) say(format string, args ...any) {
	if len(g.lines) >= maxListed {
		g.more++
		return
	}
	g.lines = append(g.lines, report.Show(fmt.Sprintf(format, args...), 2*maxText))
}

// services says which external services the API asked, which places follow them, and what a search found; only the
// groups that say something.
func services(f *findings.Findings) (all []group) {
	asked, follow, found := group{head: "External services"}, group{head: "What follows them"}, group{head: "What it does when they fail"}
	if f.Services != nil {
		for _, c := range f.Services.Calls {
			failed := ""
			if n := c.Statuses["0"]; n > 0 {
				failed = fmt.Sprintf(", %d without an answer", n)
			}
			asked.say("%s asks %s %s%s: %s%s", report.ShowEnds(findings.Asks(c), maxText), c.Method, c.Service, c.Path,
				report.Count(c.Calls, "call"), failed)
		}
	}
	names := f.Names()
	for _, p := range f.Following() {
		follow.say("%s %s follows %s", names[p.Operation], p.Place.Place, p.Value)
	}
	for _, b := range f.Behaviors {
		if len(b.Findings) > 0 {
			behind := ""
			if n := len(b.Calls); n > 0 {
				behind = ", behind " + report.ShowEnds(b.Calls[n-1], maxText)
			}
			found.say("%s: %s (%s)%s, by the stubs in %s", b.Request, b.Outcome(), strings.Join(b.Findings, ", "), behind, b.Stubs)
		}
	}
	if n := len(f.Behaviors) - len(found.lines) - found.more; n > 0 {
		found.lines = append(found.lines, fmt.Sprintf("%s in which nothing looks wrong", report.Count(n, "more behavior")))
	}
	for _, g := range []group{asked, follow, found} {
		if len(g.lines) > 0 {
			all = append(all, g)
		}
	}
	return all
}
