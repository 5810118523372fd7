package stabilize

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/suite/verify"
)

// pacedRunner is a fakeRunner whose requests to /a may change something. It notes how long their answers took, by the
// run's name.
type pacedRunner struct {
	fakeRunner
	took map[string]time.Duration
}

func (p *pacedRunner) Run(ctx context.Context, x verify.Execution) (verify.Outcome, error) {
	x.Recorder = &paced{Recorder: x.Recorder, runner: p, run: x.Name}
	return p.fakeRunner.Run(ctx, x)
}

// paced is the recorder of one of its runs.
type paced struct {
	proxy.Recorder
	runner *pacedRunner
	run    string
}

func (p *paced) Record(e *exchange.Exchange) error {
	if e.Request.Target != "/a" {
		return p.Recorder.Record(e)
	}
	begun := time.Now()
	err := p.Recorder.Record(asked(e, "POST"))
	p.runner.took[p.run] = time.Since(begun)
	return err
}

// asked is an exchange whose request has another method.
func asked(e *exchange.Exchange, method string) *exchange.Exchange {
	e.Request = exchange.ParseRequest(exchange.Message{Head: []byte(method + " " + e.Request.Target + " HTTP/1.1\r\nHost: x\r\n\r\n"), Plain: true})
	return e
}

// In the last muted run who changes something is answered later: what moves on by itself shows there.
func TestLastMutedRunIsSlower(t *testing.T) {
	o := newOptions(t)
	o.Started = true
	runner := &pacedRunner{took: map[string]time.Duration{}}
	r, err := Run(t.Context(), o, []Runner{runner}, patch, nil)
	if err != nil || r.Muted != o.Learn {
		t.Fatalf("%+v, %v", r, err)
	}
	last := fmt.Sprintf("round-1-muted-%02d", o.Learn)
	if took := runner.took[last]; took < longestPause {
		t.Errorf("in %s a change was answered in %v, before %v have passed", last, took, longestPause)
	}
}

// No other run is slower, and that of a large suite is less so.
func TestPause(t *testing.T) {
	for _, c := range []struct {
		number, learn, requests int
		want                    time.Duration
	}{
		{8, 8, 20, longestPause},
		{7, 8, 20, 0},
		{1, 1, 20, 0},
		{8, 8, 150, 100 * time.Millisecond},
		{8, 8, 0, longestPause},
	} {
		m := &muting{session: &session{o: Options{Learn: c.learn}}, round: &round{runs: []execution{{Requests: c.requests}}}}
		if got := m.pause(c.number); got != c.want {
			t.Errorf("run %d of %d, with %d requests: %v, want %v", c.number, c.learn, c.requests, got, c.want)
		}
	}
}

// What changes nothing is not held back.
func TestChangesAreHeld(t *testing.T) {
	db, err := store.Create(filepath.Join(t.TempDir(), "x.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	held := 0
	r := &recorder{db: db, addr: (*fakeRunner)(nil).Addr, hold: func() { held++ }}
	for method, want := range map[string]int{"GET": 0, "HEAD": 0, "POST": 1, "DELETE": 1} {
		held = 0
		if err := r.Record(asked(answered("/a", 1), method)); err != nil || held != want {
			t.Errorf("%s: held back %d times, want %d; %v", method, held, want, err)
		}
	}
}
