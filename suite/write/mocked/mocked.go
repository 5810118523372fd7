package mocked

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/archive"
	"github.com/flaketap/flaketap/mock/export"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/warmup"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/build"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility"
)

// Options say how tests are made. The zero value relaxes what moves, and redacts by no key.
type Options struct {
	Mode     suite.Mode
	Redactor exchange.Redactor // whose Known is collected here
	// Environment is what is known of the machine, see [volatility.Options].
	Environment []string
	beside      sideBySide
}

// Plan makes a plan of behaviors.
func Plan(all []archive.Behavior, o Options) (plan.Plan, error) {
	var secrets exchange.Secrets
	for _, b := range all {
		for _, trial := range b.Trials {
			for _, e := range trial {
				secrets.Exchange(e)
			}
		}
	}
	o.Redactor.Known = secrets.Known()
	o.beside = sideBySide{}
	read := make([]journaled, len(all))
	for i, b := range all {
		noted, trials, err := journals(b.Trials)
		if err != nil {
			return plan.Plan{}, fmt.Errorf("write the test of behavior %s: %w", b.Name, err)
		}
		if read[i] = (journaled{b, noted, trials}); !late(b.Stubs) {
			o.beside.learn(noted)
		}
	}
	var warm []warmup.Request
	m := merged{Plan: plan.Plan{Secrets: map[string]string{}, About: map[string]string{}}}
	for _, b := range read {
		p, err := o.one(b)
		if err != nil {
			return plan.Plan{}, fmt.Errorf("write the test of behavior %s: %w", b.Name, err)
		}
		if r, may := warming(b); may && len(p.Secrets) == 0 {
			warm = append(warm, r)
		}
		m.add(p)
	}
	var err error
	if warm = warmup.Choose(warm); len(warm) > 0 {
		m.WarmUp, err = warmup.Encode(warm)
	}
	return m.Plan, err
}

// journaled is a behavior with what [journals] are of its trials.
type journaled struct {
	archive.Behavior
	noted []mock.Noted
	bare  [][]*exchange.Exchange
}

// one makes the plan of one behavior.
func (o *Options) one(b journaled) (p plan.Plan, err error) {
	beside := maps.Clone(o.beside)
	beside.learn(b.noted)
	src, err := o.source(b.bare, b.noted, beside.among(b.noted[0].Calls) && alike(b.noted))
	if err != nil {
		return p, err
	}
	if p, err = build.Plan(src, build.Options{Mode: o.Mode, All: true}); err != nil {
		return p, err
	}
	if len(p.Tests) != 1 || len(p.Tests[0].Steps) != 2 {
		return p, fmt.Errorf("its request makes %d tests, want one", len(p.Tests))
	}
	stubs, err := mock.ParseStubs(b.Stubs, mock.NoFile)
	if err != nil {
		return p, err
	}
	p.Target = b.Trials[0][0].Scheme + "://" + b.Trials[0][0].Addr
	p.Mocks = []plan.Mock{{Name: b.Name, Mappings: b.Stubs}}
	test := &p.Tests[0]
	test.Mock, test.BeyondWireMock = b.Name, export.BeyondWireMock(stubs)
	api, journal := &test.Steps[0], &test.Steps[1]
	if api.Left != "" {
		return p, fmt.Errorf("its request cannot be sent again: %s", api.Left)
	}
	api.Base = ""
	how := ""
	if f := b.Trials[0][0].Fault; f != nil {
		ending(api, f, b.Trials)
		how = strings.ReplaceAll(string(api.Ending), " ", "_")
	} else {
		how = fmt.Sprint("gives_", b.Trials[0][0].Response.Status)
	}
	test.Name = strings.Join([]string{plan.Slug(api.Title), how, b.Name}, "_")
	test.About = about(api, strings.ReplaceAll(how, "_", " "), stubs, b.Findings)
	asks(journal)
	return p, nil
}

