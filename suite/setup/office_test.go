package setup_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/testbed/wander"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/search"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite/setup"
)

// worked is a session with an API that people log in to: lines of WHO METHOD TARGET [BODY]. Who is "-" sends no token;
// anybody else that of their last login.
func worked(h http.Handler, lines string) []*exchange.Exchange {
	tokens := map[string]string{}
	var out []*exchange.Exchange
	for line := range strings.Lines(lines) {
		parts := strings.SplitN(strings.TrimSpace(line)+"  ", " ", 4)
		who, method, target, body := parts[0], parts[1], parts[2], strings.TrimSpace(parts[3])
		if target == "" {
			continue
		}
		e := sent(h, method, target, body, tokens[who])
		var answer struct{ Token, Name string }
		if payload, err := e.Response.Payload(); err == nil && json.Unmarshal(payload, &answer) == nil && answer.Token != "" {
			tokens[answer.Name] = answer.Token
		}
		e.Seq = uint64(len(out) + 1)
		out = append(out, e)
	}
	return out
}

// sent is an exchange with an API in memory.
func sent(h http.Handler, method, target, body, token string) *exchange.Exchange {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	head := method + " " + target + " HTTP/1.1\r\nHost: api.test\r\n"
	if body != "" {
		head += fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
		head += "Authorization: Bearer " + token + "\r\n"
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	answer := fmt.Sprintf("HTTP/1.1 %d x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", w.Code, w.Body.Len())
	return &exchange.Exchange{Pass: 1, Scheme: "http", Addr: "api.test:80",
		Request:  exchange.ParseRequest(exchange.Message{Head: []byte(head + "\r\n"), Body: []byte(body)}),
		Response: exchange.ParseResponse(exchange.Message{Head: []byte(answer), Body: w.Body.Bytes()})}
}

// fresh is a session's API, new for each trial of a search.
type fresh struct {
	make func() http.Handler
	http.Handler
}

func (f *fresh) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/reset" {
		f.Handler = f.make()
		return
	}
	f.Handler.ServeHTTP(w, r)
}

func newOffice() http.Handler { return wander.NewOffice() }

