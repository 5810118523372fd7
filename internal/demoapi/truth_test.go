package demoapi

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

func loadTruth(t testing.TB) *Truth {
	t.Helper()
	truth, err := LoadTruth()
	if err != nil {
		t.Fatal(err)
	}
	return &truth
}

// labelled is a label with the operation that it belongs to, fit for a map's key.
type labelled struct {
	operation *Operation
	place     exchange.Place
}

func (l labelled) String() string {
	return fmt.Sprintf("%s %s %d %s", l.operation.Method, l.operation.Template, l.operation.Status, l.place)
}

// comparison holds the runs of a session against its recording, label by label.
type comparison struct {
	truth    *Truth
	recorded []seen
	parts    []parts      // of recorded
	labels   [][]Label    // of the operation of each step, those of everywhere included
	ops      []*Operation // of each step
	label    map[labelled]Label
	seen     map[labelled]bool
	moved    map[labelled]*move
}

// move is one difference between a recorded answer and one of a run.
type move struct{ request, before, after string }

// String returns the difference, cut short. A nil one is "".
func (m *move) String() string {
	if m == nil {
		return "not"
	}
	return fmt.Sprintf("%s: %.200q, then %.200q", m.request, m.before, m.after)
}

func newComparison(t testing.TB, truth *Truth, recorded []seen) *comparison {
	t.Helper()
	c := &comparison{truth: truth, recorded: recorded, label: map[labelled]Label{}, seen: map[labelled]bool{}, moved: map[labelled]*move{}}
	for _, s := range recorded {
		o := truth.operation(s.method, s.template, s.status)
		if o == nil {
			t.Fatalf("no truth about %s %s %d", s.method, s.template, s.status)
		}
		labels := truth.labels(o)
		c.ops, c.labels, c.parts = append(c.ops, o), append(c.labels, labels), append(c.parts, dissect(s))
		for _, l := range labels {
			c.label[labelled{o, l.Place}] = l
		}
	}
	return c
}

// run holds one run against the recording.
func (c *comparison) run(t testing.TB, steps []seen) {
	t.Helper()
	if len(steps) != len(c.recorded) {
		t.Fatalf("the run has %d steps, the recording %d", len(steps), len(c.recorded))
	}
	for i, s := range steps {
		if s.method != c.recorded[i].method || s.template != c.recorded[i].template {
			t.Fatalf("step %d: %s %s, recorded %s %s", i, s.method, s.template, c.recorded[i].method, c.recorded[i].template)
		}
		p := dissect(s)
		for _, l := range c.labels[i] {
			key := labelled{c.ops[i], l.Place}
			before, after := c.parts[i].at(l.Place), p.at(l.Place)
			if before != "" || after != "" {
				c.seen[key] = true
			}
			if before != after && c.moved[key] == nil {
				c.moved[key] = &move{s.method + " " + s.path, before, after}
			}
		}
		if stray := unlabelled(p, c.labels[i]); len(stray) > 0 && s.status == c.recorded[i].status {
			t.Errorf("%s %s %d has places without a label: %v", s.method, s.template, s.status, stray)
		}
	}
}

// unlabelled returns the places of an answer that no label is about.
func unlabelled(p parts, labels []Label) (stray []exchange.Place) {
	for q := range p.leaves {
		// An empty array has the place of what else holds elements: a label about those is about it too.
		if !slices.ContainsFunc(labels, func(l Label) bool { return l.Place.Matches(q) || l.Place.Within(q.Each()) }) {
			stray = append(stray, q)
		}
	}
	return stray
}

// all returns every label that the session met, in order.
func (c *comparison) all() []labelled {
	return slices.SortedFunc(maps.Keys(c.label), func(a, b labelled) int { return strings.Compare(a.String(), b.String()) })
}

// TestTruth proves the truth file under its default conditions: a recording of an API that an earlier client used,
// then many runs, each after a reset, the clock going on, the client pausing as recorded or not at all.
func TestTruth(t *testing.T) {
	runs := map[uint64]int{1: 200, 2: 40, 3: 40}
	if testing.Short() {
		runs = map[uint64]int{1: 50}
	}
	truth := loadTruth(t)
	for seed, n := range runs {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			clock := newFakeClock(noon, seed)
			api := New(Dials{Seed: seed, Clock: clock.read})
			c := newComparison(t, truth, session(t, api, 80, 1, clock, 1))
			for i := range n {
				clock.advance(time.Second)
				reset(t, api)
				c.run(t, session(t, api, 80, 1, clock, float64(i%2)))
				if t.Failed() {
					return
				}
			}
			c.check(t)
		})
	}
}