// source is the trials as a recording with runs, judged; anyOrder says that the order of their calls says nothing.
func (o *Options) source(trials [][]*exchange.Exchange, noted []mock.Noted, anyOrder bool) (
	src suite.Source, err error,
) {
	began := func(trial []*exchange.Exchange) time.Time { return trial[0].Start }
	ended := func(trial []*exchange.Exchange) time.Time { return trial[1].Start.Add(trial[1].Latency) }
	rec := exchange.Recording{Started: began(trials[0]), Count: uint64(len(trials[0])), Passes: []exchange.Pass{{Number: 1,
		Started: began(trials[0]), Ended: ended(trials[0]), Source: "record", Start: exchange.StartReset}}}
	var runs []exchange.Run
	for i, trial := range trials[1:] {
		runs = append(runs, exchange.Run{Number: i + 1, Kind: exchange.RunReplay, Started: began(trial),
			Ended: ended(trial), Steps: len(trial), Conditions: exchange.Conditions{Start: exchange.StartReset}})
	}
	src.Steps = steps(trials)
	src.Operations = flow.Operations([]*exchange.Exchange{src.Steps[0].Exchange, src.Steps[1].Exchange}, nil)
	src.Sequences = []exchange.Sequence{{Name: "trial", Steps: []uint64{1, 2}}}
	src.Redactor = o.Redactor
	each := allInStep(noted)
	judged := slices.Clone(trials)
	for i, n := range noted {
		switch {
		case anyOrder:
			judged[i] = sorted(trials[i], n.Calls)
		case each:
			judged[i] = numbered(trials[i], n.Calls)
		}
	}
	src.Map, err = volatility.Judge(rec, runs, yielded(steps(judged)), src.Operations, nil,
		volatility.Options{Redactor: o.Redactor, Environment: o.Environment})
	if err != nil {
		return src, err
	}
	weakenTraces(&src)
	switch {
	case anyOrder:
		stateOrder(&src)
	case each:
		stateTargets(&src, noted[0].Calls)
		if trials[0][0].Fault != nil {
			stateEndless(&src, noted[0].Calls)
		}
	}
	return src, nil
}

// steps are the exchanges of the first trial, with what became of them in the others.
func steps(trials [][]*exchange.Exchange) (out []exchange.Step) {
	for i, e := range trials[0] {
		e = answered(e)
		e.Seq, e.Pass = uint64(i+1), 1
		step := exchange.Step{Exchange: e}
		for run, other := range trials[1:] {
			a := answered(other[i])
			step.Observations = append(step.Observations, &exchange.Observation{Run: run + 1, Seq: e.Seq, Start: a.Start,
				Latency: a.Latency, Sent: a.Request, Response: a.Response})
		}
		out = append(out, step)
	}
	return out
}

func yielded(steps []exchange.Step) iter.Seq2[exchange.Step, error] {
	return func(yield func(exchange.Step, error) bool) {
		for _, s := range steps {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// answered is a copy of an exchange; where it was not answered, with an answer that says nothing: it is sent again all
// the same, and that nothing comes is asserted.
func answered(e *exchange.Exchange) *exchange.Exchange {
	out := *e
	if out.Fault != nil {
		out.Fault = nil
		out.Response = exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 204 No Content\r\n\r\n")})
	}
	return &out
}

// breaksWithin is for how long a connection that breaks off is waited for at least: a test that waits too long costs
// time only where it fails.
const breaksWithin = 5 * time.Second

// ending has a step assert that no answer comes.
func ending(s *plan.Step, f *exchange.Fault, trials [][]*exchange.Exchange) {
	s.Ending, s.Checks, s.Captures = plan.Hangs, nil, nil
	for _, trial := range trials {
		s.Patience = max(s.Patience, trial[0].Latency.Truncate(time.Second), time.Second)
	}
	if f.Kind != exchange.FaultTimeout {
		s.Ending, s.Patience = plan.BreaksOff, max(2*s.Patience, breaksWithin)
	}
}

// asks has a step assert what the API asked of external services.
func asks(s *plan.Step) {
	s.Title = "What it asked"
	s.Base = plan.MocksBase
	s.Checks = slices.DeleteFunc(s.Checks, func(c plan.Check) bool { return c.Place.Root() != "body" })
	s.Headers = nil
}

// about says in lines what a test is about.
func about(s *plan.Step, how string, stubs []mock.Stub, findings []search.Finding) []string {
	out := []string{s.Title + " " + how}
	if len(stubs) == 0 {
		out = append(out, "Its external services know nothing: they answer 404")
	}
	for _, stub := range stubs {
		out = append(out, stub.About())
	}
	if len(findings) > 0 {
		out = append(out, "Found: "+search.Listed(findings)+". This is what the API does, not what it should do.")
	}
	return out
}
