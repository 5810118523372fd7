package runs

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/store"
)

func asked(line string, status int) *exchange.Exchange {
	e := &exchange.Exchange{Conn: 1, Target: exchange.DefaultTarget, Scheme: "http", Addr: "127.0.0.1:8080", Start: time.Unix(1, 0),
		Request: exchange.ParseRequest(exchange.Message{Head: []byte(line + " HTTP/1.1\r\nHost: a\r\n\r\n")})}
	if status == 0 {
		e.Fault = &exchange.Fault{Kind: exchange.FaultDial, Text: "connection refused"}
		return e
	}
	e.Response = exchange.ParseResponse(exchange.Message{Head: fmt.Appendf(nil, "HTTP/1.1 %d X\r\nContent-Length: 0\r\n\r\n", status)})
	return e
}

func listed(exchanges ...*exchange.Exchange) Source {
	return func(yield func(*exchange.Exchange, error) bool) {
		for _, e := range exchanges {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// recorded makes a recording in a store that is closed when the test ends.
func recorded(t *testing.T, exchanges ...*exchange.Exchange) *store.Store {
	t.Helper()
	db, err := store.Create(filepath.Join(t.TempDir(), "flaketap.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.BeginPass(exchange.Pass{Started: time.Unix(1, 0), Source: "record"}); err != nil {
		t.Fatal(err)
	}
	for _, e := range exchanges {
		if err := db.Record(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.EndPass(time.Unix(2, 0)); err != nil {
		t.Fatal(err)
	}
	return db
}

func alignment(t *testing.T, db *store.Store, run Source) *Alignment {
	t.Helper()
	own, err := TrackOf(run)
	if err != nil {
		t.Fatal(err)
	}
	all, err := TrackOf(OfPass(db, 0))
	if err != nil {
		t.Fatal(err)
	}
	return Align(all, own)
}

func TestAlignedRunIsStored(t *testing.T) {
	db := recorded(t, asked("GET /a", 200), asked("GET /b", 200), asked("GET /c", 200))
	run := listed(asked("GET /a", 201), asked("GET /c", 0), asked("GET /new", 200))
	p := alignment(t, db, run)
	if err := p.Check(db, run); err != nil {
		t.Fatal(err)
	}
	if err := p.Store(db, exchange.Run{Kind: exchange.RunImport}, run, nil); err != nil {
		t.Fatal(err)
	}
	if got, want := p.String(), "2 steps, 1 lost, 1 added; 1 without an answer"; got != want {
		t.Errorf("the run is told as %q, want %q", got, want)
	}
	lines, err := p.Differences(db, run, 3)
	if want := []string{"lost     GET /b (exchange 2)", "added    GET /new"}; err != nil || !slices.Equal(lines, want) {
		t.Errorf("differences %q, %v, want %q", lines, err, want)
	}
	stored, err := db.Runs()
	if err != nil || len(stored) != 1 || stored[0].Lost != 1 || stored[0].Added != 1 {
		t.Fatalf("stored %+v, %v", stored, err)
	}
	var seen []string
	for s, err := range db.Steps() {
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range s.Observations {
			seen = append(seen, fmt.Sprintf("%d: %d", s.Exchange.Seq, o.Response.Status))
		}
	}
	if !slices.Equal(seen, []string{"1: 201"}) {
		t.Errorf("observed %q", seen)
	}
}

func TestRunsOfSomethingElseAreRefused(t *testing.T) {
	db := recorded(t, asked("GET /a", 200))
	for _, test := range []struct {
		run  Source
		want string
	}{
		{listed(), "nothing to align"},
		{listed(asked("DELETE /x/y", 0)), "none of its requests was answered"},
		{listed(asked("DELETE /x/y", 200)), "not a run of this recording"},
	} {
		if err := alignment(t, db, test.run).Check(db, test.run); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %q", err, test.want)
		}
	}
	unreached := listed(asked("GET /a", 0))
	if err := alignment(t, db, unreached).Store(db, exchange.Run{Kind: exchange.RunImport}, unreached, nil); err == nil {
		t.Error("a run that without an answer is stored")
	}
}

func TestSinkLeavesNothingOfWhatReachedNobody(t *testing.T) {
	db := recorded(t, asked("GET /a", 200), asked("GET /b", 200))
	observed := func(seq uint64, e *exchange.Exchange) *exchange.Observation {
		return &exchange.Observation{Seq: seq, Start: e.Start, Sent: e.Request, Response: e.Response, Fault: e.Fault}
	}
	nobody := NewSink(db, exchange.Run{Kind: exchange.RunReplay}, nil)
	if err := nobody.Observe(observed(1, asked("GET /a", 0))); err != nil {
		t.Fatal(err)
	}
	if err := nobody.Finish(); err != nil || nobody.Stored != 0 {
		t.Errorf("%d stored, %v", nobody.Stored, err)
	}
	cut := NewSink(db, exchange.Run{Kind: exchange.RunReplay}, nil)
	if err := cut.Observe(observed(1, asked("GET /a", 200))); err != nil {
		t.Fatal(err)
	}
	if err := cut.Finish(); err != nil {
		t.Fatal(err)
	}
	stored, err := db.Runs()
	if err != nil || len(stored) != 1 {
		t.Fatalf("%d runs, %v", len(stored), err)
	}
	rest := NewSink(db, stored[0], redact.NewRest([]byte(strings.Repeat("k", 32)), nil))
	if err := rest.Observe(observed(2, asked("GET /b?token=abcdefgh12345678", 200))); err != nil {
		t.Fatal(err)
	}
	rest.Run.Ended = time.Unix(9, 0)
	if err := rest.Finish(); err != nil {
		t.Fatal(err)
	}
	stored, err = db.Runs()
	if err != nil || len(stored) != 1 || stored[0].Ended.IsZero() {
		t.Errorf("a run that goes on is stored as %+v, %v", stored, err)
	}
	for s, err := range db.Steps() {
		if err != nil || len(s.Observations) != 1 {
			t.Fatalf("step %d has %d observations, %v", s.Exchange.Seq, len(s.Observations), err)
		}
		if strings.Contains(string(s.Observations[0].Sent.Head), "abcdefgh12345678") {
			t.Error("a secret is stored that the recording is not to hold")
		}
	}
}

// What the API asked of services is of the run, from before its first observation on; of a run that there is not, nothing is.
func TestSinkExternals(t *testing.T) {
	db := recorded(t, asked("GET /a", 200))
	external := func(target string) *exchange.External {
		return &exchange.External{Exchange: *asked("GET "+target, 200), Stub: "s"}
	}
	for _, status := range []int{0, 200} {
		sink := NewSink(db, exchange.Run{Kind: exchange.RunReplay}, redact.NewRest([]byte(strings.Repeat("k", 32)), nil))
		sink.External(external("/start"))
		e := asked("GET /a", status)
		if err := sink.Observe(&exchange.Observation{Seq: 1, Start: e.Start, Sent: e.Request, Response: e.Response, Fault: e.Fault}); err != nil {
			t.Fatal(err)
		}
		sink.External(external("/rates?token=abcdefgh12345678"))
		if err := sink.Finish(); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for x, err := range db.Externals() {
		if err != nil {
			t.Fatal(err)
		}
		path, query := exchange.SplitTarget(x.Request.Target)
		got = append(got, fmt.Sprintln(x.Run, path, x.Stub, strings.Contains(query, "abcdefgh12345678")))
	}
	if want := []string{"1 /start s false\n", "1 /rates s false\n"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What the API asked in a run that is aligned comes with it.
func TestAlignedExternals(t *testing.T) {
	db, run := recorded(t, asked("GET /a", 200)), listed(asked("GET /a", 200))
	var services Asked = func(yield func(*exchange.External, error) bool) {
		yield(&exchange.External{Exchange: *asked("GET /rates", 200), Real: true}, nil)
	}
	if err := alignment(t, db, run).Store(db, exchange.Run{Kind: exchange.RunClient}, run, services); err != nil {
		t.Fatal(err)
	}
	for x, err := range db.Externals() {
		if err != nil || x.Run != 1 || !x.Real || x.Request.Target != "/rates" {
			t.Errorf("it asked %+v, %v", x, err)
		}
		return
	}
	t.Error("nothing is stored")
}