// searched searches for the set-up of a test of a session's last calls, of which only the first was seen by an
// execution: it failed, and ended the test.
func searched(t *testing.T, make func() http.Handler, lines string, calls int) setup.Found {
	t.Helper()
	session := worked(make(), lines)
	server := httptest.NewServer(&fresh{make, make()})
	defer server.Close()
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	var test []setup.Wanted
	for _, e := range session[len(session)-calls:] {
		w := setup.Wanted{Request: e.Request, Seq: e.Seq, Claims: []exchange.Claim{status(e.Response.Status)}}
		if w.Literal = true; e.Request.Method == "GET" {
			body, _ := e.Response.Payload()
			var list struct{ Items []string }
			if json.Unmarshal(body, &list) == nil && list.Items != nil {
				w.Claims = append(w.Claims, exchange.Claim{Place: "/body/items", Relation: exchange.Length, Value: fmt.Sprint(len(list.Items))})
			}
		}
		test = append(test, w)
	}
	own := test[0].Request
	test[0].Seen = []*exchange.Response{sent(make(), own.Method, own.Target, string(own.Body), "").Response}
	s := setup.Search{Finder: setup.NewFinder(session, flow.Rules{}),
		Trier: &search.PlayerTrier{Player: replay.Player{Target: target, Reset: service.Reset(server.URL + "/reset")}}}
	found, err := s.Find(t.Context(), test)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

const (
	annSignsUp = `- POST /users {"name":"ann","password":"secret-ann"}
		`
	bobSignsUp = `- POST /users {"name":"bob","password":"secret-bob"}
		`
	annLogsIn = `- POST /login {"name":"ann","password":"secret-ann"}
		`
	bobLogsIn = `- POST /login {"name":"bob","password":"secret-bob"}
		`
	cyLogsIn = `- POST /users {"name":"cyd","password":"secret-cyd"}
		- POST /login {"name":"cyd","password":"secret-cyd"}
		`
	rootLogsIn = `- POST /login {"name":"root","password":"rootpassword"}
		`
)

// TestSetUpsOfPeople: what a test depends on was done by several people, to what was there, under names that they
// chose, and behind a call that fails first.
func TestSetUpsOfPeople(t *testing.T) {
	for _, c := range []struct {
		name, session string
		calls         int
		want          string // the steps, or why there are none
	}{{
		name: "one in the place of three", calls: 2,
		session: annSignsUp + annLogsIn + bobSignsUp + bobLogsIn + cyLogsIn + `bob POST /teams {"name":"one"}
			cyd POST /teams/2/boards {"name":"stones"}
			cyd POST /boards/1/cards {"name":"lamp"}
			` + annLogsIn + `ann DELETE /cards/1`,
		want: "1 POST /users 0; 2 POST /login 200; 7 POST /teams 201; 8 POST /teams/2/boards 201; 9 POST /boards/1/cards 201",
	}, {
		name: "a part of what was there", calls: 1,
		session: rootLogsIn + `root POST /teams/1/boards {"name":"stones"}
			- GET /boards/1`,
		want: "1 POST /login 200; 2 POST /teams/1/boards 201",
	}, {
		name: "a name that the client chose", calls: 1,
		session: rootLogsIn + `root POST /projects/garden-7f3a9c2e
			- GET /projects/garden-7f3a9c2e`,
		want: "1 POST /login 200; 2 POST /projects/garden-7f3a9c2e 0",
	}, {
		name: "a part that the client names, of what it named", calls: 1,
		session: rootLogsIn + `root POST /projects/garden-7f3a9c2e
			root POST /projects/garden-7f3a9c2e/features/gate-5b2f8d1c
			root POST /projects/garden-7f3a9c2e/features/gate-5b2f8d1c`,
		want: "1 POST /login 200; 2 POST /projects/garden-7f3a9c2e 0; 3 POST /projects/garden-7f3a9c2e/features/gate-5b2f8d1c 0",
	}, {
		name: "what was there is changed", calls: 1,
		session: rootLogsIn + `root DELETE /projects/website
			- GET /projects/website`,
		want: "it takes DELETE /projects/website, which may touch what the test did not make; POST /login, DELETE /projects/website",
	}, {
		name: "what was there is changed, behind a call that fails first", calls: 2,
		session: annSignsUp + rootLogsIn + `root DELETE /projects/website
			` + annLogsIn + `- GET /projects/website`,
		want: "it takes DELETE /projects/website, which may touch what the test did not make; POST /users, POST /login, DELETE /projects/website",
	}, {
		name: "two with a part each", calls: 2,
		session: annSignsUp + bobSignsUp + annLogsIn + `ann POST /projects/garden-7f3a9c2e
			` + bobLogsIn + `bob DELETE /projects/garden-7f3a9c2e`,
		want: "1 POST /users 0; 2 POST /users 0; 3 POST /login 200; 4 POST /projects/garden-7f3a9c2e 0",
	}} {
		t.Run(c.name, func(t *testing.T) {
			found := searched(t, newOffice, c.session, c.calls)
			got := strings.Join(brief(found.Graft), "; ")
			if !found.Proven {
				got = found.Refused + "; " + strings.Join(found.Takes, ", ")
			}
			if got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

// TestNamedAndWrittenOver: what a client names is made only where the API refuses to make it again.
func TestNamedAndWrittenOver(t *testing.T) {
	shelf := func() http.Handler {
		there := map[string]bool{}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodPost: // whatever was there before
				there[r.URL.Path] = true
				w.WriteHeader(201)
			case !there[r.URL.Path]:
				w.WriteHeader(404)
			}
		})
	}
	found := searched(t, shelf, "- POST /shelves/north-7f3a9c2e\n- GET /shelves/north-7f3a9c2e", 1)
	if want := "it takes POST /shelves/north-7f3a9c2e, which may touch what the test did not make"; found.Proven || found.Refused != want {
		t.Errorf("proven %v, %q; want %q", found.Proven, found.Refused, want)
	}
}

// TestPermitted: a set-up may add to what was there, and do nothing else to it.
func TestPermitted(t *testing.T) {
	session := talk(`GET /orders -> 200 [{"id":5},{"id":6}]
		POST /orders/5/items {"name":"lamp"} -> 201 {"id":71,"name":"lamp"}
		POST /orders/5/cancel -> 201
		POST /orders/5/notes/urgent-5b2f8d1c -> 201
		POST /tags/urgent-5b2f8d1c -> 201
		POST /tags/urgent-5b2f8d1c/colours/red-7f3a9c2e -> 201
		GET /tags -> 200 ["urgent-5b2f8d1c"]
		PUT /orders/5 {"name":"x"} -> 200 {"id":5}
		DELETE /orders/6 -> 204`)
	kept, refused := setup.NewFinder(session, flow.Rules{}).Permitted([]uint64{2, 3, 4, 5, 6, 8, 9})
	if !slices.Equal(kept, []uint64{2, 5, 6}) || !slices.Equal(refused, []uint64{3, 4, 8, 9}) {
		t.Errorf("kept %v, refused %v", kept, refused)
	}
}

// TestWhoAsks: what others did to theirs is proposed for nobody else's; what they did to what all share is.
func TestWhoAsks(t *testing.T) {
	carts := annSignsUp + bobSignsUp + annLogsIn + `ann POST /cart {"item":"stone"}
		` + bobLogsIn + `bob GET /cart
		` + annLogsIn + `ann GET /cart
		` + bobLogsIn + `bob POST /cart {"item":"stone"}
		bob DELETE /cart
		` + annLogsIn + `ann GET /cart`
	shared := annSignsUp + bobSignsUp + annLogsIn + `ann GET /settings
		` + bobLogsIn + `bob PUT /settings/colour {"value":"amber"}
		` + annLogsIn + `ann GET /settings`
	for _, c := range []struct {
		name, session string
		want          []uint64 // who signs up and logs in, for what is proposed
	}{{"a cart", carts, []uint64{1, 3, 12}}, {"settings", shared, []uint64{1, 2, 5, 7}}} {
		session := worked(newOffice(), c.session)
		last := session[len(session)-1]
		w := setup.Wanted{Request: last.Request, Seq: last.Seq, Claims: []exchange.Claim{equal("/body/items/0", `"stone"`),
			equal("/body/colour", `"amber"`)}, Seen: []*exchange.Response{replied(`200 {"items":[]}`)}}
		finder := setup.NewFinder(session, flow.Rules{})
		test := []setup.Wanted{w}
		g, _ := finder.For(test)
		if !slices.Equal(proposedOf(finder, test), c.want) {
			t.Errorf("%s: %v %v, want %v", c.name, proposedOf(finder, test), g.Takes, c.want)
		}
	}
}

func proposedOf(f *setup.Finder, test []setup.Wanted) []uint64 {
	steps, _ := f.Proposed(test)
	return steps
}

// TestLiteralCalls: a trial carries no value from one call of a test to another that the suite has written out; one that
// a step gives too is the step's.
func TestLiteralCalls(t *testing.T) {
	lonely := setup.NewFinder(talk(`POST /login {"name":"ann"} -> 200 {"userId":"u7f3a9c2e1b"}
		GET /users/u7f3a9c2e1b -> 200 {"id":"u7f3a9c2e1b"}`), flow.Rules{})
	session := talk(`POST /users {"name":"ann"} -> 201 {"id":"u7f3a9c2e1b"}
		POST /login {"name":"ann"} -> 200 {"record":{"id":"u7f3a9c2e1b"},"token":"k29fjw02kf9sj20fk"}
		POST /posts {"author":"u7f3a9c2e1b"} -> 200 {"id":"p83ka02kf9a","author":"u7f3a9c2e1b"}`)
	finder := setup.NewFinder(session, flow.Rules{})
	test := func(literal bool) []setup.Wanted {
		return []setup.Wanted{{Request: session[1].Request, Seq: 2, Literal: true}, {Request: session[2].Request, Seq: 3, Literal: literal}}
	}
	carried := func(bindings []exchange.Binding, to uint64) (from []uint64) {
		for _, b := range bindings {
			for _, u := range b.Uses {
				if u.Seq == to {
					from = append(from, b.Producer.Seq)
				}
			}
		}
		return from
	}
	for _, literal := range []bool{true, false} {
		calls := []setup.Wanted{{Seq: 1, Literal: true}, {Seq: 2, Literal: literal}}
		if r := lonely.Rehearse(calls, setup.Graft{}, nil); (len(carried(r.Bindings, 2)) == 0) != literal {
			t.Errorf("written out: %v, carried: %v", literal, r.Bindings)
		}
	}
	g := finder.Graft(test(true), []uint64{1})
	if r := finder.Rehearse(test(true), g, nil); !slices.Equal(carried(r.Bindings, 3), []uint64{1}) {
		t.Errorf("the step gives it: %v", r.Bindings)
	}
}
