package trial

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/build"
	"github.com/flaketap/flaketap/suite/write/fresh"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
)

// API is the API that tests are tried against: one that runs, or one that is started anew for the trials.
type API struct {
	// Target is where it is. It is needed but where Service chooses the port.
	Target *url.URL
	// Service starts it, anew wherever a trial is to begin from a known start; nil where it runs already.
	Service *service.Service
	// FakeTime is the libfaketime that moves the clock of a Service; "" looks for it where systems keep it.
	FakeTime string
	// how it is spoken to; nil trusts the system's roots
	TLS  *tls.Config
	Dial func(ctx context.Context, network, addr string) (net.Conn, error) // nil: net.Dialer's
	// puts it back to its start, with a Service after each start; "" where nothing does
	Reset        service.Reset
	ResetTimeout time.Duration // that a reset may take; 0 means a minute
	// Progress is told how many playings of tests have begun, of about how many; nil where nobody asks.
	Progress func(done, total int)
}

// Result is what trials came to.
type Result struct {
	Plan plan.Plan
	// Target is where the API was.
	Target *url.URL
	// Clock says why the API had no other time in any trial; nil where it had, or where it was not started here.
	Clock error

	options build.Options // that the plan was made with, those answers included that all trials were given
}

// round is one playing of all tests.
type round struct {
	order play.Order
	slow  bool          // the client pauses before each request
	ahead time.Duration // how far the API's clock is ahead
}

// otherHalf is how far the other half of the day lies ahead, whatever the zone.
const otherHalf = 12 * time.Hour

// nearMidnight is how far from midnight, in UTC, the trials are that tell by which clock an API counts its days.
const nearMidnight = 20 * time.Minute

// beforeMidnight is how far the end of the day lies ahead: what an API counts in days is by all but one day more there
// than it is at the day's begin.
func beforeMidnight(now time.Time) time.Duration {
	end := now.UTC().Truncate(24 * time.Hour).Add(24*time.Hour - nearMidnight)
	if end.Before(now) {
		end = end.Add(24 * time.Hour)
	}
	return end.Sub(now).Round(time.Second)
}

// elsewhen is how far the begin of a day of another year lies ahead: there an API answers what it answers elsewhere in
// the year, and everybody is older. Its day and its month have one digit where those of now have two, and two where
// they have one, as not every date is padded.
func elsewhen(now time.Time) time.Duration {
	now = now.UTC()
	then := now.Truncate(24 * time.Hour).Add(400*24*time.Hour + nearMidnight)
	for now.Day() < 10 == (then.Day() < 10) || now.Month() < 10 == (then.Month() < 10) {
		then = then.Add(24 * time.Hour)
	}
	return then.Sub(now).Round(time.Second)
}

// rounds lists how the tests are played; the doc of the package says why.
func (a *API) rounds() []round {
	rounds := []round{{order: play.Forwards}, {order: play.Backwards}, {order: play.Abreast}, {order: play.Shuffled},
		{order: play.Shuffled + 1, slow: true}}
	if a.Service != nil {
		now := time.Now()
		rounds = append(rounds, round{order: play.Forwards, ahead: otherHalf},
			round{order: play.Shuffled + 2, ahead: beforeMidnight(now)},
			round{order: play.Shuffled + 3, ahead: elsewhen(now)})
	}
	return rounds
}

// Plan plans the tests of a recording, plays them against an API, and plans them again with what that showed. An error
// is that of the first playing in order, of a start or reset of the API, of ctx, or a [RefusedError].
func Plan(ctx context.Context, src suite.Source, o build.Options, api API) (result Result, err error) {
	result = Result{Target: api.Target}
	if result.Plan, err = build.Plan(src, o); err != nil || o.Mode == suite.Exact {
		return result, err
	}
	named := fresh.Names(&result.Plan)
	s := &session{API: api, transport: &http.Transport{DisableCompression: true, TLSClientConfig: api.TLS,
		DialContext: api.Dial}}
	defer func() { err = errors.Join(err, s.end()) }()
	rounds := api.rounds()
	s.count(rounds, result.Plan)
	for n, r := range rounds {
		if r.ahead != 0 && result.Clock != nil {
			continue
		}
		err := s.begin(ctx, r)
		var unmoved service.ClockError
		switch {
		case r.ahead != 0 && errors.As(err, &unmoved):
			result.Clock = err
			continue
		case err != nil:
			return result, err
		}
		result.Target, o.Answers.Host, o.Answers.Ahead = s.Target, s.Target.Host, r.ahead
		send := s.play(ctx)
		if r.slow {
			send = slowly(ctx, result.Plan, send)
		}
		switch err := o.Answers.Try(result.Plan, r.order, send); {
		case err != nil && n == 0:
			return result, s.explained(err)
		case err != nil && r.ahead != 0:
			result.Clock = fmt.Errorf("%s later: %w", r.ahead, s.explained(err))
		}
		if err := ctx.Err(); err != nil {
			return result, err
		}
		if named && !madeAccounts(&o.Answers, result.Plan) { // it takes no other names than the recorded ones
			named, o.Answers = false, play.Answers{}
			if result.Plan, err = build.Plan(src, o); err != nil {
				return result, err
			}
		}
	}
	if err := refusal(&o.Answers, result.Plan); err != nil {
		return result, err
	}
	if err := s.alone(ctx, result.Plan, &o.Answers); err != nil {
		return result, err
	}
	if err := s.cut(ctx, result.Plan, &o.Answers); err != nil {
		return result, err
	}
	result.options = o
	if result.Plan, err = build.Plan(src, o); named {
		fresh.Names(&result.Plan)
	}
	return result, err
}

