package build

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// session makes a recording of lines "POST /orders {"a":1} > 201 {"id":7}"; a token in angle brackets is sent in
// Authorization. Each is a sequence of its own.
func session(t *testing.T, lines ...string) suite.Source {
	t.Helper()
	var all []*exchange.Exchange
	src := suite.Source{Redactor: exchange.Redactor{Key: []byte("k")}}
	for i, line := range lines {
		request, answer, _ := strings.Cut(line, " > ")
		head, body, _ := strings.Cut(request, " {")
		fields := strings.Fields(head)
		text := fields[0] + " " + fields[1] + " HTTP/1.1\r\nHost: shop:1\r\n"
		if len(fields) > 2 {
			text += "Authorization: Bearer " + strings.Trim(fields[2], "<>") + "\r\n"
		}
		if body != "" {
			body = "{" + body
			text += fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
		}
		status, payload, _ := strings.Cut(answer, " ")
		e := &exchange.Exchange{
			Seq: uint64(i + 1), Pass: 1, Scheme: "http", Addr: "a:1", Sequence: fmt.Sprintf("%x-%d", i*7919+4096, i),
			Request: exchange.ParseRequest(exchange.Message{Head: []byte(text + "\r\n"), Body: []byte(body)}),
		}
		reply := "HTTP/1.1 " + status + " X\r\n"
		if payload != "" {
			reply += "Content-Type: application/json\r\n"
		}
		e.Response = exchange.ParseResponse(exchange.Message{Head: []byte(reply + "\r\n"), Body: []byte(payload), Plain: true})
		src.Steps = append(src.Steps, exchange.Step{Exchange: e})
		all = append(all, e)
	}
	src.Bindings = flow.Bindings(all)
	src.Operations = flow.Operations(all, src.Bindings)
	src.Sequences = flow.Sequences(all, src.Bindings, src.Operations)
	return src
}

// shown writes the tests of a plan as lines: name, then roles and titles.
func shown(p plan.Plan) []string {
	var out []string
	for _, t := range p.Tests {
		line := t.Name + ":"
		for _, s := range t.Steps {
			role := string(s.Role)
			if s.Once {
				role = "once"
			}
			line += " " + role + " " + s.Title + ","
		}
		out = append(out, strings.TrimSuffix(line, ","))
	}
	return out
}

