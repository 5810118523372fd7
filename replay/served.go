package replay

import (
	"context"
	"errors"
	"fmt"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay/service"
)

// playServed executes one run against an API that is started for it, and stopped after it. The API's end ends the run.
func (p *Player) playServed(ctx context.Context, source Source, sink Sink) (sum Summary, err error) {
	api, err := p.Service.Start(ctx)
	if err != nil {
		return Summary{}, err
	}
	defer func() { err = errors.Join(err, api.Stop()) }()
	return p.PlayOn(ctx, api, source, sink)
}

// PlayOn is [Player.Play] for an API that Service has started, and that goes on after the run. Its end ends the run.
func (p *Player) PlayOn(ctx context.Context, api *service.Instance, source Source, sink Sink) (sum Summary, err error) {
	fresh := *p
	fresh.Service, fresh.Reset = nil, api.Reset(p.Reset)
	if p.Service.Environment.Restart() {
		fresh.Reset, fresh.ResetEach = "", false
	}
	if target := api.Target(); target != nil {
		fresh.Target = target
	}
	alive, end := context.WithCancelCause(ctx)
	defer end(nil)
	sum, err = fresh.Play(alive, source, &logAnnotator{sink, api, end})
	var died apiDied
	switch {
	case errors.As(context.Cause(alive), &died):
		return sum, died
	case err == nil && p.Log != nil:
		if died := api.Died("after the last exchange"); died != nil {
			p.Log.Warn(died.Error())
		}
	case err != nil && ctx.Err() == nil:
		api.Settle()
		err = errors.Join(err, api.Died("meanwhile")) // the reset may have failed because of that
	}
	return sum, err
}

// resettingEach returns a player that resets before each sequence, and not once more before the first.
func (p *Player) resettingEach() *Player {
	each, begin, first := *p, p.begin, true
	each.ResetEach = false
	each.begin = func(ctx context.Context, sequence int) error {
		if !first {
			if err := p.Reset.Within(ctx, p.ResetTimeout); err != nil {
				return err
			}
		}
		if first = false; begin == nil {
			return nil
		}
		return begin(ctx, sequence)
	}
	return &each
}

// apiDied is why a run ended whose API ended.
type apiDied struct{ error }

func (d apiDied) Unwrap() error { return d.error }

// logAnnotator is a sink that adds to each fault what the API logged meanwhile, and ends the run when the API has
// ended.
type logAnnotator struct {
	sink Sink
	api  *service.Instance
	end  context.CancelCauseFunc
}

func (a *logAnnotator) Observe(o *exchange.Observation) error {
	told := *o
	told.Fault = a.api.Annotate(o.Fault)
	err := a.sink.Observe(&told)
	if told.Fault != nil {
		if died := a.api.Died(fmt.Sprintf("during exchange %d", o.Seq)); died != nil {
			a.end(apiDied{died})
		}
	}
	return err
}
