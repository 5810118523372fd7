package setup_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/search"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite/setup"
)

// behind plays a graft's steps and the test's call on a new depot, by means of its own, and reports whether all that is
// wanted came true.
func behind(g setup.Graft, w setup.Wanted, without int, missed ...setup.Missed) bool {
	api := newDepot()
	values := map[int]string{}
	for n := range g.Binds {
		values[n] = g.Binds[n].Value
	}
	fill := func(r exchange.Request, in setup.Part, at int) exchange.Request {
		var fills []message.Fill
		for n, b := range g.Binds {
			for _, u := range b.Uses {
				if u.In == in && u.At == at {
					fills = append(fills, message.Fill{Place: u.Place, Before: b.Value, After: values[n]})
				}
			}
		}
		return message.Filled(&r, fills...)
	}
	for i, s := range g.Steps {
		if i == without {
			continue
		}
		r := fill(s.Request, setup.InSetUp, i)
		a := ask(api, &r)
		if without < 0 && s.Status > 0 && a.Status != s.Status {
			return false
		}
		for n, b := range g.Binds {
			if v, ok := message.Value(a, b.Place); ok && b.Step == i {
				values[n] = v
			}
		}
	}
	r := fill(w.Request, setup.InCall, 0)
	a := ask(api, &r)
	for _, c := range w.Claims {
		if slices.ContainsFunc(missed, func(m setup.Missed) bool { return m.Claim == c }) {
			continue
		}
		for n, b := range g.Binds {
			if slices.Contains(b.Uses, setup.BindUse{In: setup.InAnswer, At: 0, Place: c.Place}) {
				c = setup.Rebound(c, b.Value, values[n])
			}
		}
		if ok, known := setup.Satisfies(c, a); known && !ok {
			return false
		}
	}
	return true
}

// TestSetUps: of what a random client was answered, and would not be by a new API, the set-ups that were proven bring it
// about on new instances, and none of them has a step too many. What is not proven says why.
func TestSetUps(t *testing.T) {
	count := map[string]int{}
	for seed := range uint64(2) {
		session := fuzzed(rand.New(rand.NewPCG(seed, 7)), 190)
		finder := setup.NewFinder(session, flow.Rules{})
		for _, e := range session[70:] {
			w := wantedOf(e)
			w.Seen = []*exchange.Response{ask(newDepot(), &e.Request)}
			if behind(setup.Graft{}, w, -1) {
				continue
			}
			count["leaning"]++
			label := fmt.Sprintf("seed %d, exchange %d, %s %s %d", seed, e.Seq, e.Request.Method, e.Request.Target, e.Response.Status)
			if g, ok := finder.For([]setup.Wanted{w}); ok {
				count["proposed"]++
				if behind(g, w, -1, ownID(w)...) {
					count["proposed and true"]++
				}
				if g.Proven {
					t.Errorf("%s: called proven by the recording alone", label)
				}
			}
			trier := &depots{}
			s := setup.Search{Finder: finder, Trier: trier}
			found, err := s.Find(t.Context(), []setup.Wanted{w})
			if err != nil {
				t.Fatal(err)
			}
			if count["trials"] += trier.trials; trier.trials != found.Tried || found.Tried > 40 {
				t.Errorf("%s: %d trials, %d counted", label, trier.trials, found.Tried)
			}
			count[checkFound(t, label, found, w)]++
		}
	}
	t.Log(count)
	switch {
	case count["leaning"] < 100, count["proven"]*100 < (count["leaning"]-count["touching others"])*75, count["unexplained"] > 0:
		t.Errorf("too little was proven: %v", count)
	case count["proposed and true"]*100 < count["proposed"]*95:
		t.Errorf("too much of what the recording proposes is wrong: %v", count)
	case count["trials"] > 10*count["leaning"]:
		t.Errorf("too many trials: %v", count)
	}
}

// checkFound checks what was found for a test, and says what that is.
func checkFound(t *testing.T, label string, found setup.Found, w setup.Wanted) string {
	t.Helper()
	if !found.Proven {
		if found.Refused == "" || len(found.Steps)+len(found.Binds)+len(found.CleanUp) > 0 {
			t.Errorf("%s: not proven, with %v, since %q", label, brief(found.Graft), found.Refused)
		}
		switch {
		case strings.HasSuffix(found.Refused, "which may touch what the test did not make"):
			return "touching others"
		case strings.HasPrefix(found.Refused, "it takes "):
			return "too many steps"
		case strings.HasPrefix(found.Refused, "an id that the test itself makes"):
			return "an id of its own"
		}
		t.Logf("%s: %s", label, found.Refused)
		return "unexplained"
	}
	if len(found.Steps) == 0 || len(found.Steps) > 5 || found.Why == "" || found.Refused != "" || len(found.Trials) != 2 {
		t.Errorf("%s: %v, %d trials, since %q", label, brief(found.Graft), len(found.Trials), found.Why)
	}
	for _, m := range found.Missed {
		t.Errorf("%s: %v does not come true behind %v", label, m.Claim, brief(found.Graft))
	}
	if !behind(found.Graft, w, -1, ownID(w)...) {
		t.Errorf("%s: proven, and does not hold behind %v", label, brief(found.Graft))
	}
	for i := range found.Steps {
		if behind(found.Graft, w, i, ownID(w)...) {
			t.Errorf("%s: step %d of %v is one too many", label, i, brief(found.Graft))
		}
	}
	return "proven"
}

