package demoapi

import (
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/proving"
	"github.com/flaketap/flaketap/internal/testbed/truth"
)

func loadTruth(t testing.TB) *truth.Truth {
	t.Helper()
	labels, err := LoadTruth()
	if err != nil {
		t.Fatal(err)
	}
	return &labels
}

// TestTruth proves the truth file under its default conditions: a recording of an API that an earlier client used,
// then many runs, each after a reset, the clock going on, the client pausing as recorded or not at all.
func TestTruth(t *testing.T) {
	runs := map[uint64]int{1: 200, 2: 40, 3: 40}
	if testing.Short() {
		runs = map[uint64]int{1: 50}
	}
	labels := loadTruth(t)
	for seed, n := range runs {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			clock := proving.NewClock(noon, seed)
			api := New(Dials{Seed: seed, Clock: clock.Read})
			p := proving.Begin(t, labels, session(t, api, 80, 1, clock, 1))
			for i := range n {
				clock.Advance(time.Second)
				proving.Reset(t, api)
				proving.Hold(t, p, session(t, api, 80, 1, clock, float64(i%2)))
				if t.Failed() {
					return
				}
			}
			for _, wrong := range p.Check() {
				t.Error(wrong)
			}
		})
	}
}

// TestCategories proves the categories by experiment: where one thing alone changes, all moves that has a category
// which follows from it, and nothing else. What is left, and moves in TestTruth, is State.
func TestCategories(t *testing.T) {
	play := func(clock *proving.Clock, seed uint64, port int, machine Environment, pace float64) []truth.Seen {
		api := New(Dials{Fresh: true, NullChance: 0.5, RareChance: 0.5, Clock: clock.Read, Seed: seed, Environment: machine})
		return session(t, api, port, 2, clock, pace)
	}
	bcrypt := func(l truth.Label) bool { return l.Place == "/body/passwordHash" && l.Moves() } // its salt is drawn elsewhere
	needs := func(l truth.Label) bool { return l.Needs == truth.NeedMidnight }
	tellTime := []exchange.Place{"/body/token", "/body/entries"} // they tell when they were made
	absolute := []exchange.Place{"/header/location"}             // the redirect with a nonce is absolute
	for _, x := range proving.Experiments(noon, tellTime, absolute) {
		t.Run(x.Name, func(t *testing.T) { x.Check(t, loadTruth(t), play, bcrypt, needs) })
	}
}

// TestMidnight proves that what needs midnight moves when the clock dial passes it.
func TestMidnight(t *testing.T) {
	clock := proving.NewClock(noon, 1)
	api := New(Dials{Seed: 1, Clock: clock.Read, Fresh: true})
	p := proving.Begin(t, loadTruth(t), session(t, api, 80, 1, clock, 1))
	proving.Reset(t, api)
	if w := proving.Ask(api, "PUT", "/admin/dials", `{"clockOffset":"24h"}`); w.Code != 200 {
		t.Fatalf("set dials: %d %s", w.Code, w.Body)
	}
	proving.Hold(t, p, session(t, api, 80, 1, clock, 1))
	n := 0
	for _, f := range p.Findings() {
		if f.Label.Needs != truth.NeedMidnight {
			continue
		}
		n++
		if f.Moved == nil {
			t.Errorf("%v: did not move at midnight", f)
		}
	}
	if n == 0 {
		t.Error("no label needs midnight")
	}
}

// TestTruthFile checks the form of the file, and that it labels enough.
func TestTruthFile(t *testing.T) {
	labels := loadTruth(t)
	for _, wrong := range labels.Validate() {
		t.Error(wrong)
	}
	total, counted := 0, labels.Count()
	for _, label := range []string{truth.Stable, "Time", "Rand", "Crypt", "Unord", "RunMsg", "State", "Env"} {
		if counted[label] == 0 {
			t.Errorf("no place is labelled %s", label)
		}
		total += counted[label]
	}
	if total < 250 {
		t.Errorf("%d places are labelled, want 250", total)
	}
	t.Logf("%d labelled places beside those of every operation: %v", total, counted)
}

