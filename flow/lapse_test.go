package flow

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// lapsing is a recording of steps, each of which bears a credential, with its runs. Answers are statuses: the recorded
// one, then that of each run; 0 where a run lacks the step.
type lapsing struct {
	steps   []exchange.Step
	runs    []exchange.Run
	origin  time.Time
	minutes int // between runs
}

func newLapsing(runs int) *lapsing {
	l := &lapsing{origin: time.Unix(1_700_000_000, 0).UTC(), minutes: 60}
	for n := range runs {
		l.runs = append(l.runs, exchange.Run{Number: n + 1, Kind: exchange.RunReplay, Started: l.begin(n + 1)})
	}
	return l
}

// begin is when a run began; 0 is the recording.
func (l *lapsing) begin(run int) time.Time {
	return l.origin.Add(time.Duration(run*l.minutes) * time.Minute)
}

func (l *lapsing) add(method, field string, statuses ...int) {
	seq := uint64(len(l.steps) + 1)
	head := fmt.Sprintf("%s /things/%d HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n", method, seq, field)
	r := exchange.ParseRequest(exchange.Message{Head: []byte(head)})
	after := time.Duration(seq) * time.Second
	e := &exchange.Exchange{Seq: seq, Start: l.origin.Add(after), Request: r, Response: &exchange.Response{Status: statuses[0]}}
	s := exchange.Step{Exchange: e}
	for n, status := range statuses[1:] {
		if status != 0 {
			s.Observations = append(s.Observations, &exchange.Observation{Run: n + 1, Seq: seq, Start: l.begin(n + 1).Add(after), Sent: r,
				Response: &exchange.Response{Status: status}})
		}
	}
	l.steps = append(l.steps, s)
}

// found makes both passes, and says what lapsed and what is left of the runs' answers, a line for each step.
func (l *lapsing) found(bindings ...exchange.Binding) (lapsed []Lapse, left string) {
	all := NewLapses(l.runs, bindings)
	for _, s := range l.steps {
		all.Look(s)
	}
	for _, s := range l.steps {
		all.Weigh(s)
	}
	lapsed = all.Found()
	sieve := all.Sieve(lapsed)
	var lines []string
	for _, s := range l.steps {
		var kept []string
		for _, o := range sieve.Step(s).Observations {
			kept = append(kept, fmt.Sprintf("%d:%d", o.Run, o.Response.Status))
		}
		lines = append(lines, strings.Join(kept, " "))
	}
	return lapsed, strings.Join(lines, "|")
}

func TestLapses(t *testing.T) {
	const opaque = "Authorization: Bearer abcdef"
	ends := func(l *lapsing, after time.Duration) string {
		return "Authorization: Bearer " + jwt(fmt.Sprintf(`{"exp":%d}`, l.origin.Add(after).Unix()))
	}
	for _, tt := range []struct {
		name string
		make func(l *lapsing)
		want string // the place that lapsed, "" for none
		left string
	}{
		{"an opaque token that is refused from the second run on", func(l *lapsing) {
			l.add("GET", opaque, 200, 200, 401, 401)
			l.add("GET", opaque, 200, 200, 401, 401)
			l.add("GET", opaque, 200, 200, 401, 401)
		}, "/header/authorization", "1:200|1:200|1:200"},
		{"what needs no token is answered all the same", func(l *lapsing) {
			for range 3 {
				l.add("GET", opaque, 200, 200, 401, 401)
			}
			l.add("GET", opaque, 200, 200, 200, 200)
			l.add("GET", "X-Other: 1", 200, 200, 200, 200)
		}, "/header/authorization", "1:200|1:200|1:200|1:200|1:200 2:200 3:200"},
		{"too few requests to tell", func(l *lapsing) {
			l.add("GET", opaque, 200, 200, 401, 401)
			l.add("GET", opaque, 200, 200, 401, 401)
		}, "", "1:200 2:401 3:401|1:200 2:401 3:401"},
		{"an API that refuses by chance", func(l *lapsing) {
			l.add("GET", opaque, 200, 401, 200, 401)
			l.add("GET", opaque, 200, 401, 401, 401)
			l.add("GET", opaque, 200, 401, 401, 401)
		}, "", "1:401 2:200 3:401|1:401 2:401 3:401|1:401 2:401 3:401"},
		{"a few requests of many", func(l *lapsing) {
			for range 3 {
				l.add("GET", opaque, 200, 401, 401, 401)
			}
			for range 4 {
				l.add("GET", opaque, 200, 200, 200, 200)
			}
		}, "", "1:401 2:401 3:401|1:401 2:401 3:401|1:401 2:401 3:401|1:200 2:200 3:200|1:200 2:200 3:200|1:200 2:200 3:200|1:200 2:200 3:200"},
		{"a permission that is gone: others are still granted", func(l *lapsing) {
			for range 3 {
				l.add("GET", opaque, 200, 403, 403, 403)
			}
			l.add("GET", opaque, 200, 200, 200, 200)
		}, "", "1:403 2:403 3:403|1:403 2:403 3:403|1:403 2:403 3:403|1:200 2:200 3:200"},
		{"a key that is forbidden everywhere", func(l *lapsing) {
			for range 3 {
				l.add("GET", "X-Api-Key: abcdef", 200, 403, 403, 403)
			}
		}, "/header/x-api-key", "||"},
		{"a refusal that was recorded is what is tested", func(l *lapsing) {
			for range 3 {
				l.add("GET", opaque, 401, 401, 401, 401)
			}
		}, "", "1:401 2:401 3:401|1:401 2:401 3:401|1:401 2:401 3:401"},
		{"a token that ended by its own word, once is enough", func(l *lapsing) {
			l.add("GET", ends(l, 90*time.Minute), 200, 200, 401, 401)
		}, "/header/authorization", "1:200"},
		{"a token whose end the API does not mind", func(l *lapsing) {
			l.add("GET", ends(l, 90*time.Minute), 200, 200, 200, 200)
		}, "", "1:200 2:200 3:200"},
		{"a token that had ended when it was recorded", func(l *lapsing) {
			l.add("GET", ends(l, -time.Minute), 200, 200, 401, 401)
		}, "", "1:200 2:401 3:401"},
		{"a test of expiry: the recording has the refusal", func(l *lapsing) {
			l.add("GET", ends(l, time.Second), 401, 401, 401, 401)
		}, "", "1:401 2:401 3:401"},
		{"a refused write changes what the rest of the run meets", func(l *lapsing) {
			l.add("GET", "X-Other: 1", 200, 200, 200, 200)
			l.add("POST", ends(l, 90*time.Minute), 201, 201, 401, 401)
			l.add("GET", "X-Other: 1", 200, 200, 404, 404)
		}, "/header/authorization", "1:200 2:200 3:200|1:201|1:200"},
		{"a cookie", func(l *lapsing) {
			for range 3 {
				l.add("GET", "Cookie: a=b; sid=abcdef", 200, 200, 401, 401)
			}
			for range 7 {
				l.add("GET", "Cookie: a=b", 200, 200, 200, 200)
			}
		}, "/cookie/sid", "1:200|1:200|1:200" + strings.Repeat("|1:200 2:200 3:200", 7)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLapsing(3)
			tt.make(l)
			lapsed, left := l.found()
			var places []string
			for _, f := range lapsed {
				places = append(places, string(f.Place))
			}
			if got := strings.Join(places, " "); got != tt.want || left != tt.left {
				t.Errorf("%q lapsed, left %s\nwant %q, %s", got, left, tt.want, tt.left)
			}
		})
	}
}