// ownID is the claim upon the id of what a test makes itself: no set-up brings it about.
func ownID(w setup.Wanted) (out []setup.Missed) {
	for _, c := range w.Claims {
		if w.Request.Method == "POST" && c.Place == "/body/id" {
			out = append(out, setup.Missed{Claim: c})
		}
	}
	return out
}

func brief(g setup.Graft) (out []string) {
	for _, s := range g.Steps {
		out = append(out, fmt.Sprintf("%d %s %s %d", s.Seq, s.Request.Method, s.Request.Target, s.Status))
	}
	return out
}

// script is a session of given requests: METHOD TARGET [BODY].
func script(h http.Handler, lines ...string) []*exchange.Exchange {
	var requests []exchange.Request
	for _, line := range lines {
		parts := strings.SplitN(line+"  ", " ", 3)
		requests = append(requests, requestOf(parts[0], parts[1], strings.TrimSpace(parts[2])))
	}
	return recorded(h, requests)
}

// TestSetUpByHTTP: the same over the wire, each trial a run with a reset; what takes away what was made is tried too.
func TestSetUpByHTTP(t *testing.T) {
	session := script(newDepot(), `POST /items {"name":"bolt","price":3}`, `POST /items {"name":"nut","price":4}`, "DELETE /items/2",
		`POST /orders {"itemId":3}`, "GET /items/3", "DELETE /items/3", "GET /orders/4", "DELETE /orders/4")
	api := newDepot()
	resets := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/reset" {
			api = newDepot()
			resets++
			return
		}
		api.ServeHTTP(w, r)
	}))
	defer server.Close()
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	test := []setup.Wanted{wantedOf(session[4]), wantedOf(session[5])}
	test[0].Seq, test[1].Seq = 0, 0 // to be located
	last := wantedOf(session[6])    // a clean-up is not sent, and nothing is looked for on its behalf
	last.CleanUp = true
	test = append(test, last)
	var told []int
	s := setup.Search{
		Finder:   setup.NewFinder(session, flow.Rules{}),
		Trier:    &search.PlayerTrier{Player: replay.Player{Target: target, Reset: service.Reset(server.URL + "/reset")}},
		Progress: func(trial, requests int) { told = append(told, requests) },
	}
	found, err := s.Find(t.Context(), test)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"2 POST /items 201", "4 POST /orders 201"}
	if !found.Proven || !slices.Equal(brief(found.Graft), want) || found.Tried != resets || len(told) != resets {
		t.Fatalf("%v, %v, %d trials, %d resets, %d told; %s", found.Proven, brief(found.Graft), found.Tried, resets, len(told), found.Refused)
	}
	// The order goes first, since the item stays while it is there.
	if len(found.CleanUp) != 2 || found.CleanUp[0].Request.Target != "/orders/4" || found.CleanUp[1].Request.Target != "/items/3" {
		t.Errorf("clean-up %v", found.CleanUp)
	}
	if got := found.Trials[1]; len(got.Answers) != 3 || got.Answers[2] != nil || got.Answers[0].Status != 200 || got.Answers[1].Status != 409 || !slices.Contains(got.Values, "2") {
		t.Errorf("trial %+v", got)
	}
}

