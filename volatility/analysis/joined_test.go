package analysis

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// night writes a recording that a client made on a day, with so many runs: calls have one answer for all of them. What is
// below /caseN is of a test case.
func night(t *testing.T, day, runs int, calls ...call) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), fmt.Sprintf("night%d.db", day))
	db, err := store.Create(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2026, 1, day, 3, 0, 0, 0, time.UTC)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err = db.BeginPass(exchange.Pass{Started: begin, Target: "http://127.0.0.1:8080", Source: "record", Start: exchange.StartReset})
	check(err)
	for i, c := range calls {
		sequence := strings.Split(c.target, "/")[1]
		if !strings.HasPrefix(sequence, "case") {
			sequence = ""
		}
		check(db.Record(&exchange.Exchange{Conn: 1, Sequence: sequence, Target: exchange.DefaultTarget, Scheme: "http", Addr: "127.0.0.1:8080",
			Start: begin.Add(time.Duration(i) * time.Second), Request: request(c), Response: response(c.answers[0])}))
	}
	check(db.EndPass(begin.Add(time.Minute)))
	for n := range runs {
		run := exchange.Run{Kind: exchange.RunReplay, Started: begin.Add(time.Duration(n+1) * time.Hour)}
		run.Ended, run.Conditions.Start = run.Started.Add(time.Minute), exchange.StartReset
		w, err := db.BeginRun(run)
		check(err)
		for i, c := range calls {
			check(w.Observe(&exchange.Observation{Seq: uint64(i + 1), Start: run.Started, Sent: request(c), Response: response(c.answers[0])}))
		}
		check(w.Finish(run))
	}
	check(db.Close())
	return path
}

// build is an answer that tells the build that is deployed, and something that never moves.
func build(target string, day int) call {
	return call{"GET", target, []string{fmt.Sprintf(`{"build":"build %d","still":"a"}`, day)}}
}

