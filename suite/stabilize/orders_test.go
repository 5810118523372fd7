package stabilize

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/verify"
)

// turnedRunner runs two tests, in the order that it is told.
type turnedRunner struct {
	keeps  bool     // it is told in vain
	fails  string   // the order in which the second test fails: the value of FLAKETAP_ORDER
	breaks bool     // what it is told breaks it
	ran    []string // the orders of its runs, "" for the one as written
	stopAt int      // the run before which stop is called
	stop   func()
}

func (*turnedRunner) Addr() string { return "127.0.0.1:9" }

func (f *turnedRunner) Run(_ context.Context, x verify.Execution) (o verify.Outcome, err error) {
	told := ""
	if x.Env != nil {
		for _, kv := range x.Env(nil) {
			if value, ok := strings.CutPrefix(kv, "FLAKETAP_ORDER="); ok {
				told = value
			}
		}
	}
	if f.ran = append(f.ran, told); len(f.ran) == f.stopAt {
		f.stop()
	}
	if told != "" && f.breaks {
		return o, errors.New("it knows no order")
	}
	o.Results = []results.Result{{Name: "test_0", Outcome: results.Pass}, {Name: "test_1", Outcome: results.Pass}}
	if told != "" && told == f.fails {
		o.Results[1], o.Status = results.Result{Name: "test_1", Outcome: results.Fail, Message: "nothing is there"}, 1
	}
	if told != "" && !f.keeps {
		slices.Reverse(o.Results)
	}
	return o, x.Recorder.Record(answered("/a", 37))
}

// A suite that holds is run in other orders; where a test fails in one, the tests are given back what they depend on, by
// runs in that order and one in the suite's own. What cannot be helped is told, and the suite holds as it is written.
func TestOrders(t *testing.T) {
	for _, tt := range []struct {
		name   string
		runner turnedRunner
		ran    string
		orders []Order
	}{
		{"all hold", turnedRunner{}, "....01", []Order{{"backwards", 0}, {"in random order 1", 0}}},
		{"one fails", turnedRunner{fails: "0"}, "....000", []Order{{"backwards", 1}}},
		{"the second fails", turnedRunner{fails: "1"}, "....0111", []Order{{"backwards", 0}, {"in random order 1", 1}}},
		{"the runner keeps its own", turnedRunner{keeps: true}, "....01", []Order{}},
		{"the runner breaks", turnedRunner{breaks: true}, "....01", []Order{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := newOptions(t)
			o.Orders = 2
			var by []Evidence
			learnt := func(ctx context.Context, e Evidence, files []mend.File) (*mend.Round, error) {
				by = append(by, e)
				return patch(ctx, e, files)
			}
			r, err := Run(t.Context(), o, []Runner{&tt.runner}, learnt, nil)
			if err != nil {
				t.Fatal(err)
			}
			ran := ""
			for _, order := range tt.runner.ran {
				ran += string(append([]byte(order), '.')[0])
			}
			if ran != tt.ran || !slices.Equal(r.Orders, tt.orders) || !r.Holds || r.After.Failing != 0 {
				t.Errorf("it ran %s, want %s: %+v, want %+v", ran, tt.ran, r.Report, tt.orders)
			}
			if tt.runner.fails == "" {
				if len(by) > 0 || len(r.Unhelped) > 0 {
					t.Errorf("it was patched by %+v; not helped is %+v", by, r.Unhelped)
				}
				return
			}
			if len(by) != 1 || !strings.HasSuffix(by[0].DB, "orders.db") || !strings.HasSuffix(by[0].InOrder, "run-01.db") {
				t.Errorf("it was patched by %+v", by)
			}
			var text strings.Builder
			if err := r.Text(&text); err != nil || len(r.Unhelped) != 1 ||
				!strings.Contains(text.String(), "holds in its order alone: test_1 fails in 3 of 3 runs "+r.Unhelped[0].Order+": nothing is there") {
				t.Errorf("it says %s (%v)", &text, err)
			}
		})
	}
}

// Interrupted in any run, it comes to the same.
func TestOrdersAreResumed(t *testing.T) {
	o := newOptions(t)
	o.Orders = 2
	whole, err := Run(t.Context(), o, []Runner{&turnedRunner{fails: "1"}}, patch, nil)
	if err != nil {
		t.Fatal(err)
	}
	for at := 1; at <= 8; at++ {
		o := newOptions(t)
		o.Orders = 2
		ctx, cancel := context.WithCancel(t.Context())
		runner := &turnedRunner{fails: "1", stopAt: at, stop: cancel}
		if _, err := Run(ctx, o, []Runner{runner}, patch, nil); err == nil || !strings.Contains(err.Error(), "interrupted") {
			t.Fatalf("stopped at %d: %v", at, err)
		}
		r, err := Run(t.Context(), o, []Runner{runner}, patch, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := outcome(r), outcome(whole); got != want || len(runner.ran) != 9 {
			t.Errorf("stopped at %d: %d runs\n%s\nwant\n%s", at, len(runner.ran), got, want)
		}
	}
}

// volatileRunner runs one test, of whose two values one is another in some of its runs backwards, and in one of its own
// order that comes late; the other is another in each run backwards.
type volatileRunner struct {
	backwards, forwards int // runs
	late                int // the run forwards in which it moves
	depends             bool
	ran                 string
}

func (*volatileRunner) Addr() string { return "127.0.0.1:9" }

func (f *volatileRunner) Run(_ context.Context, x verify.Execution) (o verify.Outcome, err error) {
	data, err := os.ReadFile(filepath.Join(x.Suite.Arg, "a_test.py"))
	if err != nil {
		return o, err
	}
	first, second, turned := 37, 37, x.Env != nil
	if turned {
		f.backwards++
		f.ran += "0"
		if f.backwards%3 == 1 {
			first = 12
		}
		if f.depends {
			second = 40
		}
	} else {
		f.forwards++
		f.ran += "."
		if f.forwards == f.late {
			first = 99
		}
	}
	one := results.Result{Name: "test_0", Outcome: results.Pass}
	before, behind, _ := strings.Cut(string(data), "/b")
	if first != 37 && strings.Contains(before, `["next"] == 37.0`) || second != 37 && strings.Contains(behind, `["next"] == 37.0`) {
		one.Outcome, one.Message, o.Status = results.Fail, "next is not 37", 1
	}
	o.Results = []results.Result{one, {Name: "test_9", Outcome: results.Pass}}
	if turned {
		slices.Reverse(o.Results)
	}
	return o, errors.Join(x.Recorder.Record(answered("/a", first)), x.Recorder.Record(answered("/b", second)))
}

// A value that moves in some runs of another order moves: what asserts it is weakened, and the suite proven once more. It
// holds in its own order then, where the value moves later. A test that fails in each of those runs follows the order.
func TestFlakesInAnotherOrder(t *testing.T) {
	for _, tt := range []struct {
		name     string
		depends  bool
		ran      string
		weakened int
		unhelped int
	}{
		{"it moves", false, "....000....0", 1, 0},
		{"it follows the order too", true, "....000", 0, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := newOptions(t)
			o.Orders = 1
			runner := &volatileRunner{late: 6, depends: tt.depends}
			r, err := Run(t.Context(), o, []Runner{runner}, patch, nil)
			if err != nil {
				t.Fatal(err)
			}
			if runner.ran != tt.ran || !r.Holds || r.Assertions.Weakened != tt.weakened || len(r.Unhelped) != tt.unhelped {
				t.Errorf("it ran %s: %+v\n%s", runner.ran, r.Report, r.files[0].Data)
			}
		})
	}
}