// What an answer of the run gave has not lapsed where it is refused: that is the API's own doing. It may end by its own
// word.
func TestLapsesOfBoundTokens(t *testing.T) {
	for _, own := range []bool{false, true} {
		l := newLapsing(2)
		l.minutes = 1
		token, want := "abcdef", "1:401 2:401"
		if own {
			token, want = jwt(fmt.Sprintf(`{"exp":%d}`, l.origin.Add(time.Minute).Unix())), ""
		}
		b := exchange.Binding{Value: token}
		for seq := range uint64(3) {
			l.add("GET", "Authorization: Bearer "+token, 200, 401, 401)
			b.Uses = append(b.Uses, exchange.Ref{Seq: seq + 1, Place: "/header/authorization"})
		}
		lapsed, left := l.found(b)
		if (len(lapsed) == 1) != own || left != strings.Join([]string{want, want, want}, "|") {
			t.Errorf("by its own word %t: %+v, left %s", own, lapsed, left)
		}
	}
}

// The API's own word on a token (RFC 6750, section 3.1) is enough; runs that sent wrong values, or moved the API's clock,
// say nothing.
func TestLapsesByTheWordOfTheAPI(t *testing.T) {
	l := newLapsing(2)
	l.add("GET", "Authorization: Bearer abcdef", 200, 401, 401)
	for _, o := range l.steps[0].Observations {
		o.Response = exchange.ParseResponse(exchange.Message{
			Head: []byte("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer realm=\"a\", error=\"invalid_token\"\r\n\r\n")})
	}
	lapsed, left := l.found()
	if len(lapsed) != 1 || !slices.Equal(lapsed[0].Runs, []int{1, 2}) || !lapsed[0].Since.Equal(l.begin(1).Add(time.Second)) || left != "" {
		t.Errorf("%+v, left %s", lapsed, left)
	}
	l.runs[0].Refused = 1
	l.runs[1].Conditions.Perturb = []string{exchange.PerturbBindings}
	if lapsed, _ := l.found(); len(lapsed) != 0 {
		t.Errorf("of runs that say nothing: %+v", lapsed)
	}
}

// A credential takes the place of a value that lapsed, and of no other.
func TestRenewLapsed(t *testing.T) {
	r := exchange.ParseRequest(exchange.Message{Head: []byte("GET / HTTP/1.1\r\nAuthorization: Bearer old\r\nX-Key: other\r\n\r\n")})
	renewal := Renewal{Credentials: Credentials{{"Authorization", "Bearer new"}, {"X-Key", "new"}}, Lapsed: map[string]bool{"Bearer old": true}}
	if got := string(renewal.Fill(r, time.Time{}, time.Time{}).Head); !strings.Contains(got, "Bearer new") || !strings.Contains(got, "X-Key: other") {
		t.Errorf("%q", got)
	}
	e := &exchange.Exchange{Seq: 1, Request: r, Response: &exchange.Response{Status: 200}}
	if got := renewal.Lacking(slices.Values([]*exchange.Exchange{e}), nil, time.Time{}); !slices.Equal(got.Unused, []string{"X-Key"}) {
		t.Errorf("%+v", got)
	}
}
