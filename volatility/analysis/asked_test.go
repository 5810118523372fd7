package analysis

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
)

// What runs asked is told by the exchange that it was for; what cannot be compared with the recording is left out.
func TestAsked(t *testing.T) {
	for _, redacted := range []bool{false, true} {
		db, err := store.Create(filepath.Join(t.TempDir(), "flaketap.db"), store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		service := func(at time.Time) *exchange.External {
			return &exchange.External{Stub: "rates", Exchange: exchange.Exchange{Scheme: "https", Addr: "rates.example.com:443",
				Start: at.Add(10 * time.Millisecond), Request: request(call{method: "GET", target: "/rates"}), Response: response(`{}`)}}
		}
		exchanges := []*exchange.Exchange{}
		for i := range 2 {
			exchanges = append(exchanges, &exchange.Exchange{Conn: 1, Target: exchange.DefaultTarget, Scheme: "http", Addr: "127.0.0.1:8080",
				Start: begin.Add(time.Duration(i) * time.Minute), Latency: time.Second, Request: request(call{method: "GET", target: fmt.Sprint("/price/", i)}), Response: response(`{}`)})
		}
		_, err = db.BeginPass(exchange.Pass{Started: begin, Target: "http://127.0.0.1:8080", Source: "record", Redacted: redacted})
		check(err)
		for _, e := range exchanges {
			check(db.Record(e))
			check(db.RecordExternal(service(e.Start)))
		}
		check(db.RecordExternal(service(begin.Add(30 * time.Second)))) // for none of them
		check(db.EndPass(begin.Add(2 * time.Minute)))
		if asked, err := Asked(db); err != nil || asked.For != nil {
			t.Errorf("without runs: %v, %v", asked, err)
		}
		for i, run := range []exchange.Run{
			{Kind: exchange.RunReplay},
			{Kind: exchange.RunReplay, Conditions: exchange.Conditions{Perturb: []string{"externals=changed"}}},
			{Kind: exchange.RunRepeat},
			{Kind: exchange.RunClient},
		} {
			run.Started = begin.Add(time.Duration(i+1) * time.Hour)
			w, err := db.BeginRun(run)
			check(err)
			for n, e := range exchanges {
				sent := e.Request
				if n == 1 { // of a replay that is a value which is carried over
					sent = request(call{method: "GET", target: "/price/7"})
				}
				at := run.Started.Add(time.Duration(n) * time.Minute)
				check(w.Observe(&exchange.Observation{Seq: e.Seq, Start: at, Latency: time.Second, Sent: sent, Response: response(`{}`)}))
				check(w.External(service(at)))
			}
			run.Ended = run.Started.Add(time.Hour)
			check(w.Finish(run))
		}
		asked, err := Asked(db)
		check(err)
		if !asked.ByClient[4] || asked.ByClient[1] {
			t.Errorf("the client itself sent in runs %v, want 4", asked.ByClient)
		}
		var got []string
		for _, seq := range slices.Sorted(maps.Keys(asked.For)) {
			got = append(got, fmt.Sprintf("%d:%d", seq, asked.For[seq]))
		}
		want := []string{"1:1", "2:2", "4:1", "5:2", "10:1"}
		if redacted {
			want = nil
		}
		if !slices.Equal(got, want) {
			t.Errorf("redacted %t: it is %v, want %v", redacted, got, want)
		}
	}
}

// What is answered again as a recorded request was, counts as that, whatever value the API was told to name in it.
func TestOutsideAgain(t *testing.T) {
	for stub, want := range map[string]int{exchange.GivenAgain(1): 2, exchange.GivenAgain(2): 4, exchange.GivenAgain(3): 4, exchange.GivenAgain(9): 4, "ships": 4} {
		db, err := store.Create(filepath.Join(t.TempDir(), "flaketap.db"), store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		ships := func(at time.Time, host, city, by string) *exchange.External {
			return &exchange.External{Stub: by, Exchange: exchange.Exchange{Scheme: "https", Addr: host, Start: at,
				Request: request(call{method: "GET", target: "/harbors/" + city + "/ships"}), Response: response(`{"n":3}`)}}
		}
		_, err = db.BeginPass(exchange.Pass{Started: begin, Target: "http://127.0.0.1:8080", Source: "record"})
		check(err)
		e := &exchange.Exchange{Conn: 1, Target: exchange.DefaultTarget, Scheme: "http", Addr: "127.0.0.1:8080", Start: begin, Latency: time.Second,
			Request: request(call{method: "GET", target: "/trip"}), Response: response(`{}`)}
		check(db.Record(e))
		check(db.RecordExternal(ships(begin.Add(10*time.Millisecond), "ports.example.com:443", "Kiel", "ships")))
		check(db.RecordExternal(ships(begin.Add(time.Minute), "rates.example.com:443", "Kiel", "ships"))) // for nobody
		check(db.EndPass(begin.Add(2 * time.Minute)))
		run := exchange.Run{Kind: exchange.RunReplay, Started: begin.Add(time.Hour)}
		w, err := db.BeginRun(run)
		check(err)
		check(w.Observe(&exchange.Observation{Seq: e.Seq, Start: run.Started, Latency: time.Second, Sent: e.Request, Response: response(`{}`)}))
		check(w.External(ships(run.Started.Add(10*time.Millisecond), "ports.example.com:443", "Kiel%20changed", stub)))
		run.Ended = run.Started.Add(time.Minute)
		check(w.Finish(run))
		book, err := outsideOf(db)
		check(err)
		if got := book.Pair(e.Seq, 1); len(got) != want {
			t.Errorf("by %q: the values are %+v, want %d", stub, got, want)
		}
	}
}

// growing is a recording to which a call is added each time that they are read.
type growing struct {
	*store.Store
	calls []*exchange.External
}

func (g *growing) Externals() iter.Seq2[*exchange.External, error] {
	g.calls = append(g.calls, &exchange.External{Exchange: exchange.Exchange{Seq: uint64(len(g.calls) + 1), Scheme: "http", Addr: "rates.example.com:80",
		Request: request(call{method: "GET", target: "/rates"}), Response: response(`{}`)}})
	return func(yield func(*exchange.External, error) bool) {
		for _, x := range g.calls {
			if !yield(x, nil) {
				return
			}
		}
	}
}

// What services are asked while a recording is judged is left out.
func TestOutsideMeanwhile(t *testing.T) {
	db, err := store.Create(filepath.Join(t.TempDir(), "flaketap.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = db.BeginPass(exchange.Pass{Started: time.Unix(1_800_000_000, 0)})
	if err := errors.Join(err, db.EndPass(time.Unix(1_800_000_001, 0))); err != nil {
		t.Fatal(err)
	}
	of := &growing{Store: db}
	if book, err := outsideOf(of); err != nil || book == nil || len(of.calls) != 2 {
		t.Errorf("%v, %v, of %d calls", book, err, len(of.calls))
	}
}
