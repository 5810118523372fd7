package trial

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/volatility"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Subject is an API on trial.
type Subject struct {
	Handler http.Handler
	// Drive is the API's client: it uses the API at baseURL, sends its requests through the transport, and waits with
	// pause.
	Drive func(ctx context.Context, baseURL string, transport http.RoundTripper,
		pause func(context.Context, time.Duration) error) error
	// Reset is the path that a POST to resets the API.
	Reset string
	// SequenceHeader is the request header by which the client names its sequences; "" where it has none.
	SequenceHeader string
	// Clock is the one that the API's time comes from too.
	Clock *Clock
	// Listen is the address that the client sends its requests to, Port the port that the API itself has.
	Listen string
	Port   int
	// Latency is the longest that an answer is held back; each waits a random part of it.
	Latency time.Duration
	// Environment is what is known of the machine, see [volatility.Options].
	Environment []string
}

// The times that pass where nothing is sent: between the recording and the first run, as somebody types the next
// command or starts it from a script, and between two runs, as the API is reset.
const (
	leastPause, mostPause = 2 * time.Second, 2 * time.Minute
	leastReset, mostReset = 50 * time.Millisecond, 3 * time.Second
)

// Session is a recording and its runs.
type Session struct {
	Recording  exchange.Recording
	Runs       []exchange.Run
	Steps      []exchange.Step
	Bindings   []exchange.Binding
	Operations map[uint64]exchange.Operation

	subject *Subject
}

// Play records the client once, and replays the recording so many times, each time after a reset, as `flaketap replay
// --runs N --reset URL` does. The error says what the client or a reset met.
func Play(ctx context.Context, subject *Subject, runs int) (*Session, error) {
	s := &Session{subject: subject}
	begun := subject.Clock.now
	wire := &wire{subject: subject}
	err := subject.Drive(ctx, "http://"+subject.Listen, wire, func(_ context.Context, d time.Duration) error {
		subject.Clock.Advance(d)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	var exchanges []*exchange.Exchange
	for _, e := range wire.exchanges {
		s.Steps = append(s.Steps, exchange.Step{Exchange: e})
		exchanges = append(exchanges, e)
	}
	s.Recording = exchange.Recording{
		Started: begun, Count: uint64(len(exchanges)),
		Passes: []exchange.Pass{{Number: 1, Started: begun, Ended: subject.Clock.now, Source: "record",
			Start: exchange.StartUnknown}},
	}
	s.Bindings = flow.Bindings(exchanges)
	s.Operations = flow.Operations(exchanges, s.Bindings)
	subject.Clock.Advance(subject.Clock.between(leastPause, mostPause))
	for n := range runs {
		if err := s.replay(n+1, nil); err != nil {
			return nil, fmt.Errorf("run %d: %w", n+1, err)
		}
	}
	return s, nil
}

// Turn plays a further run at the moment that each step of the clock leads to from the recorded one, and then puts the
// clock back: what follows the hour, the day or the year moves under no other conditions. Daylight saving time is left
// out, as the APIs' zone has none.
func (s *Session) Turn() error {
	clock := s.subject.Clock
	back := clock.now
	defer func() { clock.now = back }()
	for _, step := range exchange.ClockSteps() {
		if step == exchange.ClockDSTBegin || step == exchange.ClockDSTEnd {
			continue
		}
		clock.now = moment(step, s.Recording.Started)
		if err := s.replay(len(s.Runs)+1, []string{exchange.PerturbClock + "=" + string(step)}); err != nil {
			return fmt.Errorf("run at another %s: %w", step, err)
		}
	}
	return nil
}

// moment is a time that differs from another by a step of the clock, and by as little else as the calendar allows.
func moment(step exchange.ClockStep, from time.Time) time.Time {
	works := func(t time.Time) bool { return t.Weekday()%6 != 0 }
	for n := 1; ; n++ {
		t := from.AddDate(0, 0, n)
		year, alike := t.Year() == from.Year(), works(t) == works(from)
		same := year && t.Month() == from.Month()
		switch {
		case step == exchange.ClockHour:
			return from.Add(time.Hour)
		case step == exchange.ClockHalfDay:
			return from.Truncate(24 * time.Hour).Add((from.Sub(from.Truncate(24*time.Hour)) + 12*time.Hour) % (24 * time.Hour))
		case step == exchange.ClockDay && same && alike, step == exchange.ClockWeekend && !alike,
			step == exchange.ClockMonthEnd && t.AddDate(0, 0, 1).Day() == 1,
			step == exchange.ClockMonth && alike && t.Month() != from.Month(),
			step == exchange.ClockYear && alike && !year && t.Month() == from.Month(),
			step == exchange.ClockLeapDay && t.Month() == time.February && t.Day() == 29:
			return t
		}
	}
}

// replay plays one run, under what is other than usual.
func (s *Session) replay(number int, perturbed []string) error {
	clock := s.subject.Clock
	run := exchange.Run{Number: number, Kind: exchange.RunReplay,
		Conditions: exchange.Conditions{Start: exchange.StartReset, Perturb: perturbed}, Steps: len(s.Steps)}
	if perturbed == nil {
		clock.Advance(clock.between(leastReset, mostReset))
	}
	if err := s.subject.reset(); err != nil {
		return err
	}
	run.Started = clock.now
	carrier := flow.NewCarrier(s.Bindings)
	for i := range s.Steps {
		step := &s.Steps[i]
		o := &exchange.Observation{Run: number, Seq: step.Exchange.Seq, Sent: carrier.Request(step.Exchange),
			Start: clock.now}
		var err error
		if o.Response, err = s.subject.send(&o.Sent); err != nil {
			return err
		}
		o.Latency = clock.now.Sub(o.Start)
		carrier.Learn(o.Seq, o.Response)
		step.Observations = append(step.Observations, o)
	}
	run.Ended = clock.now
	s.Runs = append(s.Runs, run)
	return nil
}

// Judge judges the recording by its first runs, and lists every place.
func (s *Session) Judge(runs int) (*mapfile.Map, error) {
	if runs > len(s.Runs) {
		return nil, errors.New("judge session: it has not so many runs")
	}
	bindings := s.Bindings
	proofs, err := flow.Prove(bindings, s.Runs[:runs], s.First(runs))
	if err != nil {
		return nil, fmt.Errorf("judge session: %w", err)
	}
	bindings = flow.Kept(bindings, proofs)
	exchanges := make([]*exchange.Exchange, len(s.Steps))
	for i := range s.Steps {
		exchanges[i] = s.Steps[i].Exchange
	}
	return volatility.Judge(s.Recording, s.Runs[:runs], s.First(runs), flow.Operations(exchanges, bindings), bindings,
		volatility.Options{Environment: s.subject.Environment})
}

// First yields the steps with the observations of the first runs.
func (s *Session) First(runs int) iter.Seq2[exchange.Step, error] {
	return func(yield func(exchange.Step, error) bool) {
		for _, step := range s.Steps {
			step.Observations = step.Observations[:runs]
			if !yield(step, nil) {
				return
			}
		}
	}
}
