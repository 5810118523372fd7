package trials

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/mock/search"
)

// runs counts what is run, and answers each trial with its own stubs; the log is which of its runs it was, and watched.
type runs struct {
	mu    sync.Mutex
	times map[string]int
	now   int
	most  int           // at once
	begun chan struct{} // nil, or what hears of each
	held  chan struct{} // nil, or what trials wait for
}

var errPoison = errors.New("it cannot be run")

func (r *runs) run(ctx context.Context, t search.Trial) (search.Outcome, error) {
	r.mu.Lock()
	if r.times == nil {
		r.times = map[string]int{}
	}
	r.times[string(t.Stubs)]++
	said := fmt.Sprint(t.Watched, r.times[string(t.Stubs)])
	r.now++
	r.most = max(r.most, r.now)
	r.mu.Unlock()
	if r.held != nil && string(t.Stubs) != "quick" {
		r.begun <- struct{}{}
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
	return search.Outcome{Body: t.Stubs, Status: 200, Log: said}, nil
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
	want, seen := map[string]int{}, map[string]bool{}
	all := []string{"first", "again", "again"}
	for i := range 200 {
		all = append(all, fmt.Sprint(i))
	}
	for _, one := range trialsOf(append(all, "again")...) {
		want[string(one.Stubs)]++
		out, err := a.Try(t.Context(), one)
		if err != nil || string(out.Body) != string(one.Stubs) || seen[string(out.Body)+out.Log] {
			t.Fatalf("%s: %q, %q, %v", one.Stubs, out.Body, out.Log, err)
		}
		seen[string(out.Body)+out.Log] = true
	}
	if vain := a.Close(); vain != 0 || !cmp.Equal(r.times, want) || r.most > 3 {
		t.Errorf("%d in vain, %d at once, %s", vain, r.most, cmp.Diff(want, r.times))
	}
}

// held are runs that hold their trials.
func held() *runs { return &runs{begun: make(chan struct{}, 100), held: make(chan struct{})} }

// TestAheadRunsAtOnce: while a trial runs those that are likely to come do, and no more at once than may.
func TestAheadRunsAtOnce(t *testing.T) {
	r := held()
	a := NewAhead(r.run, 3)
	over := make(chan error)
	go func() {
		_, err := a.Try(t.Context(), trialsOf("a", "b", "c", "d", "e", "f")[0])
		over <- err
	}()
	for range 3 {
		<-r.begun
	}
	close(r.held)
	if err := <-over; err != nil {
		t.Error(err)
	}
	if vain := a.Close(); vain < 2 || r.most != 3 {
		t.Errorf("%d ran that nobody asked for, %d at once", vain, r.most)
	}
}

// TestAheadLeavesTheOldWay: what was likely is not begun any more once the search goes another way.
func TestAheadLeavesTheOldWay(t *testing.T) {
	r := held()
	a := NewAhead(r.run, 2)
	for _, one := range []search.Trial{trialsOf("quick", "slow", "slow", "old")[0], {Stubs: []byte("quick")}} {
		if _, err := a.Try(t.Context(), one); err != nil {
			t.Error(err)
		}
	}
	close(r.held)
	for a.flying > 0 { // until it is seen that what is slow has ended
		if _, err := a.Try(t.Context(), search.Trial{Stubs: []byte("quick")}); err != nil {
			t.Error(err)
		}
	}
	if a.Close(); r.times["old"] > 0 {
		t.Error("what was likely once is begun")
	}
}

// TestAheadIsWatched: a trial of which the reads are told is another one than that of which they are not.
func TestAheadIsWatched(t *testing.T) {
	var r runs
	a := NewAhead(r.run, 2)
	defer a.Close()
	for _, one := range []search.Trial{trialsOf("a", "b")[0], {Stubs: []byte("b"), Watched: true}} {
		if out, err := a.Try(t.Context(), one); err != nil || !strings.HasPrefix(out.Log, fmt.Sprint(one.Watched)) {
			t.Errorf("%s: watched %s, %v", one.Stubs, out.Log, err)
		}
	}
}

// TestAheadKeepsFew: of what never comes only so much is kept, and all of it was in vain.
func TestAheadKeepsFew(t *testing.T) {
	var r runs
	const each = 20
	a := NewAhead(r.run, each)
	comes := 0
	for ; a.inVain == 0; comes++ {
		ways := []string{"comes"}
		for i := range each {
			ways = append(ways, fmt.Sprint("never ", comes, i))
		}
		if _, err := a.Try(t.Context(), trialsOf(ways...)[0]); err != nil {
			t.Fatal(err)
		}
		if a.waiting > mostKept+each {
			t.Fatalf("%d are kept", a.waiting)
		}
	}
	vain, never := a.Close(), -comes
	for _, n := range r.times {
		never += n
	}
	if vain != never {
		t.Errorf("%d in vain of %d", vain, never)
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
	r := held()
	a := NewAhead(r.run, 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Try(ctx, trialsOf("a", "b")[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
	a.Close()
}
