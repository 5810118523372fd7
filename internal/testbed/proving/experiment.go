package proving

import (
	"slices"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/service"
	"github.com/flaketap/flaketap/internal/testbed/truth"
)

// Begin begins a proof of labels by what was recorded.
func Begin(t testing.TB, labels *truth.Truth, recorded []truth.Seen) *truth.Proof {
	t.Helper()
	p, err := truth.NewProof(labels, recorded)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Hold holds one run against the recording.
func Hold(t testing.TB, p *truth.Proof, steps []truth.Seen) {
	t.Helper()
	for _, fault := range p.Run(steps) {
		t.Error(fault)
	}
}

// Experiment changes one thing between a recording and its runs.
type Experiment struct {
	Name       string
	Clock      func(run uint64) *Clock // run 0 is the recording
	Seed       func(run uint64) uint64
	Pace       float64 // of the runs; the recording's is 1
	Port       int     // of the runs; the recording's is 80
	Machine    service.Environment
	Categories []string         // what must move, all of it, and nothing else may
	Besides    []exchange.Place // what may move by a part of it
}

// Experiments are those that prove the categories: nothing changes, the clock, the randomness, the machine. The clock
// begins at a time; byClock and byMachine are what may move by a part of it then.
func Experiments(at time.Time, byClock, byMachine []exchange.Place) []Experiment {
	same := func(uint64) uint64 { return 7 }
	other := func(run uint64) uint64 { return 7 + run }
	frozen := func(uint64) *Clock { c := NewClock(at, 9); c.Frozen = true; return c }
	moving := func(run uint64) *Clock { return NewClock(at.Add(time.Duration(run)*time.Minute), run) }
	here, elsewhere := Here(), service.Environment{Hostname: "elsewhere", PID: 4, TempDir: "/var/tmp/x", User: "root"}
	return []Experiment{
		{"nothing", frozen, same, 1, 80, here, nil, nil},
		{"the clock", moving, same, 0, 80, here, []string{"Time"}, byClock},
		{"randomness", frozen, other, 1, 80, here, []string{"Rand", "Crypt", "Unord", "RunMsg"}, nil},
		{"the machine", frozen, same, 1, 8080, elsewhere, []string{"Env"}, byMachine},
	}
}

// Here is the machine of the recordings.
func Here() service.Environment {
	return service.Environment{Hostname: "here", PID: 3, TempDir: "/tmp", User: "nobody"}
}

// Check runs the experiment. play makes an API anew, drives it, and says what came of it. exempt names the labels that
// move or do not as the experiment cannot tell; needs reports whether a label needs more than the experiment changes.
func (x *Experiment) Check(t *testing.T, labels *truth.Truth,
	play func(clock *Clock, seed uint64, port int, machine service.Environment, pace float64) []truth.Seen,
	exempt, needs func(truth.Label) bool) {
	p := Begin(t, labels, play(x.Clock(0), x.Seed(0), 80, Here(), 1))
	for run := range uint64(12) {
		Hold(t, p, play(x.Clock(run+1), x.Seed(run+1), x.Port, x.Machine, x.Pace))
	}
	may := func(l truth.Label) bool { return slices.Contains(x.Categories, l.Label) && !needs(l) }
	for _, f := range p.Findings() {
		l, moved := f.Label, f.Moved
		switch {
		case l.Label == truth.Either, l.Protocol, slices.Contains(x.Besides, l.Place), exempt(l):
		case moved != nil && !may(l) && !p.Holds(f, may):
			t.Errorf("%v: labelled %s, and moved: %s", f, l.Label, moved)
		case moved == nil && may(l):
			t.Errorf("%v: labelled %s, and did not move", f, l.Label)
		}
	}
}
