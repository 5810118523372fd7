// Package draft plans the tests of a suite from a recording, tries them where there is an API for that, and has them
// send credentials that are valid.
//
//  1. The tests are planned (package suite/write/build) with the user's credentials in the place of recorded ones that
//     lapsed in the runs.
//  2. They are tried (package suite/trial), since what the recording does not tell shows there.
//  3. Where the API refuses credentials in the trials, these have lapsed too: the tests are planned and tried once more
//     with what the user gave for them.
//  4. Assertions that tell more faults are added, where that is asked for.
package draft

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/trial"
	"github.com/flaketap/flaketap/suite/write/build"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// Options say how tests are planned.
type Options struct {
	Build       build.Options
	API         *trial.API       // tries the tests, with its target known; nil for none
	Credentials flow.Credentials // of the user, in the place of recorded ones that lapsed
	Strengthen  bool             // assertions are added that tell more faults; needs API
	Console     *console.Console
}

// Draft is a plan with what was done to strengthen it.
type Draft struct {
	plan.Plan
	Strengthened *trial.Strengthened // nil where nobody asked for that
}

// Make plans the tests of a recording, of which lapses says what credentials ended in its runs. The error of an API
// that refuses what the tests send says how to give other credentials.
func Make(ctx context.Context, src suite.Source, lapses []flow.Lapse, o Options) (Draft, error) {
	exchanges := func(yield func(*exchange.Exchange) bool) {
		for _, s := range src.Steps {
			if !yield(s.Exchange) {
				return
			}
		}
	}
	now := time.Now()
	renewal := flow.Renewal{Credentials: o.Credentials, Lapsed: flow.LapsedValues(lapses)}
	o.Build.Given = renewal.Renewed(exchanges, now)
	out, err := o.plan(ctx, src)
	var refused *trial.RefusedError
	if errors.As(err, &refused) {
		for _, value := range refused.Values {
			renewal.Lapsed[value] = true
		}
		if given := renewal.Renewed(exchanges, now); len(given) > len(o.Build.Given) {
			o.Build.Given = given
			out, err = o.plan(ctx, src)
		}
	}
	if errors.As(err, &refused) {
		return out, console.Advise(err, "give others with --auth or --auth-file")
	}
	if len(renewal.Credentials) > 0 {
		for _, name := range renewal.Lacking(exchanges, nil, now).Unused {
			o.Console.Say("flaketap: --auth %s: no recorded request has a redacted, expired or refused credential there", name)
		}
	}
	return out, err
}

// plan plans the tests, and tries them where there is an API for that.
func (o Options) plan(ctx context.Context, src suite.Source) (out Draft, err error) {
	if o.API == nil {
		out.Plan, err = build.Plan(src, o.Build)
		return out, err
	}
	progress := o.Console.Progress("trying tests: playing")
	o.API.Progress = progress.Update
	r, err := trial.Plan(ctx, src, o.Build, *o.API)
	progress.Clear()
	if err != nil {
		return Draft{Plan: r.Plan}, fmt.Errorf("try tests: %w", err)
	}
	times := ""
	if o.API.Service != nil && r.Clock == nil {
		times = ", and at other times"
	}
	o.Console.Say("flaketap: tried %s against %s, in several orders and side by side%s",
		console.Count(len(r.Plan.Tests), "test"), r.Target, times)
	if r.Clock != nil {
		o.Console.Say("flaketap: not tried at other times, so what follows the date may be asserted: %v", r.Clock)
	}
	if o.Strengthen {
		done, err := r.Strengthen(ctx, src)
		if err != nil {
			return Draft{Plan: r.Plan}, fmt.Errorf("strengthen tests: %w", err)
		}
		out.Strengthened = &done
	}
	out.Plan = r.Plan
	return out, nil
}

// SayExpired tells which credentials that the tests send have expired by their own word.
func (d Draft) SayExpired(talk *console.Console, now time.Time) {
	for _, c := range d.Credentials {
		if end, ok := flow.Expiry(d.Secrets[c.Name]); ok && !end.After(now) {
			talk.Say("flaketap: warning: the credential that the suite sends in %s expired at %s: "+
				"give another in %s when you run it, or in secrets.json", c.Where(), end.UTC().Format(time.RFC3339), plan.Variable(c.Name))
		}
	}
}