func judgedAll(t *testing.T, last int, paths ...string) *Result {
	t.Helper()
	r, err := JudgeAll(paths, last, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func fieldOf(t *testing.T, m *mapfile.Map, template string, place exchange.Place) *mapfile.Field {
	t.Helper()
	o := m.Operation(exchange.Operation{Method: "GET", Template: template}, 200)
	if o == nil || o.At(place) == nil {
		t.Fatalf("no %s at %s", place, template)
	}
	return o.At(place)
}

// TestNightsAccumulate: what moves between nights alone shows in none of them, and in all together; each run counts
// alike, and so do the recordings.
func TestNightsAccumulate(t *testing.T) {
	var paths []string
	for day := 1; day <= 3; day++ {
		path := night(t, day, 4, build("/version", day), build("/about", 0))
		if f := fieldOf(t, judgedAll(t, 0, path).Map, "/version", "/body/build"); f.Judgement != mapfile.Stable || f.Of != 4 {
			t.Errorf("night %d alone: %s, %d of %d", day, f.Judgement, f.Changed, f.Of)
		}
		paths = append(paths, path)
	}
	r := judgedAll(t, 0, paths...)
	if !r.Recording.Started.Equal(time.Date(2026, 1, 3, 3, 0, 0, 0, time.UTC)) || len(r.Runs) != 4+5+5 || r.Recordings != 3 {
		t.Errorf("the recording of %s with %d runs", r.Recording.Started, len(r.Runs))
	}
	for place, want := range map[exchange.Place]string{"/body/build": "10/14", "/body/still": "0/14"} {
		f := fieldOf(t, r.Map, "/version", place)
		if got := fmt.Sprintf("%d/%d", f.Changed, f.Of); got != want || f.Volatile() != (f.Changed > 0) {
			t.Errorf("%s moved in %s (%s), want %s", place, got, f.Judgement, want)
		}
	}
	if f := fieldOf(t, r.Map, "/about", "/body/build"); f.Of != 14 || f.Bound != 0.1927 {
		t.Errorf("what never moved has the bound %v of %d observations", f.Bound, f.Of)
	}
	for _, run := range r.Runs[4:] {
		if !strings.HasPrefix(run.Label, "night") || run.Steps == 0 || run.Conditions.Start != exchange.StartReset {
			t.Errorf("a run of another night is %+v", run)
		}
	}
	slices.Reverse(paths)
	if encoded(t, judgedAll(t, 0, paths...).Map) != encoded(t, r.Map) {
		t.Error("the map depends on the order in which recordings are named")
	}
	if r := judgedAll(t, 2, paths...); len(r.Runs) != 4+5 || r.Recordings != 2 {
		t.Errorf("of the last two %d runs count", len(r.Runs))
	}
}

// TestNightsInAnotherOrder: each exchange is held against the one that asks for the same, wherever that stands.
func TestNightsInAnotherOrder(t *testing.T) {
	var calls []call
	for i := range 40 {
		calls = append(calls, call{"GET", fmt.Sprintf("/case%d/list%d", i/10, i), []string{fmt.Sprintf(`{"own":"value %d"}`, i)}})
	}
	first := night(t, 1, 1, slices.Concat(calls[20:30], calls[:10], calls[30:], calls[10:20])...)
	for _, o := range judgedAll(t, 0, first, night(t, 2, 1, calls...)).Map.Operations {
		if f := o.At("/body/own"); f == nil || f.Of != 3 || f.Changed != 0 {
			t.Errorf("%s: %+v", o.Operation, f)
		}
	}
}

// TestNightsOfAnotherAPI: operations that are new or gone are told; recordings that cannot be joined are refused.
func TestNightsOfAnotherAPI(t *testing.T) {
	old := night(t, 1, 1, build("/version", 1), build("/legacy/report", 1), build("/users/17", 1))
	now := night(t, 2, 1, build("/version", 1), build("/users/42", 1), build("/next/report", 1))
	told := strings.Join(judgedAll(t, 0, old, now).Map.Warnings, "\n")
	for _, want := range []string{"GET /next/report is in the newest recording, and not in night1.db", "GET /legacy/report is in night1.db, and no longer in the newest recording"} {
		if !strings.Contains(told, want) {
			t.Errorf("it does not tell %q:\n%s", want, told)
		}
	}
	if strings.Contains(told, "users") {
		t.Errorf("it tells of a request that only has another id:\n%s", told)
	}
	for want, paths := range map[string][]string{
		"are the same recording":    {old, old},
		"contains no exchanges":     {old, night(t, 3, 0)},
		"none of the 1 exchange in": {night(t, 1, 0, call{"DELETE", "/x/y", []string{"{}"}}), now},
	} {
		if _, err := JudgeAll(paths, 0, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestNightsWithTokens: tokens in the place of secrets are others in each recording, so that all of them would move.
func TestNightsWithTokens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.db")
	db, err := store.Create(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := build("/version", 1)
	_, err = db.BeginPass(exchange.Pass{Started: time.Unix(1, 0), Source: "record", Redacted: true})
	if err := errors.Join(err, db.Record(&exchange.Exchange{Conn: 1, Target: exchange.DefaultTarget, Scheme: "http", Addr: "127.0.0.1:8080",
		Start: time.Unix(1, 0), Request: request(c), Response: response(c.answers[0])}), db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := JudgeAll([]string{path, night(t, 2, 1, c)}, 0, Options{}); err == nil || !strings.Contains(err.Error(), "tokens in the place of secrets") {
		t.Errorf("got %v", err)
	}
}

// TestNightsStayOnDisk: of recordings that are joined no more is held than of one.
func TestNightsStayOnDisk(t *testing.T) {
	var calls []call
	for i := range 600 {
		calls = append(calls, call{"GET", fmt.Sprintf("/things/%d", i), []string{fmt.Sprintf(`{"text":%q}`, strings.Repeat(fmt.Sprint(i, " "), 10_000))}})
	}
	var all []opened
	for day := 1; day <= 3; day++ {
		db, err := store.OpenReadOnly(night(t, day, 1, calls...))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		rec, err := db.Recording()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, opened{db, rec})
	}
	j, err := join(all)
	if err != nil {
		t.Fatal(err)
	}
	held := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, n := held(), 0
	for s, err := range j.Steps() {
		if err != nil || len(s.Observations) != 5 {
			t.Fatalf("%d observations, %v", len(s.Observations), err)
		}
		if n++; n%100 == 0 {
			if now := held(); now > before+16<<20 {
				t.Fatalf("%d MiB are held after %d steps", (now-before)>>20, n)
			}
		}
	}
	if n != len(calls) {
		t.Errorf("%d steps", n)
	}
}

func TestRising(t *testing.T) {
	for _, c := range []struct {
		values []uint64
		want   string
	}{
		{nil, ""}, {[]uint64{0, 0}, ".."}, {[]uint64{0, 1, 2, 3}, ".xxx"}, {[]uint64{0, 9, 1, 0, 2, 3, 7, 4, 5}, "..x.xx.xx"},
	} {
		got := ""
		for _, marked := range rising(c.values) {
			if marked {
				got += "x"
			} else {
				got += "."
			}
		}
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.values, got, c.want)
		}
	}
}
