package replay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

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
		fresh.Reset = ""
	}
	if target := api.Target(); target != nil {
		fresh.Target = target
	}
	alive, end := context.WithCancelCause(ctx)
	defer end(nil)
	sum, err = fresh.Play(alive, source, &hearing{sink: sink, api: api, end: end})
	var died apiDied
	switch {
	case errors.As(context.Cause(alive), &died):
		return sum, died
	case err != nil && ctx.Err() == nil && api.Died() != nil:
		return sum, api.Died() // before anything was played: in the reset, or right after it
	case err == nil && api.Died() != nil && p.Log != nil:
		p.Log.Warn("the API ended after the last exchange", slog.String("how", api.Died().Error()))
	}
	return sum, err
}

// apiDied is why a run ended whose API ended.
type apiDied struct{ error }

// maxHeard is how many faults wait a moment for what the API has to say of them. What comes late for more than that is
// missed.
const maxHeard = 50

// hearing is a sink that adds to each fault what the API logged meanwhile, and ends the run when the API has ended.
type hearing struct {
	sink Sink
	api  *Instance
	end  context.CancelCauseFunc

	mark  int64 // how much the API had logged when it last answered
	heard int
}

func (h *hearing) Observe(o *exchange.Observation) error {
	if o.Fault == nil {
		h.mark = h.api.log.size()
		return h.sink.Observe(o)
	}
	if h.heard++; h.heard <= maxHeard {
		h.api.settle(h.mark)
	}
	fault := *o.Fault
	if said := h.api.words(h.mark); said != "" {
		fault.Text = fmt.Sprintf("%s; the API logged: %s", fault.Text, said)
	}
	h.mark = h.api.log.size()
	told := *o
	told.Fault = &fault
	err := h.sink.Observe(&told)
	if died := h.api.Died(); died != nil {
		h.end(apiDied{fmt.Errorf("exchange %d: %w", o.Seq, died)})
	}
	return err
}

// settle waits a moment for what the API has to say beyond the first n bytes of its log, or for its end. The end of the
// log tells that the end of the API may be near.
func (i *Instance) settle(n int64) {
	i.log.settle(n)
	select {
	case <-i.log.done:
	default:
		return
	}
	select {
	case <-i.ended:
	case <-time.After(settleTime):
	}
}
