package volatility

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestRows judges two runs in which nothing moved, and a repeat run in which each request was sent 100 times in a row
// and the number of requests was the API's to count.
func TestRows(t *testing.T) {
	const row = 100
	m := judgeRows(t, 2, row, func(step, n int) (int, string) {
		rare, seen := "calm", 7
		if n == 80 && step == 1 {
			rare = "odd"
		}
		if n > 0 {
			seen += n + step*row // every request is counted, so what the runs saw is gone from the second step on
		}
		return 200, fmt.Sprintf(`{"rare":%q,"seen":%d,"still":"a","left":%q}`, rare, seen, fmt.Sprint(seen > 7+row))
	})
	for place, want := range map[exchange.Place]struct {
		judgement   mapfile.Judgement
		changed, of int
	}{
		"/body/rare":  {mapfile.Jitter, 1, 2*2 + 2*(row-1)},
		"/body/seen":  {mapfile.Stable, 0, 2*2 + 2*(row-1)}, // it counts what this run did
		"/body/still": {mapfile.Stable, 0, 2*2 + 2*(row-1)},
		"/body/left":  {mapfile.Stable, 0, 2*2 + 2*(row-1)}, // it moved between the steps, which the run itself did
	} {
		f := field(t, m, place)
		if f.Judgement != want.judgement || f.Changed != want.changed || f.Of != want.of {
			t.Errorf("%s: %s, %d of %d; want %s, %d of %d", place, f.Judgement, f.Changed, f.Of, want.judgement, want.changed, want.of)
		}
	}
	if n := m.Operations[0].Exchanges; n != 2 {
		t.Errorf("%d exchanges, want 2", n)
	}
}

// TestRowsOfOtherStatus: where an answer of a row has another status than its neighbours, the status moves; where all
// have another than the recorded one, the run itself is the reason.
func TestRowsOfOtherStatus(t *testing.T) {
	for _, c := range []struct {
		name   string
		status func(n int) int
		want   mapfile.Judgement
	}{
		{"one of the row", func(n int) int { return pickInt(n == 5, 500, 200) }, mapfile.Jitter},
		{"the first of the row", func(n int) int { return pickInt(n == 1, 500, 200) }, mapfile.Jitter},
		{"the whole row", func(n int) int { return pickInt(n > 0, 404, 200) }, mapfile.Stable},
	} {
		m := judgeRows(t, 2, 10, func(_, n int) (int, string) { return c.status(n), `{}` })
		if f := field(t, m, exchange.PlaceStatus); f.Judgement != c.want {
			t.Errorf("%s: %s, want %s", c.name, f.Judgement, c.want)
		}
	}
}

// judgeRows judges a recording of two exchanges, so many runs that repeat it exactly, and a repeat run with rows of
// the given length. says gives the n-th answer of a row, from 1, and the recorded one for 0.
func judgeRows(t *testing.T, runs, row int, says func(step, n int) (int, string), perturb ...string) *mapfile.Map {
	t.Helper()
	return judgeRunsAndRows(t, runs, row, func(int) func(step, n int) (int, string) { return says }, perturb...)
}

// judgeRunsAndRows does that where each run has its own say; run 0 is the recording.
func judgeRunsAndRows(t *testing.T, runs, row int, of func(run int) func(step, n int) (int, string), perturb ...string) *mapfile.Map {
	t.Helper()
	a := &api{steps: 2}
	response := func(run, step, n int) *exchange.Response {
		status, text := of(run)(step, n)
		head := fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: application/json\r\n\r\n", status)
		return exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: []byte(text), Plain: true})
	}
	a.answer = func(c call) answer { return body("{}") }
	rec := exchange.Recording{Started: moment0, Count: 2, Passes: []exchange.Pass{{Number: 1, Started: moment0}}}
	operations := map[uint64]exchange.Operation{}
	var all []exchange.Run
	for r := 1; r <= runs+1; r++ {
		run := exchange.Run{Number: r, Kind: exchange.RunReplay, Started: moment0, Ended: moment0.Add(time.Minute)}
		run.Conditions.Start = exchange.StartReset
		if r > runs {
			run.Kind, run.Conditions.Perturb = exchange.RunRepeat, perturb
		}
		all = append(all, run)
	}
	steps := func(yield func(exchange.Step, error) bool) {
		for s := range 2 {
			seq := uint64(s + 1)
			c, req, _ := a.call(0, s)
			step := exchange.Step{Exchange: &exchange.Exchange{Seq: seq, Pass: 1, Addr: c.host, Start: c.at, Request: req, Response: response(0, s, 0)}}
			for r := 1; r <= runs; r++ {
				step.Observations = append(step.Observations, &exchange.Observation{Run: r, Seq: seq, Start: c.at, Sent: req, Response: response(r, s, 0)})
			}
			for n := 1; n <= row; n++ {
				step.Observations = append(step.Observations, &exchange.Observation{Run: runs + 1, Seq: seq, Start: c.at, Sent: req, Response: response(runs+1, s, n)})
			}
			if !yield(step, nil) {
				return
			}
		}
	}
	for seq := uint64(1); seq <= 2; seq++ {
		operations[seq] = exchange.Operation{Method: "GET", Template: "/things/{id}"}
	}
	m, err := Judge(rec, all, steps, operations, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// What moves from run to run and not within one is told in runs: repeats are no further chances for it to move.
func TestRepeatsAreNoRuns(t *testing.T) {
	m := judgeRunsAndRows(t, 3, 40, func(run int) func(step, n int) (int, string) {
		return func(step, n int) (int, string) {
			return 200, fmt.Sprintf(`{"build":"build %d","drawn":"x%05d","still":1}`, run, (n*n*7919+run*31)%99991)
		}
	})
	for place, want := range map[exchange.Place]string{"/body/build": "6/6", "/body/drawn": "84/84", "/body/still": "0/84"} {
		f := field(t, m, place)
		if got := fmt.Sprintf("%d/%d", f.Changed, f.Of); got != want || f.Changed > 0 && !slices.Contains(f.Evidence, "moved:"+want) {
			t.Errorf("%s moved in %s (%q), want %s", place, got, f.Evidence, want)
		}
	}
}
