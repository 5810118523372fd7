package marked

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

var (
	sleep = Sleep{SpecOf("a spec"), 4}
	day   = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
)

// asked is a request of a test: its times are milliseconds, from the beginning of the test, whose rest lasts from 0 to
// 1000, and whose sleep is over at 2000.
type asked struct {
	what     string // method, path, and what the browser wants it for: "itself", for nothing that a page asks for
	from, to int
	status   int
}

// recording is one of as many tests as there are lists, of which the last few failed.
func recording(failed int, tests ...[]asked) *Recording {
	var pass exchange.Pass
	pass.Number = 1
	var all []*exchange.Exchange
	for i, requests := range tests {
		begin := day.Add(time.Duration(i) * time.Minute)
		set := func(ms int, name string) {
			pass.Marks = append(pass.Marks, exchange.PassMark{Name: name, At: begin.Add(time.Duration(ms) * time.Millisecond)})
		}
		set(0, sleep.Mark(Rests))
		set(1000, sleep.Mark(Acts))
		set(2000, sleep.Mark(Over))
		if i < len(tests)-failed {
			set(2100, sleep.Spec.Mark(Passed))
		} else {
			set(2100, sleep.Spec.Mark("failed"))
		}
		for _, a := range requests {
			words := strings.Fields(a.what + " empty")
			fetch := "Accept: */*\r\nSec-Fetch-Dest: " + words[2] + "\r\n"
			if words[2] == "itself" {
				fetch = ""
			}
			e := &exchange.Exchange{Pass: 1, Scheme: "http", Addr: "a:1", Start: begin.Add(time.Duration(a.from) * time.Millisecond),
				Latency: time.Duration(a.to-a.from) * time.Millisecond, Request: exchange.ParseRequest(exchange.Message{Head: []byte(fmt.Sprintf(
					"%s %s HTTP/1.1\r\nHost: a:1\r\nUser-Agent: Mozilla/5.0\r\n%s\r\n", words[0], words[1], fetch))})}
			if a.status == 0 {
				e.Fault = &exchange.Fault{}
			} else {
				e.Response = exchange.ParseResponse(exchange.Message{Head: []byte(fmt.Sprintf("HTTP/1.1 %d X\r\n\r\n", a.status))})
			}
			all = append(all, e)
		}
	}
	r, err := Read([]exchange.Pass{pass}, func(yield func(*exchange.Exchange, error) bool) {
		for _, e := range all {
			if !yield(e, nil) {
				return
			}
		}
	})
	if err != nil {
		panic(err)
	}
	return r
}

// A sleep is for what is asked once behind the action, in every test that passed, and answered before the sleep is over.
func TestOf(t *testing.T) {
	price := asked{"GET /api/price", 1100, 1300, 200}
	with := func(more ...asked) [][]asked {
		return slices.Repeat([][]asked{append([]asked{price}, more...)}, Least)
	}
	instead := func(last ...asked) [][]asked { return append(with()[:Least-1], last) }
	var jobs [][]asked
	for i := range Least {
		jobs = append(jobs, []asked{{fmt.Sprintf("POST /jobs/%d/start?now=1", i), 1050, 1500, 202}})
	}
	for _, tt := range []struct {
		name  string
		tests [][]asked
		want  string // routes
		why   string
	}{
		{"one request", with(), "GET /api/price", ""},
		{"two", with(asked{"GET /api/stock", 1050, 1900, 200}), "GET /api/stock, GET /api/price", ""},
		{"its path has an id", jobs, "POST /jobs/*/start ?", ""},
		{"the page itself, and what it is made of", with(asked{"GET / document", 1001, 1020, 200}, asked{"GET /a.js script", 1030, 1040, 200}), "GET /api/price", ""},
		{"what is asked for by others", with(asked{"OPTIONS /api/price", 1090, 1099, 204}, asked{"CONNECT a.example:443", 500, 1500, 0}), "GET /api/price", ""},
		{"what the browser asks for itself", with(asked{"POST /service/update2/json itself", 990, 1500, 502}), "GET /api/price", ""},
		{"a page that has gone", with(asked{"GET /events", -900, 10, 0}), "GET /api/price", ""},
		{"in the rest", instead(price, asked{"GET /api/price", 500, 600, 200}), "", "GET /api/price is asked, or under way, while nothing is done"},
		{"another in the rest", instead(price, asked{"GET /tick", 999, 1500, 200}), "", "GET /tick is asked, or under way, while nothing is done"},
		{"under way before", instead(price, asked{"GET /late", -100, 400, 200}), "", "GET /late is asked, or under way, while nothing is done"},
		{"twice", with(asked{"GET /api/price", 1400, 1500, 200}), "", "GET /api/price is asked several times"},
		{"twice in one", instead(price, asked{"GET /api/price", 1400, 1500, 200}), "", "GET /api/price is asked several times"},
		{"not always", instead(), "", "GET /api/price is asked in some runs only"},
		{"another now and then", instead(price, asked{"GET /api/stock", 1400, 1500, 200}), "", "GET /api/stock is asked in some runs only, or not told from another"},
		{"another each time", instead(asked{"GET /web/stock", 1100, 1200, 200}), "", "GET /api/price has another path in each run"},
		{"answered too late", instead(asked{"GET /api/price", 1100, 2001, 200}), "", "GET /api/price is not answered when it is over"},
		{"a fault", instead(asked{"GET /api/price", 1100, 1200, 0}), "", "GET /api/price is not answered when it is over"},
		{"a WebSocket", with(asked{"GET /ws", 1100, 1200, 101}), "", "GET /ws is not answered when it is over"},
		{"led elsewhere", with(asked{"GET /old", 1050, 1060, 302}), "", "GET /old is answered by leading elsewhere"},
		{"an image of what was fetched", with(asked{"GET /a.png image", 1350, 1400, 200}), "", "the page loads GET /a.png behind what it asks for"},
		{"a glob", with(asked{"GET /a+(b)", 1350, 1400, 200}), "", "GET /a+(b) has signs in its path that mean something in cy.intercept"},
		{"nothing", slices.Repeat([][]asked{nil}, Least), "", errNothing.Error()},
		{"too few", with()[1:], "", "tests that passed came by it 4 times, and it takes 5; record more runs"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := recording(0, tt.tests...).Of(sleep)
			var routes []string
			for _, r := range e.Routes {
				routes = append(routes, strings.TrimSpace(fmt.Sprintf("%s %s", r, map[bool]string{true: "?"}[r.Query])))
			}
			why := ""
			if err != nil {
				why = err.Error()
			}
			if got := strings.Join(routes, ", "); got != tt.want || why != tt.why {
				t.Errorf("%q, %q", got, why)
			}
		})
	}
	e, err := recording(0, with()...).Of(sleep)
	if err != nil || e.Says() != "300ms after the action before it, 300ms at most, in 5 tests that passed" || e.Begin != 100*time.Millisecond {
		t.Errorf("%s, %v: %v", e.Says(), e.Begin, err)
	}
}

