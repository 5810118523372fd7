package mend

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/setup"
)

// lateTrier is an API whose jobs are done a while after they were made, or never. Its clock goes on by its answers alone.
type lateTrier struct {
	settles time.Duration // 0: never
	done    string        // the answer then
	plays   int
	looks   int // of the last play
	now     time.Time
}

func (l *lateTrier) Try(_ context.Context, all []*exchange.Exchange, _ []exchange.Binding) ([]*exchange.Response, error) {
	return make([]*exchange.Response, len(all)), nil
}

func (l *lateTrier) Watch(_ context.Context, all []*exchange.Exchange, _ []exchange.Binding,
	again func(*exchange.Observation) bool) (out []*exchange.Observation, _ error) {
	l.plays++
	l.looks = 0
	var made time.Time
	for _, e := range all {
		for {
			o := &exchange.Observation{Seq: e.Seq, Start: l.now, Latency: time.Millisecond, Sent: e.Request}
			if l.now = l.now.Add(20 * time.Millisecond); e.Request.Method == "POST" {
				made, o.Response = o.Start, answer(202, `{"id":7}`)
			} else if o.Response = answer(200, `{"state":"pending"}`); l.settles > 0 && o.Start.Sub(made) >= l.settles {
				o.Response = answer(200, cmp.Or(l.done, `{"state":"done"}`))
			}
			l.looks++
			out = append(out, o)
			if !again(o) {
				break
			}
		}
	}
	return out, nil
}

// lateRound is a round of a suite whose tests make a job each, and read it too early; also is what else they assert.
func lateRound(t *testing.T, tests int, seen, also string, trier setup.Trier) *Round {
	t.Helper()
	text := "import requests\n\n"
	var src suite.Source
	src.Operations = map[uint64]exchange.Operation{}
	for i := range tests {
		text += fmt.Sprintf("\ndef test_%d():\n    made = requests.post(\"http://a:1/jobs\")\n"+
			"    job = requests.get(f\"http://a:1/jobs/{made.json()['id']}\")\n    assert job.json()[\"state\"] == \"done\"\n%s\n", i, also)
		for n, line := range []string{"POST /jobs", "GET /jobs/7"} {
			seq := uint64(2*i + n + 1)
			e := &exchange.Exchange{Seq: seq, Pass: 1, Request: exchange.ParseRequest(exchange.Message{Plain: true,
				Head: []byte(line + " HTTP/1.1\r\nHost: a:1\r\nContent-Length: 0\r\n\r\n")}), Response: answer(200, `{"state":"`+seen+`"}`)}
			src.Operations[seq] = exchange.Operation{Method: "GET", Template: "/jobs/{id}"}
			if n == 0 {
				e.Response, src.Operations[seq] = answer(202, `{"id":7}`), exchange.Operation{Method: "POST", Template: "/jobs"}
			}
			src.Steps = append(src.Steps, exchange.Step{Exchange: e})
		}
	}
	r := New([]File{{Name: "test_a.py", Path: "test_a.py", Data: []byte(text)}}, Options{Source: src})
	s := TrySetUps(nil, flow.Rules{}, []setup.Trier{trier}, 1, &console.Console{Quiet: true})
	if err := r.findWaits(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	return r
}

// Reads that came too early are watched, and their tests come to wait as long as that takes.
func TestFindWaits(t *testing.T) {
	l := &lateTrier{settles: 300 * time.Millisecond}
	r := lateRound(t, 3, "pending", "", l)
	text := string(r.Patch()[0].Data)
	if l.plays != watches || strings.Count(text, "poll(") != 4 || !strings.Contains(text, " at most, in 15 reads\n") ||
		!strings.HasSuffix(r.Summary(), "3 waits written") {
		t.Errorf("%d trials, %s\n%s", l.plays, r.Summary(), text)
	}
}

// A read that has come to be ready, and of which a number is not as asserted, is asked for a while longer: 200 ms, and
// twice the 281 ms that it took.
func TestAskedOnceMore(t *testing.T) {
	l := &lateTrier{settles: 300 * time.Millisecond, done: `{"state":"done","total":8}`}
	lateRound(t, 1, "pending", "    assert job.json()[\"total\"] == 7\n", l)
	if l.plays != watches || l.looks != 1+40 {
		t.Errorf("%d trials, %d answers in the last", l.plays, l.looks)
	}
}

// What never comes to be ready is asked a few times in one trial, and nothing is written.
func TestFindNoWaits(t *testing.T) {
	for _, tt := range []struct {
		name, seen string
		settles    time.Duration
		plays      int
	}{
		{"never ready", "pending", 0, 1},
		{"never too early", "done", 300 * time.Millisecond, 0},
	} {
		l := &lateTrier{settles: tt.settles}
		text := string(lateRound(t, 5, tt.seen, "", l).Patch()[0].Data)
		most := 5*2 + (maxVain+1)*int(patience/(20*time.Millisecond)+1)
		if l.plays != tt.plays || l.looks > most || strings.Contains(text, "poll(") {
			t.Errorf("%s: %d trials, %d answers of at most %d\n%s", tt.name, l.plays, l.looks, most, text)
		}
	}
}
