package trial

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/build"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// tried is a plan that was tried on an API which gives one body after the other, the last one for good.
func tried(t *testing.T, bodies ...string) (*Result, *strengthening) {
	t.Helper()
	src := source("GET", "/n", "", "", bodies[0])
	src.Map = &mapfile.Map{}
	r := &Result{}
	p, err := build.Plan(src, r.options)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 6 {
		body := bodies[min(n, len(bodies)-1)]
		send := func(play.Request) (*exchange.Response, error) {
			return exchange.ParseResponse(exchange.Message{Body: []byte(body),
				Head: fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body))}), nil
		}
		if err := r.options.Answers.Try(p, play.Forwards, send); err != nil {
			t.Fatal(err)
		}
	}
	if r.Plan, err = build.Plan(src, r.options); err != nil {
		t.Fatal(err)
	}
	return r, &strengthening{Result: r, src: src}
}

// What a plan asserts tells faults of it; what moves is told as far as it is asserted, and of the rest it is said why not.
func TestStrengthen(t *testing.T) {
	r, s := tried(t, `{"n":1,"title":"Sand"}`, `{"n":2,"title":"Sand"}`, `{"n":30,"title":"Sand"}`)
	done, err := r.Strengthen(context.Background(), s.src)
	if err != nil {
		t.Fatal(err)
	}
	if done.Planted < 10 || done.Before < done.Planted/2 || done.After() != done.Planted-len(done.Missed) || len(done.Missed) == 0 {
		t.Errorf("%d planted, %d told before and %d after, missed %v", done.Planted, done.Before, done.After(), done.Missed)
	}
	for _, m := range done.Missed {
		if m.Why == "" || m.Place != "/body/n" {
			t.Errorf("missed %s: %s", m.Mutant, m.Why)
		}
	}
}

// An assertion that a plan lacks is added where all answers bear it and it tells the fault.
func TestTell(t *testing.T) {
	for _, tt := range []struct {
		name, fault string
		bodies      []string
		volatile    bool
		added, why  string
	}{
		{"the value", "change /body/n of GET /n 200", []string{`{"n":3}`}, false, "is 3", ""},
		{"a place that moves elsewhere", "change /body/n of GET /n 200", []string{`{"n":3}`}, true, "", missedSame},
		{"a value that follows the state", "change /body/n of GET /n 200", []string{`{"n":3}`}, false, "", missedSame},
		{"the type of what moves", "retype /body/n of GET /n 200", []string{`{"n":3}`, `{"n":4}`}, true, "is of type integer", ""},
		{"a value that one trial had not", "change /body/n of GET /n 200", []string{`{"n":3}`, `{"n":4}`}, false, "", missedMoves},
		{"a type that one trial had not", "retype /body/n of GET /n 200", []string{`{"n":3}`, `{"n":null}`}, true, "", missedMoves},
		{"a secret", "change /body/password of GET /n 200", []string{`{"password":"Sand42"}`}, false, "", missedHidden},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, s := tried(t, tt.bodies...)
			step := &r.Plan.Tests[0].Steps[0]
			step.Checks = step.Checks[:1]
			if strings.Contains(tt.name, "state") {
				step.Checks = append(step.Checks, plan.Check{Kind: plan.CheckHolds, Place: "/body/n", Why: "State", Optional: true})
			}
			_, all := r.faults(s.src)
			i := slices.IndexFunc(all, func(f fault) bool { return f.String() == tt.fault })
			if i < 0 {
				t.Fatalf("no %s among %d faults", tt.fault, len(all))
			}
			all[i].Volatile = tt.volatile
			why, added := s.tell(all[i]), ""
			if len(s.added) > 0 {
				added = s.added[0].Says
			}
			if why != tt.why || added != tt.added {
				t.Errorf("added %q, %q; want %q, %q", added, why, tt.added, tt.why)
			}
			if last := step.Checks[len(step.Checks)-1]; (last.Kind == plan.CheckHolds && last.Why == "") != (tt.added != "") {
				t.Errorf("the last check is %+v", last)
			}
		})
	}
}