// TestSetUpRefused: what trials do not prove is not given back, and says why.
func TestSetUpRefused(t *testing.T) {
	session := script(newDepot(), "GET /items/1", `POST /items {"name":"bolt"}`, "GET /items/2")
	find := func(s setup.Search, e *exchange.Exchange) setup.Found {
		t.Helper()
		s.Finder = setup.NewFinder(session, flow.Rules{})
		found, err := s.Find(t.Context(), []setup.Wanted{wantedOf(e)})
		if err != nil || found.Proven || len(found.Steps) > 0 {
			t.Errorf("%v, %v, %v", err, found.Proven, brief(found.Graft))
		}
		return found
	}
	if got := find(setup.Search{Trier: &depots{}}, session[0]).Refused; got != "it holds on a fresh start" {
		t.Error(got)
	}
	if got := find(setup.Search{Trier: &depots{}, Limit: 2}, session[2]).Refused; got != "2 trials did not determine what it depends on" {
		t.Error(got)
	}
	if got := find(setup.Search{Trier: &fickle{}}, session[2]).Refused; got != "the same earlier requests led to it only some of the time" {
		t.Error(got)
	}
	if got := find(setup.Search{Trier: &deaf{}}, session[2]).Refused; got != "no earlier requests of the session that were tried lead to it" {
		t.Error(got)
	}
	s := setup.Search{Finder: setup.NewFinder(session, flow.Rules{}), Trier: broken{}}
	if _, err := s.Find(t.Context(), []setup.Wanted{wantedOf(session[2])}); !errors.Is(err, errBroken) {
		t.Error(err)
	}
	other := wantedOf(session[0])
	other.Seq, other.Request = 0, requestOf("GET", "/nowhere", "")
	if found, err := s.Find(t.Context(), []setup.Wanted{other}); err != nil || found.Refused != "the session has no exchanges like those of the test" {
		t.Error(found.Refused, err)
	}
}

// fickle is an API that, behind a set-up, goes well every other time.
type fickle struct {
	depots
	behind int
}

func (f *fickle) Try(ctx context.Context, exchanges []*exchange.Exchange, bindings []exchange.Binding) ([]*exchange.Response, error) {
	if len(exchanges) > 1 {
		if f.behind++; f.behind%2 == 0 {
			return make([]*exchange.Response, len(exchanges)), nil
		}
	}
	return f.depots.Try(ctx, exchanges, bindings)
}

// deaf is an API that never answers.
type deaf struct{}

func (deaf) Try(_ context.Context, exchanges []*exchange.Exchange, _ []exchange.Binding) ([]*exchange.Response, error) {
	return make([]*exchange.Response, len(exchanges)), nil
}

var errBroken = errors.New("broken")

// broken cannot be reset.
type broken struct{}

func (broken) Try(context.Context, []*exchange.Exchange, []exchange.Binding) ([]*exchange.Response, error) {
	return nil, errBroken
}

// TestSetUpPolluters: what earlier tests of a suite leave behind is proven to be in the way.
func TestSetUpPolluters(t *testing.T) {
	session := script(newDepot(), "GET /products", "POST /products/%3Codd%3E", "DELETE /products/%3Codd%3E", "DELETE /products/STARTER", "GET /products",
		"GET /settings", "DELETE /items/1")
	ran := script(newDepot(), "POST /products/%3Codd%3E", `POST /items {"name":"rod"}`, `PUT /settings {"mode":"loud"}`, `POST /orders {"itemId":1}`, "GET /items")
	var before []setup.Ran
	for i, e := range ran {
		before = append(before, setup.Ran{Test: fmt.Sprintf("t%d", i), Exchange: e})
	}
	for _, tt := range []struct {
		of      *exchange.Exchange
		seen    string // the request whose answer was seen in the end
		steps   int
		request string
	}{
		{session[4], "GET /products", 0, "POST /products/%3Codd%3E"},
		{session[5], "GET /settings", 0, "PUT /settings"},
		{session[6], "DELETE /items/1", 0, "POST /orders"}, // no path says so: found by halving
	} {
		api := newDepot()
		for _, e := range ran {
			ask(api, &e.Request)
		}
		w := wantedOf(tt.of)
		w.Seen = []*exchange.Response{ask(api, &tt.of.Request)}
		s := setup.Search{Finder: setup.NewFinder(session, flow.Rules{}), Trier: &depots{}}
		found, err := s.Find(t.Context(), []setup.Wanted{w}, before...)
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Steps) != tt.steps || found.Proven != (tt.steps > 0) || len(found.Polluters) != 1 {
			t.Errorf("%s: %v, %v, %v; %s", tt.seen, brief(found.Graft), found.Proven, found.Polluters, found.Refused)
			continue
		}
		if x := found.Polluters[0]; x.Request != tt.request {
			t.Errorf("%s: %+v", tt.seen, x)
		}
	}
	// What was named by mistake is no polluter.
	w := wantedOf(session[5])
	w.Seen = []*exchange.Response{ask(newDepot(), &ran[4].Request)}
	s := setup.Search{Finder: setup.NewFinder(session, flow.Rules{}), Trier: &depots{}}
	harmless := script(newDepot(), `PUT /settings {"mode":"plain"}`)
	found, err := s.Find(t.Context(), []setup.Wanted{w}, setup.Ran{Test: "t", Exchange: harmless[0]})
	if err != nil || len(found.Polluters) != 0 {
		t.Errorf("%v, %v", found.Polluters, err)
	}
}
