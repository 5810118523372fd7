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

// newProof begins a proof of the labels.
func newProof(t testing.TB, labels *truth.Truth, recorded []truth.Seen) *truth.Proof {
	t.Helper()
	p, err := truth.NewProof(labels, recorded)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// hold holds one run against the recording.
func hold(t testing.TB, p *truth.Proof, steps []truth.Seen) {
	t.Helper()
	for _, fault := range p.Run(steps) {
		t.Error(fault)
	}
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
			clock := newFakeClock(noon, seed)
			api := New(Dials{Seed: seed, Clock: clock.read})
			p := newProof(t, labels, session(t, api, 80, 1, clock, 1))
			for i := range n {
				clock.advance(time.Second)
				reset(t, api)
				hold(t, p, session(t, api, 80, 1, clock, float64(i%2)))
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

// experiment changes one thing between a recording and its runs.
type experiment struct {
	name       string
	clocks     func(run uint64) *fakeClock // run 0 is the recording
	seed       func(run uint64) uint64
	pace       float64 // of the runs; the recording's is 1
	port       int     // of the runs; the recording's is 80
	env        Environment
	categories []string         // what must move, all of it, and nothing else may
	besides    []exchange.Place // what may move by a part of it
}

// TestCategories proves the categories by experiment: where one thing alone changes, all moves that has a category
// which follows from it, and nothing else. What is left, and moves in TestTruth, is State.
func TestCategories(t *testing.T) {
	same := func(uint64) uint64 { return 7 }
	frozen := func(uint64) *fakeClock { c := newFakeClock(noon, 9); c.frozen = true; return c }
	moving := func(run uint64) *fakeClock { return newFakeClock(noon.Add(time.Duration(run)*time.Minute), run) }
	here := Environment{Hostname: "here", PID: 3, TempDir: "/tmp", User: "nobody"}
	elsewhere := Environment{Hostname: "elsewhere", PID: 4, TempDir: "/var/tmp/x", User: "root"}
	for _, x := range []experiment{
		{"nothing", frozen, same, 1, 80, here, nil, nil},
		{"the clock", moving, same, 0, 80, here, []string{"Time"}, []exchange.Place{"/body/token", "/body/entries"}}, // they tell when they were made
		{"randomness", frozen, func(run uint64) uint64 { return 7 + run }, 1, 80, here, []string{"Rand", "Crypt", "Unord", "RunMsg"}, nil},
		{"the machine", frozen, same, 1, 8080, elsewhere, []string{"Env"}, []exchange.Place{"/header/location"}}, // the redirect with a nonce is absolute
	} {
		t.Run(x.name, func(t *testing.T) { x.check(t, loadTruth(t), here) })
	}
}

// check runs the experiment.
func (x *experiment) check(t *testing.T, labels *truth.Truth, here Environment) {
	dials := Dials{Fresh: true, NullChance: 0.5, RareChance: 0.5}
	play := func(run uint64, port int, env Environment, pace float64) []truth.Seen {
		clock := x.clocks(run)
		d := dials
		d.Clock, d.Seed, d.Environment = clock.read, x.seed(run), env
		return session(t, New(d), port, 2, clock, pace)
	}
	p := newProof(t, labels, play(0, 80, here, 1))
	for run := range uint64(12) {
		hold(t, p, play(run+1, x.port, x.env, x.pace))
	}
	for _, f := range p.Findings() {
		l, moved := f.Label, f.Moved
		may := func(l truth.Label) bool {
			return slices.Contains(x.categories, l.Label) && l.Needs != truth.NeedMidnight
		}
		switch {
		case l.Label == truth.Either, l.Protocol, slices.Contains(x.besides, l.Place):
		case l.Place == "/body/passwordHash" && l.Moves(): // bcrypt takes its salt elsewhere, whatever the seed
		case moved != nil && !may(l) && !p.Holds(f, may):
			t.Errorf("%v: labelled %s, and moved: %s", f, l.Label, moved)
		case moved == nil && may(l):
			t.Errorf("%v: labelled %s, and did not move", f, l.Label)
		}
	}
}

// TestMidnight proves that what needs midnight moves when the clock dial passes it.
func TestMidnight(t *testing.T) {
	clock := newFakeClock(noon, 1)
	api := New(Dials{Seed: 1, Clock: clock.read, Fresh: true})
	p := newProof(t, loadTruth(t), session(t, api, 80, 1, clock, 1))
	reset(t, api)
	w := httptest.NewRecorder()
	r := httptest.NewRequest("PUT", "/admin/dials", strings.NewReader(`{"clockOffset":"24h"}`))
	r.Header.Set("Content-Type", "application/json")
	if api.ServeHTTP(w, r); w.Code != 200 {
		t.Fatalf("set dials: %d %s", w.Code, w.Body)
	}
	hold(t, p, session(t, api, 80, 1, clock, 1))
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
		clock := newFakeClock(noon, seed)
		api := New(Dials{Seed: seed + 1, Clock: clock.read})
		requests := randomRequests(rand.New(rand.NewPCG(seed, 2)), 150)
		play := func() []truth.Seen {
			d := &direct{api: api, port: 80}
			for _, r := range requests {
				in := httptest.NewRequest(r.method, "http://api.test"+r.path, strings.NewReader(r.body))
				in.Header.Set("Content-Type", "application/json")
				in.Header.Set("Authorization", "Bearer "+PersonalToken)
				if _, err := d.RoundTrip(in); err != nil {
					t.Fatal(err)
				}
			}
			return d.steps
		}
		p := newProof(t, labels, play())
		for range 3 {
			clock.advance(time.Second)
			reset(t, api)
			hold(t, p, play())
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
