package trials

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/mock/search"
)

// runs counts what is run, and answers each trial with its own stubs.
type runs struct {
	mu    sync.Mutex
	times map[string]int
	now   int
	most  int           // at once
	held  chan struct{} // nil, or what trials wait for
}

var errPoison = errors.New("it cannot be run")

func (r *runs) run(ctx context.Context, t search.Trial) (search.Outcome, error) {
	r.mu.Lock()
	if r.times == nil {
		r.times = map[string]int{}
	}
	r.times[string(t.Stubs)]++
	r.now++
	r.most = max(r.most, r.now)
	r.mu.Unlock()
	if r.held != nil {
		select {
		case <-r.held:
		case <-ctx.Done():
		}
	}
	r.mu.Lock()
	r.now--
	r.mu.Unlock()
	if string(t.Stubs) == "poison" {
		return search.Outcome{}, errPoison
	}
	return search.Outcome{Body: t.Stubs, Status: 200}, nil
}

// trialsOf are trials with these stubs, each of which foresees those behind it.
func trialsOf(all ...string) []search.Trial {
	out := make([]search.Trial, len(all))
	for i, stubs := range all {
		out[i] = search.Trial{Stubs: []byte(stubs), Likely: func(most int) []search.Trial {
			return out[i+1 : min(len(out), i+1+most)]
		}}
	}
	return out
}

// TestAhead: each trial is answered by its own outcome, in the order of whoever asks; one that comes twice is run twice, and
// no more run at once than may.
func TestAhead(t *testing.T) {
	var r runs
	a := NewAhead(r.run, 3)
	want := map[string]int{}
	all := []string{"again", "again"}
	for i := range 200 {
		all = append(all, fmt.Sprint(i))
	}
	for _, one := range trialsOf(append(all, "again")...) {
		want[string(one.Stubs)]++
		out, err := a.Try(t.Context(), one)
		if err != nil || string(out.Body) != string(one.Stubs) {
			t.Fatalf("%s: %q, %v", one.Stubs, out.Body, err)
		}
	}
	if vain := a.Close(); vain != 0 || !cmp.Equal(r.times, want) || r.most > 3 {
		t.Errorf("%d in vain, %d at once, %s", vain, r.most, cmp.Diff(want, r.times))
	}
}

// TestAheadRunsAtOnce: while a trial runs those that are likely to come do.
func TestAheadRunsAtOnce(t *testing.T) {
	r := runs{held: make(chan struct{})}
	a := NewAhead(r.run, 3)
	over := make(chan error)
	go func() {
		_, err := a.Try(t.Context(), trialsOf("a", "b", "c", "d")[0])
		over <- err
	}()
	for range 3 { // each lets one trial go, which takes as many at once as the next needs
		r.held <- struct{}{}
	}
	if err := <-over; err != nil {
		t.Error(err)
	}
	if vain := a.Close(); vain < 2 || r.most < 2 {
		t.Errorf("%d ran that nobody asked for, %d at once", vain, r.most)
	}
}

// TestAheadOfAnotherWay: what does not come is left; what was foreseen and fails hurts nobody until it is asked for.
func TestAheadOfAnotherWay(t *testing.T) {
	var r runs
	a := NewAhead(r.run, 2)
	defer a.Close()
	first := trialsOf("a", "poison", "x")[0]
	for _, one := range append([]search.Trial{first}, trialsOf("b", "c")...) {
		if out, err := a.Try(t.Context(), one); err != nil || string(out.Body) != string(one.Stubs) {
			t.Errorf("%s: %q, %v", one.Stubs, out.Body, err)
		}
	}
	if _, err := a.Try(t.Context(), trialsOf("poison")[0]); !errors.Is(err, errPoison) {
		t.Errorf("what cannot be run: %v", err)
	}
}

// TestAheadIsInterrupted: who is interrupted waits for no trial.
func TestAheadIsInterrupted(t *testing.T) {
	r := runs{held: make(chan struct{})}
	a := NewAhead(r.run, 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Try(ctx, trialsOf("a", "b")[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
	a.Close()
}
