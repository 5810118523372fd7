package stabilize

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/verify"
)

// moments counts what happens in a stabilization: runs that begin and end, requests, lines that are told, steps of
// patching. At the one that is awaited it stops.
type moments struct {
	passed atomic.Int64
	at     int64 // 0: none
	stop   func()
}

func (m *moments) pass() {
	if m.passed.Add(1) == m.at {
		m.stop()
	}
}

// Write is for the lines that are told.
func (m *moments) Write(p []byte) (int, error) {
	m.pass()
	return len(p), nil
}

// patch patches as patch does.
func (m *moments) patch(ctx context.Context, by Evidence, files []mend.File) (*mend.Round, error) {
	m.pass()
	r, err := patch(ctx, by, files)
	m.pass()
	return r, err
}

// watched is a runner whose moments are counted.
type watched struct {
	Runner
	*moments
}

func (w watched) Run(ctx context.Context, x verify.Execution) (verify.Outcome, error) {
	w.pass()
	x.Recorder = watchedRecorder{x.Recorder, w.moments}
	o, err := w.Runner.Run(ctx, x)
	w.pass()
	return o, err
}

type watchedRecorder struct {
	proxy.Recorder
	*moments
}

func (w watchedRecorder) Record(e *exchange.Exchange) error {
	w.pass()
	return w.Recorder.Record(e)
}

// resumable are stabilizations that are interrupted.
var resumable = []struct {
	name    string
	runner  func() Runner
	options func(*Options)
}{
	{"rounds", func() Runner { return &fakeRunner{} }, func(*Options) {}},
	{"muted", func() Runner { return &fakeRunner{} }, func(o *Options) { o.Started = true }},
	{"not helped", func() Runner { return &fakeRunner{broken: "test_1"} }, func(o *Options) { o.Started = true }},
	{"orders", func() Runner { return &turnedRunner{fails: "1"} }, func(o *Options) { o.Orders = 2 }},
}

// stabilizeWatched does one of them, with as many runners.
func stabilizeWatched(ctx context.Context, o Options, which, workers int, m *moments) (*Result, error) {
	resumable[which].options(&o)
	var runners []Runner
	for range workers {
		runners = append(runners, watched{resumable[which].runner(), m})
	}
	return Run(ctx, o, runners, m.patch, &console.Console{Err: m})
}

// end is all that a stabilization ends with, but for times and the place of its files.
func end(t *testing.T, o Options, r *Result) string {
	t.Helper()
	var table strings.Builder
	if err := r.Text(&table); err != nil {
		t.Fatal(err)
	}
	out := outcome(r)
	for line := range strings.Lines(table.String()) {
		if !strings.HasPrefix(line, "time: ") {
			out += line
		}
	}
	return strings.ReplaceAll(out, filepath.Dir(o.Suite), "")
}

// dying is the variable by which a process of this test is told which stabilization to die in, and when.
const dying = "FLAKETAP_TEST_DYING"

// Interrupted at ten moments at random, or killed there, and begun again by the same command, a stabilization ends with
// the suite and the table with which it ends undisturbed. So it does with several runners.
func TestInterruptedAtAnyMoment(t *testing.T) {
	if told := os.Getenv(dying); told != "" {
		die(t, told)
	}
	for which, one := range resumable {
		for workers := 1; workers <= 2; workers++ {
			t.Run(fmt.Sprintf("%s, workers %d", one.name, workers), func(t *testing.T) {
				t.Parallel()
				o, m := newOptions(t), &moments{}
				whole, err := stabilizeWatched(t.Context(), o, which, workers, m)
				if err != nil {
					t.Fatal(err)
				}
				want, all := end(t, o, whole), int(m.passed.Load())
				random, stopped := rand.New(rand.NewPCG(17, uint64(which))), 0
				for i := range 10 {
					o, at := newOptions(t), 1+random.IntN(all)
					how := interruptAt
					if i%2 == 1 {
						how = killAt
					}
					if how(t, o, which, workers, at) {
						stopped++
					}
					r, err := stabilizeWatched(t.Context(), o, which, workers, &moments{})
					if err != nil {
						t.Fatalf("stopped at moment %d of %d: %v", at, all, err)
					}
					if got := end(t, o, r); got != want {
						t.Errorf("stopped at moment %d of %d it ends with\n%s\nwant\n%s", at, all, got, want)
					}
				}
				if stopped < 7 {
					t.Errorf("it was stopped %d times of 10", stopped)
				}
			})
		}
	}
}

// interruptAt does a stabilization that is interrupted at a moment, unless that was its last.
func interruptAt(t *testing.T, o Options, which, workers, at int) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := stabilizeWatched(ctx, o, which, workers, &moments{at: int64(at), stop: cancel})
	if err != nil && !strings.Contains(err.Error(), "the same command ") {
		t.Fatalf("interrupted at moment %d: %v", at, err)
	}
	return err != nil
}

// killAt has a process do so, which is killed at the moment.
func killAt(t *testing.T, o Options, which, workers, at int) bool {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestInterruptedAtAnyMoment$")
	child.Env = append(os.Environ(), dying+"="+strings.Join([]string{strconv.Itoa(which), strconv.Itoa(workers),
		strconv.Itoa(at), filepath.Dir(o.Suite)}, " "))
	out, err := child.CombinedOutput()
	if died := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &died) || died.Exited()) {
		t.Fatalf("killed at moment %d: %v\n%s", at, err, out)
	}
	return err != nil
}

// die does a stabilization, up to the moment.
func die(t *testing.T, told string) {
	t.Helper()
	var which, workers, at int
	var dir string
	if _, err := fmt.Sscanf(told, "%d %d %d %s", &which, &workers, &at, &dir); err != nil {
		t.Fatal(err)
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	kill := func() {
		if err := self.Kill(); err != nil {
			panic(err)
		}
		select {}
	}
	if _, err := stabilizeWatched(t.Context(), optionsIn(t, dir), which, workers, &moments{at: int64(at), stop: kill}); err != nil {
		t.Fatal(err)
	}
	os.Exit(0)
}

// One process at a time works on a database: a second one says so, and harms nothing.
func TestOneAtATime(t *testing.T) {
	o, runner := newOptions(t), &fakeRunner{}
	inside := func(ctx context.Context, by Evidence, files []mend.File) (*mend.Round, error) {
		for _, fresh := range []bool{false, true} {
			second := o
			second.Fresh = fresh
			if _, err := Run(ctx, second, []Runner{&fakeRunner{}}, patch, nil); !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), Folder(o.DB)) {
				t.Errorf("the second one ends with %v", err)
			}
		}
		return patch(ctx, by, files)
	}
	if r, err := Run(t.Context(), o, []Runner{runner}, inside, nil); err != nil || !r.Holds || runner.ran != 10 {
		t.Errorf("the first one: %+v, %v, after %d runs", r, err, runner.ran)
	}
	if _, err := Run(t.Context(), o, []Runner{runner}, patch, nil); err != nil || runner.ran != 10 {
		t.Errorf("it is free again: %v, after %d runs", err, runner.ran)
	}
}
