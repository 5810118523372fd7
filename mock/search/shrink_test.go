package search

import (
	"bytes"
	"context"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// noting notes the stubs of each trial in its record.
type noting struct {
	shop
	dies  int // the trial from which on the API answers otherwise each time; 0 for none
	waits int // trials that waited longer than others
}

func (r *noting) Try(ctx context.Context, t Trial) (Outcome, error) {
	if t.Wait > 0 {
		r.waits++
	}
	out, err := r.shop.Try(ctx, t)
	out.Record = []*exchange.Exchange{{Target: string(t.Stubs)}}
	if r.dies > 0 && r.trials >= r.dies {
		out.Status += r.trials
	}
	return out, err
}

// Each behavior comes with as many trials of its own stubs as prove it, also where the trials end, or the smaller stubs do
// not hold.
func TestProofs(t *testing.T) {
	for _, api := range []noting{{}, {dies: 300}} {
		for _, trials := range []int{10, 40, 300, 420, 800} {
			o := options()
			o.Trials = trials
			own := api
			found, err := Run(t.Context(), &own, o)
			if err != nil || len(found.Behaviors) == 0 {
				t.Fatal(len(found.Behaviors), err)
			}
			for _, b := range found.Behaviors {
				if len(b.Proofs) != proofs {
					t.Errorf("%d trials: %d prove %d %s", trials, len(b.Proofs), b.Status, b.Shape)
				}
				for _, p := range b.Proofs {
					if !bytes.Equal([]byte(p[0].Target), b.Stubs) {
						t.Errorf("%d trials: %d %s is proven with\n%s\nnot\n%s", trials, b.Status, b.Shape, p[0].Target, b.Stubs)
					}
				}
			}
			if own.trials-own.waits > trials || own.waits > 2 {
				t.Errorf("%d trials of %d, and %d that wait longer", own.trials-own.waits, trials, own.waits)
			}
		}
	}
}

// remembered says of each trial that may be that it ran before, as a search does that goes on.
type remembered struct{ noting }

func (r *remembered) Try(ctx context.Context, t Trial) (Outcome, error) {
	out, err := r.noting.Try(ctx, t)
	out.Past = !t.Anew
	return out, err
}

// What a search that goes on knows from before is proven anew, though its budget is used up, to which that does not
// count.
func TestProofsOfThePast(t *testing.T) {
	for _, trials := range []int{10, 300} {
		o := options()
		o.Trials = trials
		o.Progress = func(done, total int) {
			if done > total {
				t.Errorf("%d of %d trials are done", done, total)
			}
		}
		found, err := Run(t.Context(), &remembered{}, o)
		if err != nil || len(found.Behaviors) == 0 {
			t.Fatal(len(found.Behaviors), err)
		}
		for _, b := range found.Behaviors {
			if len(b.Proofs) != proofs {
				t.Errorf("%d trials: %d prove %d %s", trials, len(b.Proofs), b.Status, b.Shape)
			}
		}
	}
}
