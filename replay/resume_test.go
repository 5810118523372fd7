package replay

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
)

// TestGoesOn cuts a run off after each of its steps in turn, and has another player go on with it: nothing is sent twice,
// and the values of the first part are carried over to the second.
func TestGoesOn(t *testing.T) {
	p := shopping(t, serve(t, newShop()))
	for cut := 1; cut < len(p.list); cut++ {
		api := serve(t, newShop())
		for _, e := range p.list {
			e.Addr = api
		}
		var first sink
		ctx, cancel := context.WithCancel(context.Background())
		stop := hooked(func(o *exchange.Observation) {
			if first.list = append(first.list, o); len(first.list) == cut {
				cancel()
			}
		})
		if _, err := (&Player{Bindings: flow.Bindings(p.list)}).Play(ctx, p, stop); !errors.Is(err, context.Canceled) {
			t.Fatalf("cut off after %d: %v", cut, err)
		}
		cancel()
		sum, second := play(t, &Player{Earlier: steps(p, first.list)}, p)
		if sum.Reproduced != len(p.list) || len(second) != len(p.list)-cut {
			t.Fatalf("cut off after %d: %s; %d observed then", cut, sum, len(second))
		}
	}
	broken := errors.New("broken")
	earlier := func(yield func(exchange.Step, error) bool) { yield(exchange.Step{}, broken) }
	if _, err := (&Player{Earlier: earlier}).Play(context.Background(), p, discard{}); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// steps returns what a run observed, as a store gives it.
func steps(p *tape, observed []*exchange.Observation) iter.Seq2[exchange.Step, error] {
	return func(yield func(exchange.Step, error) bool) {
		for _, o := range observed {
			if !yield(exchange.Step{Exchange: p.list[o.Seq-1], Observations: []*exchange.Observation{o}}, nil) {
				return
			}
		}
	}
}
