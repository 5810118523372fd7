package stabilize

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/mutant"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/verify"
)

// tellingRunner is a fakeRunner where no faults are planted by; else the suite as it was has a test that tells any
// fault, its last form one that tells those of the status.
type tellingRunner struct {
	fakeRunner
	original string
	planted  int
	stopped  func()
}

func (r *tellingRunner) Run(ctx context.Context, x verify.Execution) (o verify.Outcome, err error) {
	if strings.HasPrefix(x.Name, "round-") {
		return r.fakeRunner.Run(ctx, x)
	}
	e, told := answered("/a", 1), false
	if x.Recorder != nil {
		err = x.Recorder.Record(e)
	}
	if x.Rewriter != nil {
		if r.stopped != nil {
			r.stopped()
		}
		r.planted++
		raw := x.Rewriter.Response(e)
		told = raw != nil && (x.Suite.Arg == r.original || !bytes.HasPrefix(raw, []byte("HTTP/1.1 200")))
	}
	o.Results = []results.Result{{Name: "test_1", Outcome: results.Pass}}
	if told {
		o.Results[0].Outcome = results.Fail
	}
	return o, err
}

// Where it is asked for and the suite holds, the faults are told that the suite as it was told, and those that it still
// tells; else the table says what to do.
func TestFaultsTold(t *testing.T) {
	o := newOptions(t)
	r, err := Run(t.Context(), o, []Runner{&tellingRunner{original: o.Suite}}, patch, nil)
	if err != nil {
		t.Fatal(err)
	}
	shows(t, r, "faults told                                 not measured: --mutate all")
	if r.Told != nil {
		t.Errorf("%+v", r.Told)
	}
	o.Faults = verify.Faults{Kinds: []mutant.Kind{mutant.Status, mutant.Drop}, Seed: 1}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Run(ctx, o, []Runner{&tellingRunner{original: o.Suite, stopped: cancel}}, patch, nil); err == nil ||
		!strings.Contains(err.Error(), "interrupted while faults were planted") {
		t.Errorf("%v", err)
	}
	runner := &tellingRunner{original: o.Suite}
	if r, err = Run(t.Context(), o, []Runner{runner}, patch, nil); err != nil {
		t.Fatal(err)
	}
	n := r.Told
	if n == nil || n.Before != n.Planted || n.Still != n.After || n.Still == 0 || n.Still >= n.Before || runner.ran > 0 ||
		runner.planted != 2*n.Planted+n.Before+n.After { // what is told is told twice
		t.Errorf("%+v after %d runs with faults and %d others", n, runner.planted, runner.ran)
	}
	shows(t, r, "faults told   ", " of these")
}

// A suite that does not hold has its faults not planted.
func TestFaultsNotPlanted(t *testing.T) {
	o := newOptions(t)
	o.Faults = verify.Faults{Kinds: mutant.Kinds()}
	r, err := Run(t.Context(), o, []Runner{&fakeRunner{broken: "test_1"}}, patch, nil)
	if err != nil {
		t.Fatal(err)
	}
	shows(t, r, "not measured: the suite does not hold")
}

func shows(t *testing.T, r *Result, wants ...string) {
	t.Helper()
	var out strings.Builder
	if err := r.Text(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range wants {
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("it does not say %q:\n%s", want, out.String())
		}
	}
}
