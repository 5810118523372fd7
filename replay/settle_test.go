package replay

import (
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// answered adds an exchange with a JSON answer.
func (p *tape) answered(line string, status int, body string) *exchange.Exchange {
	e := p.add(line+" HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "")
	head := fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", status, len(body))
	e.Response = exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: []byte(body)})
	return e
}

// TestSettles has an API that is done with a job when it is asked for it the fourth time.
func TestSettles(t *testing.T) {
	var asked atomic.Int32
	addr := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == "POST":
			asked.Store(0)
			reply(w, 202, map[string]any{"id": 7})
		case r.URL.Path == "/result/7" && asked.Load() < 4:
			reply(w, 404, map[string]any{})
		case r.URL.Path == "/result/7":
			reply(w, 200, map[string]any{"token": random()})
		case asked.Add(1) >= 4:
			reply(w, 200, map[string]any{"state": "done", "at": time.Now().UnixNano(), "load": asked.Load()})
		default:
			reply(w, 200, map[string]any{"state": "pending", "at": time.Now().UnixNano(), "load": asked.Load()})
		}
	}))
	record := func(lines ...string) *tape {
		p := &tape{t: t, addr: addr}
		for _, line := range lines {
			switch {
			case strings.HasPrefix(line, "POST"):
				p.answered(line, 202, `{"id":7}`)
			case strings.HasPrefix(line, "GET /result"):
				p.answered(line, 200, `{"token":"abc123def456abc123def456"}`)
			default:
				p.answered(line, 200, `{"state":"done","at":1,"load":1}`)
			}
		}
		return p
	}

	p := record("POST /jobs", "GET /jobs/7", "GET /result/7")
	sum, observed := play(t, &Player{Settle: time.Minute}, p)
	if len(observed) != 3 || sum.Late != 1 || sum.Reproduced != 3 || sum.Longest <= 0 {
		t.Fatalf("%s, %d observed", sum, len(observed))
	}
	s := observed[1].Settling
	if s == nil || !s.Settled || s.Looks != 3 || s.After <= 0 || !strings.Contains(string(observed[1].Response.Body), "pending") {
		t.Errorf("settling %+v; answered %s", s, observed[1].Response.Body)
	}
	if s != nil && (s.End == nil || !strings.Contains(string(s.End.Body), "done")) {
		t.Errorf("what it answered in the end is not kept: %+v", s.End)
	}
	if observed[0].Settling != nil || observed[2].Settling != nil {
		t.Error("what answered as recorded was asked again")
	}
	if !strings.Contains(sum.String(), "3 answered with the recorded status (1 as recorded only after a delay") {
		t.Errorf("%s", sum)
	}

	for name, c := range map[string]struct {
		lines  string
		settle time.Duration
	}{
		"not wanted":        {"POST /jobs,GET /jobs/7", 0},
		"nothing written":   {"GET /jobs/7", time.Minute},
		"not read":          {"POST /jobs,DELETE /jobs/7", time.Minute},
		"in another client": {"POST /jobs,GET /jobs/7", time.Minute},
	} {
		asked.Store(-1000)
		p := record(strings.Split(c.lines, ",")...)
		if name == "in another client" {
			p.list[1].Sequence = "other"
		}
		sum, observed := play(t, &Player{Settle: c.settle, Order: ordered(p)}, p)
		if last := observed[len(observed)-1]; last.Settling != nil || sum.Late != 0 {
			t.Errorf("%s: asked again: %+v", name, last.Settling)
		}
	}
}