// check fails the test wherever what the runs showed and the labels disagree.
func (c *comparison) check(t *testing.T) {
	t.Helper()
	count := map[string]int{}
	for _, key := range c.all() {
		l, moved := c.label[key], c.moved[key]
		switch {
		case !c.seen[key] && !hasPlace(c.truth.Everywhere, l.Place):
			t.Errorf("%v: labelled %s, and no answer has it", key, l.Label)
		case l.Protocol:
		case l.Needs != "" && moved != nil:
			t.Errorf("%v: needs %s, and moved without: %s", key, l.Needs, moved)
		case l.Needs == "" && l.Label == Stable && moved != nil:
			t.Errorf("%v: labelled stable, and moved: %s", key, moved)
		case l.Needs == "" && l.Label != Stable && moved == nil && !c.within(key, func(l Label) bool { return l.List }):
			t.Errorf("%v: labelled %s, and never moved", key, l.Label)
		case l.Label == "Unord":
			c.checkOrder(t, key)
		}
		count[l.Label]++
	}
	for i := range c.truth.Operations {
		if o := &c.truth.Operations[i]; !slices.Contains(c.ops, o) {
			t.Errorf("%s %s %d is labelled, and the session has no such answer", o.Method, o.Template, o.Status)
		}
	}
	t.Logf("labels met: %v", count)
}

// checkOrder fails the test where what is called unordered has other characters, and not only another order; values
// inside that have a label of their own and move may.
func (c *comparison) checkOrder(t *testing.T, key labelled) {
	t.Helper()
	if c.holds(key, Label.Moves) {
		return
	}
	before, after := c.moved[key].before, c.moved[key].after
	if a, b := sortedBytes(before), sortedBytes(after); a != b {
		t.Errorf("%v: more than the order moved: %s", key, c.moved[key])
	}
}

// holds reports whether the operation has a label about a part of the place for which is is true.
func (c *comparison) holds(key labelled, is func(Label) bool) bool {
	for _, l := range c.truth.labels(key.operation) {
		if l.Place != key.place && l.Place.Within(key.place) && is(l) {
			return true
		}
	}
	return false
}

// within reports whether the operation has a label about what the place is a part of for which is is true.
func (c *comparison) within(key labelled, is func(Label) bool) bool {
	for _, l := range c.truth.labels(key.operation) {
		if l.Place != key.place && key.place.Within(l.Place) && is(l) {
			return true
		}
	}
	return false
}

