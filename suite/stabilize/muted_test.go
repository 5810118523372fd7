package stabilize

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/probe"
)

// Muted, a suite shows in the first round what comes behind its failures, and one round of patching is enough.
func TestMuted(t *testing.T) {
	o, runner := newOptions(t), &fakeRunner{}
	o.Started = true
	r, err := Run(t.Context(), o, []Runner{runner}, patch, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Assertions{All: 3, Kept: 1, Weakened: 2}
	if !r.Holds || r.Rounds != 1 || r.Muted != 3 || r.Before != (Measured{3, 1, 1, 1, 0}) || r.Assertions != want || runner.ran != 10 {
		t.Errorf("%+v after %d runs", r.Report, runner.ran)
	}
	if len(r.NotReached) != 1 || r.NotReached[0].Line != 9 {
		t.Errorf("not reached: %v", r.NotReached)
	}
	for _, dir := range runner.muted {
		if _, err := os.Stat(dir); err == nil || dir == o.Suite {
			t.Errorf("%s was run muted, and is left", dir)
		}
	}
	if kept, err := KeptResults(o.DB); err != nil || len(kept) != 3 {
		t.Errorf("results of %d runs are kept with the recording: %v", len(kept), err)
	}
	o.Probe = ProbeNever
	o.Identity, o.Fresh = []string{"never"}, true
	if r, err := Run(t.Context(), o, []Runner{&fakeRunner{}}, patch, nil); err != nil || r.Rounds != 2 || r.Muted != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Interrupted among its muted runs and resumed, it comes to the same end.
func TestMutedInterrupted(t *testing.T) {
	for at := 1; at <= 11; at++ {
		o, runner := newOptions(t), &fakeRunner{stopAt: at}
		o.Started = true
		ctx, cancel := context.WithCancel(t.Context())
		runner.stop = cancel
		_, err := Run(ctx, o, []Runner{runner}, patch, nil)
		cancel()
		if at == 11 {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "interrupted") {
			t.Fatalf("stopped at %d: %v", at, err)
		}
		if r, err := Run(t.Context(), o, []Runner{runner}, patch, nil); err != nil || r.Rounds != 1 || r.Muted != 3 || runner.ran != 11 {
			t.Errorf("stopped at %d: %+v, %v, %d runs", at, r, err, runner.ran)
		}
	}
}

// Where the runner does not load what mutes, the rounds go as without.
func TestNotMuted(t *testing.T) {
	o := newOptions(t)
	o.Started = true
	r, err := Run(t.Context(), o, []Runner{&fakeRunner{deaf: true}}, patch, nil)
	if err != nil || !r.Holds || r.Rounds != 2 || r.Muted != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if kept, err := KeptResults(o.DB); err != nil || len(kept) != 3 || kept[0][0].Message == "" {
		t.Errorf("%v, %v", kept, err)
	}
}

// A reset is shown by what the runs before the first patch were answered.
func TestNotReset(t *testing.T) {
	one := func(request string, status int, body string) *exchange.Exchange {
		return &exchange.Exchange{
			Request:  exchange.ParseRequest(exchange.Message{Head: []byte(request + " HTTP/1.1\r\nHost: x\r\n\r\n"), Plain: true}),
			Response: exchange.ParseResponse(exchange.Message{Head: fmt.Appendf(nil, "HTTP/1.1 %d X\r\nContent-Type: application/json\r\n\r\n", status), Body: []byte(body), Plain: true})}
	}
	created := one("POST /a", 201, `{"id":1}`)
	for _, c := range []struct {
		name string
		runs [][]*exchange.Exchange
		says string
	}{
		{"same", [][]*exchange.Exchange{{created}, {created}}, ""},
		{"time moves", [][]*exchange.Exchange{{created, one("GET /t", 200, `{"now":5}`)}, {created, one("GET /t", 200, `{"now":6}`)}}, ""},
		{"lengths at random", [][]*exchange.Exchange{{created, one("GET /a", 200, `[1]`)}, {created, one("GET /a", 200, `[1,2,3]`)}, {created, one("GET /a", 200, `[1,2]`)}}, ""},
		{"nothing changed", [][]*exchange.Exchange{{one("GET /a", 200, `[1]`)}, {one("GET /a", 200, `[1]`)}}, "changes nothing"},
		{"a conflict", [][]*exchange.Exchange{{created}, {one("POST /a", 409, `{}`)}}, "answered 201 to POST /a, another 409"},
		{"a list grows", [][]*exchange.Exchange{{created, one("GET /a", 200, `[1]`)}, {created, one("GET /a", 200, `[1,2]`)}}, "grow"},
		{"ids count on", [][]*exchange.Exchange{{created}, {one("POST /a", 201, `{"id":2}`)}, {one("POST /a", 201, `{"id":3}`)}}, "grow"},
		{"one run", [][]*exchange.Exchange{{created}}, "nothing shows"},
	} {
		if got := notReset(c.runs); (got == "") != (c.says == "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// What a loop sends that waits for something counts once, however often it looks.
func TestDistinct(t *testing.T) {
	for _, c := range []struct {
		name string
		sent string
		want int
	}{
		{"all others", "GET /a,GET /b,POST /a", 3},
		{"a loop", "POST /a,GET /a,GET /a,GET /a,GET /b", 3},
		{"a loop that sends two", "GET /a,GET /b,GET /a,GET /b", 2},
		{"read again behind a change", "GET /a,POST /a,GET /a", 3},
		{"changed again", "POST /a,POST /a", 2},
	} {
		var r recorder
		for line := range strings.SplitSeq(c.sent, ",") {
			r.tell(&exchange.Exchange{Request: exchange.ParseRequest(exchange.Message{
				Head: []byte(line + " HTTP/1.1\r\nHost: x\r\n\r\n"), Plain: true})})
		}
		if r.distinct != c.want {
			t.Errorf("%s: %d, want %d", c.name, r.distinct, c.want)
		}
	}
}

// A muted run that sent fewer requests than any run of the suite as it is counts where it is a loop that sent fewer.
func TestMutedLoop(t *testing.T) {
	ran := func(requests, distinct int) execution { return execution{Requests: requests, Distinct: distinct} }
	m := &muting{session: &session{}, round: &round{runs: []execution{ran(39, 22), ran(36, 22)}}}
	log := probe.Log{Tests: 1}
	if why := m.refused(ran(32, 25), log); why != "" {
		t.Errorf("it is not judged by: %s", why)
	}
	if why := m.refused(ran(40, 21), log); why == "" {
		t.Error("it is judged by one that ended early")
	}
}