func build(t *testing.T, src suite.Source, o Options) plan.Plan {
	t.Helper()
	p, err := Plan(src, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var orders = []string{
	`POST /login {"user":"bob","password":"pw-of-bob-1"} > 200 {"token":"tok-0123456789abcdef"}`,
	`POST /orders <tok-0123456789abcdef> {"item":"tea"} > 201 {"id":4711,"item":"tea"}`,
	`GET /orders/4711 <tok-0123456789abcdef> > 200 {"id":4711,"item":"tea"}`,
	`PUT /orders/4711 <tok-0123456789abcdef> {"item":"rum"} > 200 {"id":4711,"item":"rum"}`,
	`GET /orders <tok-0123456789abcdef> > 200 [{"id":4711,"item":"rum"}]`,
	`DELETE /orders/4711 <tok-0123456789abcdef> > 204`,
	`GET /orders/4711 <tok-0123456789abcdef> > 404 {"error":"none"}`,
}

// TestTestsStandAlone: each test sends what it depends on, with what changed it since, logs in once for all, and takes
// away what it made.
func TestTestsStandAlone(t *testing.T) {
	want := []string{
		"post_login_is_200: tested POST /login",
		"post_orders_is_201: once POST /login, tested POST /orders, clean-up DELETE /orders/{id}",
		"get_order_is_200: once POST /login, set-up POST /orders, tested GET /orders/{id}, clean-up DELETE /orders/{id}",
		"put_order_is_200: once POST /login, set-up POST /orders, tested PUT /orders/{id}, clean-up DELETE /orders/{id}",
		"get_orders_is_200: once POST /login, set-up POST /orders, set-up PUT /orders/{id}, tested GET /orders, clean-up DELETE /orders/{id}",
		"delete_order_is_204: once POST /login, set-up POST /orders, set-up PUT /orders/{id}, tested DELETE /orders/{id}, clean-up DELETE /orders/{id}",
		"get_deleted_order_is_404: once POST /login, set-up POST /orders, set-up PUT /orders/{id}, set-up DELETE /orders/{id}, tested GET /orders/{id}, clean-up DELETE /orders/{id}",
	}
	if diff := cmp.Diff(want, shown(build(t, session(t, orders...), Options{}))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestSetUpsGiven: what was found elsewhere wins.
func TestSetUpsGiven(t *testing.T) {
	p := build(t, session(t, orders...), Options{SetUps: map[uint64][]uint64{5: {2}, 3: nil}})
	got := shown(p)
	for i, want := range map[int]string{
		2: "get_order_is_200: tested GET /orders/{id}",
		4: "get_orders_is_200: once POST /login, set-up POST /orders, tested GET /orders, clean-up DELETE /orders/{id}",
	} {
		if got[i] != want {
			t.Errorf("got %s, want %s", got[i], want)
		}
	}
}

// TestLogoutIsNotShared: a test that ends its session logs in for itself.
func TestLogoutIsNotShared(t *testing.T) {
	p := build(t, session(t, orders[0], `GET /me <tok-0123456789abcdef> > 200 {"user":"bob"}`, `POST /logout <tok-0123456789abcdef> > 204`), Options{})
	want := []string{"post_login_is_200: tested POST /login", "get_me_is_200: once POST /login, tested GET /me", "post_logout_is_204: set-up POST /login, tested POST /logout"}
	if diff := cmp.Diff(want, shown(p)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestDuplicates: what was asked before and answered alike makes no test, but for All; and a further exchange changes
// nothing about the tests that were there.
func TestDuplicates(t *testing.T) {
	lines := []string{`GET /a?x=1 > 200 {"n":1}`, `GET /a?x=2 > 200 {"n":1}`, `GET /a?x=3 > 200 {"n":null}`, `GET /a?x=4 > 404 {"n":1}`}
	want := []string{"get_a_is_200", "get_a_is_200_", "get_a_is_404"}
	names := func(o Options, lines ...string) (out []string) {
		for _, test := range build(t, session(t, lines...), o).Tests {
			out = append(out, test.Name)
		}
		return out
	}
	got := names(Options{}, lines...)
	if len(got) != 3 || got[0] != want[0] || !strings.HasPrefix(got[1], want[1]) || got[2] != want[2] {
		t.Errorf("got %q, want %q", got, want)
	}
	if all := names(Options{All: true}, lines...); len(all) != 4 || len(slices.Compact(slices.Sorted(slices.Values(all)))) != 4 {
		t.Errorf("of all exchanges: %q", all)
	}
	more := names(Options{}, slices.Insert(slices.Clone(lines), 1, `GET /b > 200 {}`)...)
	if diff := cmp.Diff(got, slices.DeleteFunc(more, func(n string) bool { return n == "get_b_is_200" })); diff != "" {
		t.Errorf("one exchange more (-before +after)\n%s", diff)
	}
}

// checkAt returns the check of a place in the tested step of a test.
func checkAt(t *testing.T, p plan.Plan, test string, place exchange.Place) plan.Check {
	t.Helper()
	for _, x := range p.Tests {
		for _, s := range x.Steps {
			for _, c := range s.Checks {
				if x.Name == test && s.Role == plan.Tested && c.Place == place {
					return c
				}
			}
		}
	}
	t.Fatalf("%s asserts nothing of %s", test, place)
	return plan.Check{}
}

// TestStateIsWeakened: ids, and what lists hold, follow from what other tests leave; an id that the test made is that
// one.
func TestStateIsWeakened(t *testing.T) {
	p := build(t, session(t, orders...), Options{})
	const state = "State, follows what was sent before"
	if c := checkAt(t, p, "post_orders_is_201", "/body/id"); c.Kind != plan.CheckHolds || c.Holds.Type != "integer" || c.Why != state {
		t.Errorf("the id of what is made: %+v", c)
	}
	if c := checkAt(t, p, "get_order_is_200", "/body/id"); c.Kind != plan.CheckEqual || len(c.Text) != 1 || c.Text[0].Bound == "" {
		t.Errorf("the id of what was made: %+v", c)
	}
	if c := checkAt(t, p, "get_orders_is_200", "/body"); c.Kind != plan.CheckHolds || c.Holds.Type != "array" || c.Why != state {
		t.Errorf("a list that others write to: %+v", c)
	}
	if c := checkAt(t, p, "get_order_is_200", "/body"); c.Kind != plan.CheckJSON || string(c.JSON) != `{"id":"<volatile>","item":"tea"}` {
		t.Errorf("what the test made: %+v", c)
	}
	exact := build(t, session(t, orders...), Options{Mode: suite.Exact})
	if c := checkAt(t, exact, "get_orders_is_200", "/body"); c.Kind != plan.CheckJSON || string(c.JSON) != `[{"id":4711,"item":"rum"}]` {
		t.Errorf("exactly: %+v", c)
	}
}

// TestTried: what trials contradict is weakened, and nothing else.
func TestTried(t *testing.T) {
	src := session(t, `GET /a > 200 {"n":1,"s":"x","list":[1,2]}`, `GET /b > 200 {"n":1}`)
	first := build(t, src, Options{})
	var answers play.Answers
	n := 1
	err := answers.Try(first, play.Backwards, func(r play.Request) (*exchange.Response, error) {
		n++
		if r.Target == "/b" {
			return reply(404, jsonType, `{"n":1}`), nil
		}
		return reply(200, jsonType, fmt.Sprintf(`{"n":%d,"s":"x","list":[1]}`, n)), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	p := build(t, src, Options{Answers: answers})
	if c := checkAt(t, p, "get_a_is_200", "/body"); string(c.JSON) != `{"n":"<volatile>","s":"x","list":"<volatile>"}` {
		t.Errorf("got %s", c.JSON)
	}
	if c := checkAt(t, p, "get_b_is_200", "/status"); !slices.Equal(c.Statuses, []int{200, 404}) {
		t.Errorf("got %v", c.Statuses)
	}
	if err := answers.Try(first, play.Forwards, func(play.Request) (*exchange.Response, error) { return nil, fmt.Errorf("gone") }); err == nil {
		t.Error("nobody answers, and nobody says so")
	}
}

// TestTriedInAnyOrder: another order contradicts nothing where any order comes, other elements do.
func TestTriedInAnyOrder(t *testing.T) {
	src := judged(t, suite.Source{Steps: []exchange.Step{stepOf(1, "/tags", replies(`{"tags":["a","b","c"]}`, `{"tags":["c","b","a"]}`, `{"tags":["b","c","a"]}`))}})
	for tags, want := range map[string]plan.CheckKind{`["c","a","b"]`: plan.CheckItems, `["c","a"]`: plan.CheckHolds} {
		var answers play.Answers
		err := answers.Try(build(t, src, Options{}), play.Forwards, func(play.Request) (*exchange.Response, error) {
			return reply(200, jsonType, `{"tags":`+tags+`}`), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		p := build(t, src, Options{Answers: answers})
		if c := checkAt(t, p, p.Tests[0].Name, "/body/tags"); c.Kind != want {
			t.Errorf("%s was answered: %+v", tags, c)
		}
	}
}

// TestTryFillsIn: trials send what the answers of the same trial gave.
func TestTryFillsIn(t *testing.T) {
	p := build(t, session(t, orders...), Options{})
	var sent []string
	var answers play.Answers
	err := answers.Try(p, play.Forwards, func(r play.Request) (*exchange.Response, error) {
		sent = append(sent, r.Method+" "+r.Target)
		switch r.Method + " " + r.Target {
		case "POST /login":
			return reply(200, jsonType, `{"token":"other"}`), nil
		case "POST /orders":
			if !slices.Contains(r.Headers, [2]string{"Authorization", "Bearer other"}) {
				t.Errorf("headers %q", r.Headers)
			}
			return reply(201, jsonType, `{"id":99,"item":"tea"}`), nil
		}
		return reply(200, jsonType, `{"id":99,"item":"tea"}`), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(sent, "GET /orders/99") || !slices.Contains(sent, "DELETE /orders/99") || slices.ContainsFunc(sent, func(s string) bool { return strings.Contains(s, "4711") }) {
		t.Errorf("sent %q", sent)
	}
	// as a set-up, and as a test
	if n := len(slices.DeleteFunc(sent, func(s string) bool { return s != "POST /login" })); n != 2 {
		t.Errorf("logged in %d times", n)
	}
}

// TestSecretsStayOut: what a plan says holds no secret.
func TestSecretsStayOut(t *testing.T) {
	p := build(t, session(t, orders...), Options{})
	for _, format := range []string{"go", "pytest"} {
		files, err := write.Write(format, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			for _, secret := range []string{"pw-of-bob-1", "tok-0123456789abcdef"} {
				if strings.Contains(string(f.Data), secret) != (f.Name == "secrets.json") {
					t.Errorf("%s: %s holds %q, or lacks it", format, f.Name, secret)
				}
			}
		}
	}
}

// TestHostIsTheOneAsked: links that the API makes of the host that it is asked by are asserted with the one a suite
// asks.
func TestHostIsTheOneAsked(t *testing.T) {
	src := session(t, `GET /a > 200 {"self":"http://localhost:8877/a"}`)
	e := src.Steps[0].Exchange
	e.Request = exchange.ParseRequest(exchange.Message{Head: []byte("GET /a HTTP/1.1\r\nHost: localhost:8877\r\n\r\n")})
	c := checkAt(t, build(t, src, Options{}), "get_a_is_200", "/body/self")
	if diff := cmp.Diff(plan.Text{{Literal: "http://"}, {Host: true}, {Literal: "/a"}}, c.Text); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if !strings.HasPrefix(c.Why, string(mapfile.Env)) {
		t.Errorf("why: %s", c.Why)
	}
}