func sortedBytes(s string) string {
	b := []byte(s)
	slices.Sort(b)
	return string(b)
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
func (x *experiment) check(t *testing.T, truth *Truth, here Environment) {
	dials := Dials{Fresh: true, NullChance: 0.5, RareChance: 0.5}
	play := func(run uint64, port int, env Environment, pace float64) []seen {
		clock := x.clocks(run)
		d := dials
		d.Clock, d.Seed, d.Environment = clock.read, x.seed(run), env
		return session(t, New(d), port, 2, clock, pace)
	}
	c := newComparison(t, truth, play(0, 80, here, 1))
	for run := range uint64(12) {
		c.run(t, play(run+1, x.port, x.env, x.pace))
	}
	for _, key := range c.all() {
		l, moved := c.label[key], c.moved[key]
		may := func(l Label) bool { return slices.Contains(x.categories, l.Label) && l.Needs != NeedMidnight }
		switch {
		case l.Label == Either, l.Protocol, slices.Contains(x.besides, l.Place):
		case l.Place == "/body/passwordHash" && l.Moves(): // bcrypt takes its salt elsewhere, whatever the seed
		case moved != nil && !may(l) && !c.holds(key, may):
			t.Errorf("%v: labelled %s, and moved: %s", key, l.Label, moved)
		case moved == nil && may(l):
			t.Errorf("%v: labelled %s, and did not move", key, l.Label)
		}
	}
}

// TestMidnight proves that what needs midnight moves when the clock dial passes it.
func TestMidnight(t *testing.T) {
	clock := newFakeClock(noon, 1)
	api := New(Dials{Seed: 1, Clock: clock.read, Fresh: true})
	c := newComparison(t, loadTruth(t), session(t, api, 80, 1, clock, 1))
	reset(t, api)
	w := httptest.NewRecorder()
	r := httptest.NewRequest("PUT", "/admin/dials", strings.NewReader(`{"clockOffset":"24h"}`))
	r.Header.Set("Content-Type", "application/json")
	if api.ServeHTTP(w, r); w.Code != 200 {
		t.Fatalf("set dials: %d %s", w.Code, w.Body)
	}
	c.run(t, session(t, api, 80, 1, clock, 1))
	n := 0
	for _, key := range c.all() {
		if c.label[key].Needs != NeedMidnight {
			continue
		}
		n++
		if c.moved[key] == nil {
			t.Errorf("%v: did not move at midnight", key)
		}
	}
	if n == 0 {
		t.Error("no label needs midnight")
	}
}

// TestTruthFile checks the form of the file, and that it labels enough.
func TestTruthFile(t *testing.T) {
	truth := loadTruth(t)
	labels := []string{Stable, Either, "Time", "Rand", "Crypt", "Unord", "RunMsg", "State", "Env"}
	operations, counted := map[string]bool{}, map[string]int{}
	for _, o := range truth.Operations {
		name := fmt.Sprint(o.Method, o.Template, o.Status)
		if operations[name] {
			t.Errorf("%s is there twice", name)
		}
		operations[name] = true
		places := map[exchange.Place]bool{}
		for _, l := range o.Places {
			if places[l.Place] {
				t.Errorf("%s: %s is there twice", name, l.Place)
			}
			places[l.Place] = true
			if !slices.Contains(labels, l.Label) {
				t.Errorf("%s: %s has the label %q", name, l.Place, l.Label)
			}
			if l.Needs != "" && l.Needs != NeedMidnight && l.Needs != NeedElsewhere {
				t.Errorf("%s: %s needs %q", name, l.Place, l.Needs)
			}
			if l.Label != Either && !l.Protocol {
				counted[l.Label]++
			}
		}
	}
	total := 0
	for _, label := range labels {
		if label != Either && counted[label] == 0 {
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
	truth := loadTruth(t)
	for seed := range uint64(20) {
		clock := newFakeClock(noon, seed)
		api := New(Dials{Seed: seed + 1, Clock: clock.read})
		requests := randomRequests(rand.New(rand.NewPCG(seed, 2)), 150)
		play := func() []seen {
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
		c := newComparison(t, truth, play())
		for range 3 {
			clock.advance(time.Second)
			reset(t, api)
			c.run(t, play())
		}
		for _, key := range c.all() {
			if l := c.label[key]; (l.Label == Stable || l.Needs != "") && c.moved[key] != nil {
				t.Errorf("seed %d: %v: labelled %s, and moved: %v", seed, key, l.Label, c.moved[key])
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
	routes := slices.DeleteFunc(New(Dials{}).routes, func(r route) bool { return strings.HasPrefix(r.template, "/admin/") || r.template == "/openapi.json" })
	requests := make([]randomRequest, n)
	for i := range requests {
		r := routes[rng.IntN(len(routes))]
		path := r.template
		for from, to := range params {
			if strings.Contains(from, "/") {
				to = from[:strings.Index(from, "{")] + to
			}
			path = strings.ReplaceAll(path, from, to)
		}
		path = strings.ReplaceAll(path, "{id}", fmt.Sprint(1+rng.IntN(10)))
		switch r.template {
		case "/search":
			path += []string{"?q=o", "?q=in", "?q=", "?q=frame"}[rng.IntN(4)]
		case "/prices/estimate":
			path += fmt.Sprintf("?product=%d", 1+rng.IntN(9))
		case "/products":
			path += []string{"", "?limit=50", "?limit=0", "?tag=game"}[rng.IntN(4)]
		}
		body := ""
		if b := bodies[r.template]; r.method != "GET" && r.method != "DELETE" && len(b) > 0 {
			body = b[rng.IntN(len(b))]
		}
		requests[i] = randomRequest{r.method, path, body}
	}
	return requests
}