// madeAccounts reports whether the API signed up all whom the tests of a plan share.
func madeAccounts(answers *play.Answers, p plan.Plan) bool {
	for _, t := range p.Tests {
		for _, s := range t.Steps {
			if s.Single && len(answers.Tested(s.Seq)) == 0 {
				return false
			}
		}
	}
	return true
}

// A slow client pauses before each request, for as long as all its pauses may take.
const (
	maxPause  = 50 * time.Millisecond
	maxPauses = 4 * time.Second
)

// slowly sends as a slow client does: what counts the time that has passed, such as what is left of a session in
// milliseconds, is answered alike again and again by a quick API on a quick machine.
func slowly(ctx context.Context, p plan.Plan, send func(play.Request) (*exchange.Response, error),
) func(play.Request) (*exchange.Response, error) {
	steps := 0
	for _, t := range p.Tests {
		steps += len(t.Steps)
	}
	pause := min(maxPause, maxPauses/time.Duration(max(steps, 1)))
	return func(r play.Request) (*exchange.Response, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
		return send(r)
	}
}

// maxAlone bounds how long tests are tried each from a known start of its own.
const maxAlone = 10 * time.Second

// alone plays each test by itself from a known start, where the API can be put back to that quickly: no other test has
// come before it then.
func (s *session) alone(ctx context.Context, p plan.Plan, answers *play.Answers) error {
	if !s.known() {
		return nil
	}
	answers.Ahead = 0
	one, end := p, time.Now().Add(maxAlone)
	for i := range p.Tests {
		if time.Now().After(end) {
			return nil
		}
		if err := s.begin(ctx, round{}); err != nil {
			return err
		}
		answers.Host = s.Target.Host
		one.Tests = p.Tests[i : i+1]
		_ = answers.Try(one, play.Forwards, s.play(ctx)) // what cannot be sent was told by the first round
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// maxCut bounds how long tests are tried with all others between two of their requests.
const maxCut = 10 * time.Second

// cut plays the tests so that all others come between two requests of each, or find it where these two are, which two
// shifting by one every two rounds, where the API can be put back to its start quickly: in a runner that runs tests in
// parallel they may.
func (s *session) cut(ctx context.Context, p plan.Plan, answers *play.Answers) error {
	if !s.known() {
		return nil
	}
	for at, end := 2, time.Now().Add(maxCut); at < 2*longest(p) && time.Now().Before(end); at++ {
		if err := s.begin(ctx, round{}); err != nil {
			return err
		}
		answers.Host = s.Target.Host
		_ = answers.Try(p, play.Cut+play.Order(at), s.play(ctx)) // what cannot be sent was told by the first round
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// session is the API for as long as tests are tried on it.
type session struct {
	API
	transport *http.Transport
	instance  *service.Instance // nil where the API is not started here

	begun, all int // playings: those that have begun, and those there are to be
}

// count says how many playings there will be.
func (s *session) count(rounds []round, p plan.Plan) {
	s.all = len(rounds)
	if s.known() {
		s.all += len(p.Tests) + max(2*longest(p)-2, 0)
	}
}

// known reports whether the API can be put back to its start for each playing.
func (s *session) known() bool { return s.Service != nil || s.Reset != "" }

// longest is how many steps the longest test has.
func longest(p plan.Plan) (n int) {
	for _, t := range p.Tests {
		n = max(n, len(t.Steps))
	}
	return n
}

// begin has the API as a round needs it.
func (s *session) begin(ctx context.Context, r round) error {
	if s.Progress != nil {
		s.Progress(min(s.begun, s.all), s.all)
	}
	s.begun++
	if s.Service != nil {
		if err := s.restart(ctx, r.ahead); err != nil {
			return err
		}
	}
	return s.instance.Reset(s.Reset).Within(ctx, s.ResetTimeout)
}

// restart starts the API anew. Where its clock cannot be moved as it should, the error is a [service.ClockError].
func (s *session) restart(ctx context.Context, ahead time.Duration) error {
	if err := s.end(); err != nil {
		return err
	}
	s.Service.Environment = service.Environment{FakeTime: s.FakeTime}
	if ahead != 0 {
		if err := s.Service.Environment.Add("clock", "+"+ahead.String()); err != nil {
			return err
		}
		if err := s.Service.Possible(); err != nil {
			return service.ClockError{Err: err}
		}
	}
	instance, err := s.Service.Start(ctx)
	if err != nil {
		return err
	}
	if s.instance = instance; instance.Target() != nil {
		s.Target = instance.Target()
	}
	return nil
}

// end stops the API, if it was started.
func (s *session) end() error {
	s.transport.CloseIdleConnections()
	if s.instance == nil {
		return nil
	}
	err := s.instance.Stop()
	s.instance = nil
	return err
}

// lastBreath is how long an API that closed a connection may take to end.
const lastBreath = 200 * time.Millisecond

// explained adds to an error that the API has ended, if it has.
func (s *session) explained(err error) error {
	if s.instance == nil {
		return err
	}
	select {
	case <-s.instance.Ended():
	case <-time.After(lastBreath):
	}
	return errors.Join(err, s.instance.Died("while its tests were tried"))
}

// play sends what a trial asks for.
func (s *session) play(ctx context.Context) func(play.Request) (*exchange.Response, error) {
	return func(r play.Request) (*exchange.Response, error) { return send(ctx, s.transport, s.Target, r) }
}
