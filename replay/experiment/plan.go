package experiment

import (
	"cmp"
	"fmt"
	"net"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
)

// planned is one run of a plan.
type planned struct {
	Condition
	run     exchange.Run  // its kind and conditions
	name    string        // for people: "run 2 of 5, delay=2s"
	resumed *exchange.Run // as it is stored, where it was begun before and cut off
}

// plan is what a replay is going to do.
type plan struct {
	runs   []planned
	plain  int // runs as recorded, which come first
	load   *load
	every  time.Duration // between two requests that may change something
	trials int           // at most, in the search for what depends on order
	search bool
}

// planRuns makes the plan: the plain runs, then those under conditions of their own.
func (s *session) planRuns() (*plan, error) {
	made, err := conditions(s.Experiments, situation{
		load: s.load, service: s.player.Service, reset: s.player.Reset, fakeTime: s.FakeTime,
		bindings: s.survey.Found, proofs: s.survey.Proofs, local: s.local(),
		operations: s.survey.operations, exchanges: s.survey.exchanges(), sent: func(e *exchange.Exchange) bool {
			_, skip := s.player.Destination(e)
			return skip == ""
		},
	})
	if err != nil {
		return nil, err
	}
	p := &plan{load: s.load, every: s.Requests.every, trials: s.Trials, plain: max(s.Runs, 1)}
	for range p.plain {
		p.runs = append(p.runs, planned{run: exchange.Run{Kind: exchange.RunReplay}})
	}
	for _, one := range made {
		run := exchange.Run{Kind: cmp.Or(one.kind, exchange.RunReplay)}
		run.Conditions.Perturb, run.Conditions.Without = []string{one.Name}, one.without
		p.runs = append(p.runs, planned{Condition: one, run: run})
		p.search = p.search || one.order != nil && p.trials > 0
	}
	for i := range p.runs {
		r := &p.runs[i]
		if s.Elsewhere != nil {
			r.run.Conditions.Start = exchange.StartFresh // a worker's API is new for each item, or was reset
		}
		r.name = fmt.Sprintf("run %d of %d", i+1, len(p.runs))
		if r.Name != "" {
			r.name += ", " + r.Name
		}
	}
	return p, nil
}

// local reports whether the API runs on this machine, as far as its address tells.
func (s *session) local() bool {
	switch {
	case s.player.Service != nil:
		return true
	case s.player.Target != nil:
		return loopback(s.player.Target.Hostname())
	}
	host, _, err := net.SplitHostPort(s.survey.first.addr)
	return err == nil && s.survey.other == nil && loopback(host)
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// requests is how many requests a run sends.
func (p *plan) requests(r planned) int {
	return p.load.requests + r.further*p.load.repeatable + r.besides
}

// estimate is how long a run takes, as far as can be told.
func (p *plan) estimate(r planned, player *replay.Player) time.Duration {
	defer r.Apply(player)()
	return r.wait + p.load.estimate(player, p.every) + time.Duration(r.further)*p.load.repeated
}

// sayPlan says what is going to be done, before it is.
func (s *session) sayPlan(p *plan) {
	player := &s.player
	if len(p.runs) == 0 {
		s.Console.Say("flaketap: nothing to resume: all runs of the last replay are finished")
		return
	}
	requests, took := 0, time.Duration(0)
	for _, r := range p.runs {
		requests += p.requests(r)
		took += p.estimate(r, player)
	}
	to := recordedPlace
	if s.Elsewhere != nil {
		to = "the APIs of workers"
	} else if player.Target != nil {
		to = player.Target.Redacted()
	}
	unsafe := ""
	if p.load.unsafe > 0 {
		unsafe = fmt.Sprintf(" (%d per run may change something)", p.load.unsafe)
	}
	s.Console.Say("flaketap: %s of %s to %s: %s%s, %s", console.Count(len(p.runs), "run"),
		console.Count(p.load.requests, "request"), to,
		console.Count(requests, "request")+" in total", unsafe, console.About(took))
	if len(p.runs) > p.plain && !s.Resume {
		for i, r := range p.runs {
			if i < p.plain && i > 0 {
				continue
			}
			name := r.Name
			if i == 0 {
				name = fmt.Sprintf("%d × as recorded", p.plain)
			}
			if r.what != "" {
				name += " (" + r.what + ")"
			}
			s.Console.Say("  %-24s %s, %s", name, console.Count(p.requests(r), "request"), console.About(p.estimate(r, player)))
		}
	}
	if p.search && fromKnownStart(player) {
		s.Console.Say("  %-24s then the search for what depends on it, up to %s in total", "", console.Count(p.trials, "run"))
	}
}