// TestTruthOfAnySession proves that what is labelled stable does not move in sessions of any other order either, such
// as a fuzzer has: requests drawn at random, with ids that may or may not be there.
func TestTruthOfAnySession(t *testing.T) {
	labels := loadTruth(t)
	for seed := range uint64(20) {
		clock := proving.NewClock(noon, seed)
		api := New(Dials{Seed: seed + 1, Clock: clock.Read})
		requests := randomRequests(rand.New(rand.NewPCG(seed, 2)), 150)
		play := func() []truth.Seen {
			d := &proving.Direct{API: subject(api), Port: 80}
			for _, r := range requests {
				in := httptest.NewRequest(r.method, "http://api.test"+r.path, strings.NewReader(r.body))
				in.Header.Set("Content-Type", "application/json")
				in.Header.Set("Authorization", "Bearer "+PersonalToken)
				if _, err := d.RoundTrip(in); err != nil {
					t.Fatal(err)
				}
			}
			return d.Steps
		}
		p := proving.Begin(t, labels, play())
		for range 3 {
			clock.Advance(time.Second)
			proving.Reset(t, api)
			proving.Hold(t, p, play())
		}
		for _, f := range p.Findings() {
			if l := f.Label; (l.Label == truth.Stable || l.Needs != "") && f.Moved != nil {
				t.Errorf("seed %d: %v: labelled %s, and moved: %v", seed, f, l.Label, f.Moved)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// randomRequest is one request of a random session.
type randomRequest struct{ method, path, body string }

// randomRequests draws requests to every operation that needs no id made at run time.
func randomRequests(rng *rand.Rand, n int) []randomRequest {
	bodies := map[string][]string{
		"/products":              {`{"name":"Bead Frame","tag":"game","priceCents":450}`, `{"name":"","tag":"game","priceCents":0}`},
		"/products/{id}":         {`{"name":"Loom","tag":"print","priceCents":99}`, `{}`},
		"/products/{id}/reviews": {`{"author":"Mary","stars":5,"text":"Good."}`, `{"author":"Mary","stars":6}`},
		"/guestbook":             {`{"author":"Eve","text":"Hello."}`, `{"author":""}`},
		"/orders":                {`{"items":[{"product":1,"quantity":2}]}`, `{"items":[{"product":8,"quantity":2}]}`},
		"/accounts":              {`{"email":"a@b.de","password":"12345678","displayName":"A","birthDate":"2001-01-01"}`, `{"email":"a"}`},
		"/login":                 {adaLogin, `{"email":"a@b.de","password":"12345678"}`},
		"/registrations":         {`{"email":"a","age":1,"country":"","memberSince":""}`, `{"email":"a@b.de","age":20,"country":"DE","memberSince":"2001-01-01"}`},
		"/imports":               {`{"name":"lamp","x":1}`, `{"name":"lamp"}`},
		"/invoices":              {`{"orderId":"` + seedOrderID + `"}`, `{"orderId":"none"}`},
		"/cart/items":            {`{"product":1,"quantity":1}`},
	}
	params := map[string]string{"{name}": "Basket", "/accounts/{id}": adaID, "/orders/{id}": seedOrderID, "{number}": fmt.Sprint(seedInvoice)}
	routes := slices.DeleteFunc(New(Dials{}).routes, func(r route) bool { return strings.HasPrefix(r.Template, "/admin/") || r.Template == "/openapi.json" })
	requests := make([]randomRequest, n)
	for i := range requests {
		r := routes[rng.IntN(len(routes))]
		path := r.Template
		for from, to := range params {
			if strings.Contains(from, "/") {
				to = from[:strings.Index(from, "{")] + to
			}
			path = strings.ReplaceAll(path, from, to)
		}
		path = strings.ReplaceAll(path, "{id}", fmt.Sprint(1+rng.IntN(10)))
		switch r.Template {
		case "/search":
			path += []string{"?q=o", "?q=in", "?q=", "?q=frame"}[rng.IntN(4)]
		case "/prices/estimate":
			path += fmt.Sprintf("?product=%d", 1+rng.IntN(9))
		case "/products":
			path += []string{"", "?limit=50", "?limit=0", "?tag=game"}[rng.IntN(4)]
		}
		body := ""
		if b := bodies[r.Template]; r.Method != "GET" && r.Method != "DELETE" && len(b) > 0 {
			body = b[rng.IntN(len(b))]
		}
		requests[i] = randomRequest{r.Method, path, body}
	}
	return requests
}
