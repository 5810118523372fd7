package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/service"
)

// reported is what a verification of two suites says, by so many runners of a kind.
func reported(t *testing.T, talk *bytes.Buffer, runners ...Runner) string {
	t.Helper()
	o := options("strict", "lax")
	o.Runs = 3
	v, err := Run(t.Context(), o, runners, &console.Console{Err: talk})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := errors.Join(v.Text(&out), v.JSON(&out)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// losing is a runner that loses the API in some executions once, after the suite has asked something.
type losing struct {
	asserting
	lost map[string]bool // by name: whether it has been lost
}

func (l *losing) Run(ctx context.Context, x Execution) (Outcome, error) {
	o, err := l.asserting.Run(ctx, x)
	if lost, there := l.lost[x.Name]; there && !lost {
		l.lost[x.Name] = true
		return o, fmt.Errorf("%w: its worker was killed", service.ErrLost)
	}
	return o, err
}

// TestLostRunsAreDoneAgain: they count once, and nothing of them is known afterwards.
func TestLostRunsAreDoneAgain(t *testing.T) {
	var talk bytes.Buffer
	want := reported(t, &talk, &asserting{})
	l := &losing{lost: map[string]bool{"1-run-01": false, "2-run-03": false, "1-mutant-001": false, "2-mutant-002": false}}
	if got := reported(t, &talk, l); got != want {
		t.Errorf("with losses it says\n%s\nwithout\n%s", got, want)
	}
	for name, lost := range l.lost {
		if !lost {
			t.Errorf("%s did not run", name)
		}
	}
	always := &losing{}
	tries := 0
	always.stop = func(string) {
		tries++
		always.lost = map[string]bool{"1-run-01": false}
	}
	if _, err := Run(t.Context(), options("strict"), []Runner{always}, nil); !errors.Is(err, service.ErrLost) || tries != 5 {
		t.Errorf("what is always lost: %d tries, %v", tries, err)
	}
}

// together is a runner whose first execution waits for those of all others.
type together struct {
	asserting
	all  *sync.WaitGroup
	once sync.Once
}

func (r *together) Run(ctx context.Context, x Execution) (Outcome, error) {
	r.once.Do(func() {
		r.all.Done()
		r.all.Wait()
	})
	return r.asserting.Run(ctx, x)
}

// TestSideBySide: runners run at once, and the report is that of one.
func TestSideBySide(t *testing.T) {
	var alone, talk bytes.Buffer
	want := reported(t, &alone, &asserting{})
	var all sync.WaitGroup
	var runners []Runner
	for range 3 {
		all.Add(1)
		runners = append(runners, &together{all: &all})
	}
	if got := reported(t, &talk, runners...); got != want {
		t.Errorf("side by side it says\n%s\nalone\n%s", got, want)
	}
}

// TestBeside takes what comes of jobs in their order, begins none behind one that failed, and says the first failure.
func TestBeside(t *testing.T) {
	for _, n := range []int{1, 2, 5} {
		runners := make([]Runner, n)
		var taken []int
		err := beside(runners, 9, func(_ Runner, i int) (int, error) { return i * i, nil }, func(i, square int) error {
			if taken = append(taken, i); square != i*i {
				t.Errorf("of %d came %d", i, square)
			}
			return nil
		})
		if err != nil || fmt.Sprint(taken) != "[0 1 2 3 4 5 6 7 8]" {
			t.Errorf("%d at once: %v, %v", n, taken, err)
		}
		taken = nil
		var begun atomic.Int64
		err = beside(runners, 100, func(_ Runner, i int) (int, error) {
			begun.Add(1)
			if i >= 3 {
				return 0, fmt.Errorf("job %d failed", i)
			}
			return 0, nil
		}, func(i, _ int) error {
			taken = append(taken, i)
			return nil
		})
		if err == nil || err.Error() != "job 3 failed" || fmt.Sprint(taken) != "[0 1 2]" || begun.Load() > int64(4+n) {
			t.Errorf("%d at once, one failed: %v, %v, %d begun", n, taken, err, begun.Load())
		}
	}
}

// failing is a runner that cannot start some variant.
type failing struct{ asserting }

func (f *failing) Run(ctx context.Context, x Execution) (Outcome, error) {
	if x.API != nil {
		return Outcome{}, errors.New("it does not start")
	}
	return f.asserting.Run(ctx, x)
}

// TestNothingIsLeft: behind the last execution no time is left, though variants did not start.
func TestNothingIsLeft(t *testing.T) {
	var talk bytes.Buffer
	o := options("strict", "lax")
	o.Variants = []Variant{{Name: "a", API: &service.Service{}}, {Name: "b", API: &service.Service{}}}
	if _, err := Run(t.Context(), o, []Runner{&failing{}}, &console.Console{Err: &talk}); err != nil {
		t.Fatal(err)
	}
	_, last, there := strings.Cut(talk.String(), "variant 2 of 2")
	if !there || strings.Contains(last, "left") {
		t.Errorf("it says\n%s", talk.String())
	}
}
