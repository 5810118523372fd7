package experiment

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/queue"
	"github.com/flaketap/flaketap/replay/runs"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// opened is a session with a recording of three sequences, for workers.
func opened(t *testing.T, o Options) (*session, *bytes.Buffer) {
	t.Helper()
	said := &bytes.Buffer{}
	o.DB = newShop(t).record(t, "buy: POST /orders", "look: GET /orders", "buy: GET /orders", "end: POST /close", "look: GET /orders")
	o.Console = &console.Console{Err: said}
	db, err := store.Open(o.DB, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	gc := analysis.TuneGC(analysis.Unbounded)
	t.Cleanup(gc.Restore)
	s, err := open(db, o, gc)
	if err != nil {
		t.Fatal(err)
	}
	return s, said
}

// TestItems: a sequence is an item, or all of a run is, of what is sent.
func TestItems(t *testing.T) {
	for _, test := range []struct {
		whole   bool
		skip    string
		items   string
		skipped int
	}{
		{false, "POST /close", "[[1 3] [2 5]]", 1},
		{false, "PUT", "[[1 3] [2 5] [4]]", 0},
		{true, "POST", "[[2 3 5]]", 2},
	} {
		selection, err := ReadSelection(nil, []string{test.skip})
		if err != nil {
			t.Fatal(err)
		}
		s, _ := opened(t, Options{Elsewhere: &Elsewhere{Whole: test.whole}, Requests: selection})
		f := &elsewhere{session: s, skipped: map[string]int{}}
		if err := f.divide(); err != nil {
			t.Fatal(err)
		}
		skipped := 0
		for _, n := range f.skipped {
			skipped += n
		}
		if got := fmt.Sprint(f.items); got != test.items || skipped != test.skipped {
			t.Errorf("without %s, items are %s, and %d skipped, want %s and %d", test.skip, got, skipped, test.items, test.skipped)
		}
	}
}

// TestApart: sequences that take values from each other are one, over any number of others.
func TestApart(t *testing.T) {
	u := &units{steps: make([][]uint64, 7), needs: [][]int{nil, {0}, nil, {2}, {1, 3}, nil, {5}}}
	of := u.apart()
	same := func(of []int) string {
		first, names := map[int]int{}, ""
		for i, n := range of {
			if _, known := first[n]; !known {
				first[n] = i
			}
			names += fmt.Sprint(first[n])
		}
		return names
	}
	if got, want := same(of), "0000055"; got != want {
		t.Errorf("units are %s, want %s", got, want)
	}
}

// TestWhatWorkersGaveUp is told, and not stored; what a run had before it was cut off is not stored again.
func TestWhatWorkersGaveUp(t *testing.T) {
	s, said := opened(t, Options{Elsewhere: &Elsewhere{}})
	f := &elsewhere{session: s}
	sink := runs.NewSink(s.db, exchange.Run{Kind: exchange.RunReplay, Part: 1, Started: time.Unix(1, 0)}, nil)
	run := &playedElsewhere{elsewhere: f, sink: sink, stored: map[uint64]bool{2: true}, machines: map[exchange.Machine][]uint64{}}
	answers := &queue.Result{Machine: exchange.Machine{Host: "north"}}
	for _, seq := range []uint64{5, 2, 4} { // 4 is none of the item's
		e, err := s.db.Exchange(seq)
		if err != nil {
			t.Fatal(err)
		}
		answers.Observations = append(answers.Observations, &exchange.Observation{Seq: seq, Sent: e.Request, Response: e.Response})
	}
	if err := run.take([]uint64{2, 5}, answers); err != nil {
		t.Fatal(err)
	}
	if err := run.take([]uint64{1, 3}, &queue.Result{Attempt: 5, Failed: "the API ended\x1b[31m"}); err != nil {
		t.Fatal(err)
	}
	if sink.Stored != 1 || run.sum.Sent != 2 || run.sum.Reproduced != 2 || run.sum.Skipped != 2 {
		t.Errorf("stored %d, %s", sink.Stored, run.sum)
	}
	if got := run.played(); len(got) != 1 || got[0].Host != "north" || !got[0].Steps.Has(2) || got[0].Steps.Has(4) {
		t.Errorf("played by %v", got)
	}
	if !strings.Contains(said.String(), "exchanges 1 to 3 were not played, after 5 attempts: the API ended") ||
		strings.Contains(said.String(), "\x1b") {
		t.Errorf("said %q", said)
	}
}

// TestWorkersCannot: what needs all of a run in one place is refused, and what an API takes to run is left to workers.
func TestWorkersCannot(t *testing.T) {
	slow, err := ReadSelection([]string{"5/s"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, o := range map[string]Options{"--perturb": {Experiments: wanted(t, "double")}, "--bound": {Bound: 0.1}, "--unsafe": {Requests: slow}} {
		if _, err := o.forWorkers(); !console.IsUsage(err) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	o := Options{Target: "http://127.0.0.1:1"}
	o.Player.Reset = "true"
	if o, err = o.forWorkers(); err != nil || o.Target != "" || o.Player.Reset != "" {
		t.Errorf("%v, target %q, reset %q", err, o.Target, o.Player.Reset)
	}
}

func TestReadWorkers(t *testing.T) {
	for text, want := range map[string]string{
		"1": "1 ", "8": "8 ", "nats://hub:4222/shop": "1 nats://hub:4222/shop", "0": "", "many": "", "1001": "",
	} {
		n, hub, err := ReadWorkers(text)
		if got := fmt.Sprintf("%d %s", n, hub); err == nil && got != want || (err != nil) != (want == "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