// What was asked in a test that failed shows nothing, and a sleep that was not come by is not known.
func TestFailed(t *testing.T) {
	price := []asked{{"GET /api/price", 1100, 1300, 200}}
	r := recording(1, append(slices.Repeat([][]asked{price}, Least), nil)...)
	if e, err := r.Of(sleep); err != nil || e.Times.N != Least {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := r.Of(Sleep{sleep.Spec, 9}); !errors.Is(err, errNever) || !r.Knows(sleep.Spec) || r.Knows("another") {
		t.Error(err)
	}
}

// What a run began that was ended in a test is none of the next one's.
func TestCutOff(t *testing.T) {
	pass, at := exchange.Pass{Number: 1}, day
	set := func(names ...string) {
		for _, name := range names {
			at = at.Add(time.Second)
			pass.Marks = append(pass.Marks, exchange.PassMark{Name: name, At: at})
		}
	}
	other := Sleep{sleep.Spec, 9}
	set(sleep.Spec.Mark(Begins), other.Mark(Rests), other.Mark(Acts), other.Mark(Over)) // the browser dies
	set(sleep.Spec.Mark(Begins), sleep.Mark(Rests), sleep.Mark(Acts), sleep.Mark(Over), sleep.Spec.Mark(Passed))
	r, err := Read([]exchange.Pass{pass}, func(func(*exchange.Exchange, error) bool) {})
	if err != nil || len(r.windows[other]) != 0 || len(r.windows[sleep]) != 1 {
		t.Errorf("%v, %v", r.windows, err)
	}
}

// Marks are hostile: any names, in any order.
func FuzzRead(f *testing.F) {
	f.Add("flaketap:a:4:rest,flaketap:a:4:act,flaketap:a:4:over,flaketap:a:0:passed,flaketap:a:0:failed")
	f.Add("flaketap:a:4:over,flaketap:::,x")
	f.Fuzz(func(t *testing.T, names string) {
		pass := exchange.Pass{Number: 1}
		for i, name := range strings.Split(names, ",") {
			pass.Marks = append(pass.Marks, exchange.PassMark{Name: name, At: day.Add(time.Duration(i) * time.Second)})
		}
		r, err := Read([]exchange.Pass{pass}, func(func(*exchange.Exchange, error) bool) {})
		if err != nil {
			t.Fatal(err)
		}
		for s, windows := range r.windows {
			for _, w := range windows {
				if w.sleep != s || !w.rest.Before(w.acts) || !w.acts.Before(w.over) {
					t.Errorf("%+v", w)
				}
			}
		}
	})
}
