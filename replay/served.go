package replay

import (
	"context"
	"errors"
	"fmt"

	"github.com/flaketap/flaketap/exchange"
)

// playServed executes one run against an API that is started for it, and stopped after it. The API's end ends the run.
func (p *Player) playServed(ctx context.Context, source Source, sink Sink) (sum Summary, err error) {
	api, err := p.Service.Start(ctx)
	if err != nil {
		return Summary{}, err
	}
	defer func() { err = errors.Join(err, api.Stop()) }()
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
	sum, err = fresh.Play(alive, source, &hearing{sink, api, end})
	var died apiDied
	switch {
	case errors.As(context.Cause(alive), &died):
		return sum, died
	case err == nil && p.Log != nil:
		if died := api.Died("after the last exchange"); died != nil {
			p.Log.Warn(died.Error())
		}
	case err != nil && ctx.Err() == nil:
		api.settle(api.log.size())
		err = errors.Join(err, api.Died("meanwhile")) // the reset may have failed because of that
	}
	return sum, err
}

// apiDied is why a run ended whose API ended.
type apiDied struct{ error }

// hearing is a sink that adds to each fault what the API logged meanwhile, and ends the run when the API has ended.
type hearing struct {
	sink Sink
	api  *Instance
	end  context.CancelCauseFunc
}

func (h *hearing) Observe(o *exchange.Observation) error {
	told := *o
	told.Fault = h.api.Hear(o.Fault)
	err := h.sink.Observe(&told)
	if told.Fault != nil {
		if died := h.api.Died(fmt.Sprintf("during exchange %d", o.Seq)); died != nil {
			h.end(apiDied{died})
		}
	}
	return err
}