// TestFurther has an API that is quicker than it was: what a later read was answered is not waited for.
func TestFurther(t *testing.T) {
	asked := 0
	addr := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" {
			asked++
			reply(w, 200, map[string]any{"state": "done"})
		}
	}))
	p := &tape{t: t, addr: addr}
	p.answered("POST /jobs", 200, ``)
	for _, state := range []string{"pending", "running", "done"} {
		p.answered("GET /jobs/7", 200, `{"state":"`+state+`"}`)
	}
	later := func(seq uint64) iter.Seq2[*exchange.Exchange, error] {
		return (&tape{list: p.list[seq:]}).Exchanges()
	}
	sum, observed := play(t, &Player{Settle: time.Hour, Later: later}, p)
	if asked != 3 || sum.Early != 2 || !observed[1].Settling.Early || observed[3].Settling != nil {
		t.Errorf("asked %d times; %s", asked, sum)
	}
	if !strings.Contains(sum.String(), "(2 with a later recorded answer)") {
		t.Errorf("%s", sum)
	}
}

// TestOvertaken has an API that goes on between two looks: what came between them is not waited for.
func TestOvertaken(t *testing.T) {
	asked := 0
	addr := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "GET" {
			return
		}
		state := "pending"
		if asked++; asked > 2 {
			state = "done"
		}
		reply(w, 200, map[string]any{"state": state})
	}))
	p := &tape{t: t, addr: addr}
	p.answered("POST /jobs", 200, ``)
	for _, state := range []string{"pending", "running", "done"} {
		p.answered("GET /jobs/7", 200, `{"state":"`+state+`"}`)
	}
	later := func(seq uint64) iter.Seq2[*exchange.Exchange, error] {
		return (&tape{list: p.list[seq:]}).Exchanges()
	}
	sum, observed := play(t, &Player{Settle: time.Hour, Later: later}, p)
	if got := observed[2].Settling; asked != 4 || sum.Early != 1 || got == nil || !got.Early || got.Looks != 1 {
		t.Errorf("asked %d times, %+v; %s", asked, got, sum)
	}
}

// TestDiffersForGood has an API that never answers as recorded: it is asked again a few times, then no more.
func TestDiffersForGood(t *testing.T) {
	var asked atomic.Int32
	addr := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" {
			asked.Add(1)
			reply(w, 200, map[string]any{"items": []int{}})
		}
	}))
	p := &tape{t: t, addr: addr}
	p.answered("POST /items", 200, ``)
	for i := range 20 {
		p.answered(fmt.Sprintf("GET /items/%d", i), 200, `{"items":[1]}`)
	}
	sum, observed := play(t, &Player{Settle: 30 * time.Millisecond}, p)
	looked := 0
	for _, o := range observed {
		if s := o.Settling; s != nil {
			looked++
			if s.Settled || s.Looks == 0 || s.After < 30*time.Millisecond {
				t.Errorf("settling %+v", s)
			}
		}
	}
	if looked != maxVain || sum.Late != 0 || sum.Reproduced != 21 {
		t.Errorf("%d of 20 asked again; %s", looked, sum)
	}
}

func TestUnsettled(t *testing.T) {
	answer := func(status int, body string) *exchange.Response {
		head := fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: application/json\r\nDate: now\r\n\r\n", status)
		return exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: []byte(body), Plain: true})
	}
	for _, c := range []struct {
		recorded, now string
		want          bool
	}{
		{`{"state":"done"}`, `{"state":"pending"}`, true},
		{`{"ready":true}`, `{"ready":false}`, true},
		{`{"result":{"a":1}}`, `{"result":null}`, true},
		{`{"a":1,"b":2}`, `{"a":1}`, true},
		{`[1,2]`, `[1]`, true},
		{`{"n":1}`, `{"n":2}`, false},
		{`{"at":"2026-01-02"}`, `{"at":"2026-01-03"}`, false},
		{`{"id":"a1"}`, `{"id":"b2"}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`{"a":1}`, `{"a":1.0}`, false},
	} {
		if got := unsettled(answer(200, c.recorded), answer(200, c.now)); got != c.want {
			t.Errorf("%s, then %s: %v", c.recorded, c.now, got)
		}
	}
	if !unsettled(answer(200, `{}`), answer(404, `{}`)) {
		t.Error("another status")
	}
}
