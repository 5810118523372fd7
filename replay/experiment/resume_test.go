package experiment

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/service"
)

// TestResumeUnlike has a replay resumed with other flags than it was begun with: it is refused rather than a run made of
// two halves.
func TestResumeUnlike(t *testing.T) {
	here, elsewhere := &url.URL{Scheme: "http", Host: "127.0.0.1:1"}, &url.URL{Scheme: "http", Host: "127.0.0.1:2"}
	then := replay.Player{Reset: "./reset.sh", Workers: 4, Pace: 2, Target: here}
	for _, tc := range []struct {
		name string
		now  replay.Player
		want string // in the error; "" for none
	}{
		{"the same", then, ""},
		{"no reset", replay.Player{Workers: 4, Pace: 2, Target: here}, "run 1 of the interrupted replay began reset, but with these flags it begins continued"},
		{"its own API", replay.Player{Service: &service.Service{}, Workers: 4, Pace: 2, Target: here}, "began reset, but with these flags it begins fresh"},
		{"one worker", replay.Player{Reset: "./reset.sh", Workers: 1, Pace: 2, Target: here}, "had 4 workers, but these flags give it 1"},
		{"no pace", replay.Player{Reset: "./reset.sh", Workers: 4, Target: here}, "had the pace x2, but these flags give it asap"},
		{"elsewhere", replay.Player{Reset: "./reset.sh", Workers: 4, Pace: 2, Target: elsewhere}, "went to http://127.0.0.1:1, but these flags send it to http://127.0.0.1:2"},
		{"as recorded", replay.Player{Reset: "./reset.sh", Workers: 4, Pace: 2}, "went to http://127.0.0.1:1, but these flags send it to where it was recorded"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cut := exchange.Run{Number: 3, Kind: exchange.RunReplay, Plan: "p", Part: 1, Parts: 2, Steps: 5}
			state(&cut, &then)
			whole := cut
			whole.Ended = time.Unix(1, 0)
			other := exchange.Run{Kind: exchange.RunReplay}
			for _, stored := range []exchange.Run{cut, whole} {
				p := plan{runs: []planned{{run: other}, {run: other}}}
				err := p.resume([]exchange.Run{stored}, &tc.now)
				if tc.want != "" {
					if err == nil || !strings.Contains(err.Error(), tc.want) {
						t.Errorf("resumed with %v, want %q", err, tc.want)
					}
					continue
				}
				if err != nil || p.runs[0].run.Plan != "p" {
					t.Errorf("not resumed: %v, %+v", err, p.runs)
				}
			}
		})
	}
}

// TestResumeOtherOrder resumes a replay with a run in another order, which is played one step after the other whatever
// --workers says.
func TestResumeOtherOrder(t *testing.T) {
	now := &replay.Player{Workers: 4, Pace: 1}
	ordered := exchange.Run{Kind: exchange.RunReplay, Conditions: exchange.Conditions{Perturb: []string{"order=reverse"}}}
	stored := ordered
	stored.Plan, stored.Part, stored.Parts = "p", 1, 1
	state(&stored, &replay.Player{})
	p := plan{runs: []planned{{Condition: Condition{Name: "order=reverse", order: reversed}, run: ordered}}}
	if err := p.resume([]exchange.Run{stored}, now); err != nil || p.runs[0].resumed == nil {
		t.Errorf("not resumed: %v, %+v", err, p.runs)
	}
}

// TestObserved counts steps that were sent several times as one each.
func TestObserved(t *testing.T) {
	steps := func(yield func(exchange.Step, error) bool) {
		for _, n := range []int{1, 4, 0, 2} {
			if !yield(exchange.Step{Observations: make([]*exchange.Observation, n)}, nil) {
				return
			}
		}
	}
	if n, err := observed(steps); n != 3 || err != nil {
		t.Errorf("%d steps, %v, want 3", n, err)
	}
}
