package build

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
)

// TestTriedWithinWhatMoves: what always had one value in the elements of a list that moves is held against trials too.
func TestTriedWithinWhatMoves(t *testing.T) {
	bodies := []string{`{"total":1,"items":[{"id":"a","copies":3,"tags":["x"]}]}`}
	for len(bodies) < 2*minEqual {
		bodies = append(bodies, bodies[0], `{"total":2,"items":[{"id":"b","copies":3,"tags":["y"]},{"id":"a","copies":3,"tags":["x"]}]}`)
	}
	src := judged(t, suite.Source{Steps: []exchange.Step{stepOf(1, "/books", replies(bodies...))}})
	p := build(t, src, Options{})
	name := p.Tests[0].Name
	if c := checkAt(t, p, name, "/body/items/*/copies"); string(c.Holds.Equal) != "3" {
		t.Fatalf("before any trial: %+v", c)
	}
	for answer, want := range map[string]string{
		`{"total":2,"items":[{"id":"b","copies":3,"tags":["y"]},{"id":"a","copies":2,"tags":["x"]}]}`:    `"integer"  State, follows what was sent before`,
		`{"total":2,"items":[{"id":"b","copies":3,"tags":["y"]},{"id":"a","copies":null,"tags":["x"]}]}`: `"null|integer"  State, follows what was sent before`,
		bodies[2]: `"integer" 3 `,
	} {
		var answers play.Answers
		for n := range 2 { // the second trial alone shows it
			err := answers.Try(p, play.Order(n), func(play.Request) (*exchange.Response, error) {
				return replies(bodies[0], answer)[n], nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		p := build(t, src, Options{Answers: answers})
		c := checkAt(t, p, name, "/body/items/*/copies")
		if got := fmt.Sprintf("%q %s %s", c.Holds.Type, c.Holds.Equal, c.Why); got != want {
			t.Errorf("%s was answered: %s, want %s", answer, got, want)
		}
		if c := checkAt(t, p, name, "/body/items/*/tags"); c.Holds.Type != "array" {
			t.Errorf("what no trial contradicts: %+v", c)
		}
	}
}

// TestElementsThatAreAlwaysThere: where all answers had elements, trials of the test among them, there must be some;
// where the test was not tried, or a run found none, there may be none.
func TestElementsThatAreAlwaysThere(t *testing.T) {
	var bodies []string
	for i := range 3 * minEqual {
		bodies = append(bodies, fmt.Sprintf(`{"rows":[{"at":"a","ms":%d},{"at":"b","ms":%d}]}`, 1000+i*37%101, 2000+i*53%89))
	}
	empty := `{"rows":[]}`
	for _, tt := range []struct {
		name     string
		recorded []string
		trials   []string
		optional bool
	}{
		{"untried", bodies, nil, true},
		{"tried too seldom", bodies, bodies[:minTrials-1], true},
		{"always there", bodies, bodies[:minTrials], false},
		{"not there in a run", append([]string{bodies[0], empty}, bodies[1:]...), bodies[:minTrials], true},
	} {
		src := judged(t, suite.Source{Steps: []exchange.Step{stepOf(1, "/rows", replies(tt.recorded...))}})
		var answers play.Answers
		for n, body := range tt.trials {
			send := func(play.Request) (*exchange.Response, error) { return replies(body)[0], nil }
			if err := answers.Try(build(t, src, Options{}), play.Order(n), send); err != nil {
				t.Fatal(err)
			}
		}
		p := build(t, src, Options{Answers: answers})
		if c := checkAt(t, p, p.Tests[0].Name, "/body/rows/*/ms"); c.Optional != tt.optional {
			t.Errorf("%s: %+v", tt.name, c)
		}
	}
}

// TestTriedRelations: what follows from other places of an answer is held against trials.
func TestTriedRelations(t *testing.T) {
	answer := func(net, tax, total int) string {
		return fmt.Sprintf(`{"net":%d,"tax":%d,"total":%d,"rows":[{"a":%d,"b":%d}]}`, net, tax, total, net, net)
	}
	var bodies []string
	for i := range 30 {
		net, tax := 100+i*i*37%1009, 7+i*53%211
		bodies = append(bodies, answer(net, tax, net+tax))
	}
	src := judged(t, suite.Source{Steps: []exchange.Step{stepOf(1, "/bill", replies(bodies...))}})
	count := func(body string) (n int) {
		p := build(t, src, Options{Answers: answered(t, src, func(play.Request) *exchange.Response { return replies(body)[0] })})
		for _, c := range p.Tests[0].Steps[0].Checks {
			if c.Kind == plan.CheckRelated {
				n++
			}
		}
		return n
	}
	if all, left := count(bodies[3]), count(answer(300, 20, 317)); all < 2 || left != all-1 {
		t.Errorf("of %d relations %d are left where a trial contradicts one", all, left)
	}
}

// TestTriedHeads: a header that is missing or otherwise in a trial, a cookie that is not set, and a value that is not
// the one that the test was given, are not asserted.
func TestTriedHeads(t *testing.T) {
	src := session(t,
		`POST /carts {"name":"a"} > 201 {"id":"c-8c1fd09a7b","self":"/carts/c-8c1fd09a7b"}`,
		`GET /carts/c-8c1fd09a7b > 200 {"id":"c-8c1fd09a7b","count":0}`,
	)
	for i := range src.Steps {
		r := src.Steps[i].Exchange.Response
		src.Steps[i].Exchange.Response = reply(r.Status, jsonType+"X-Kind: cart\r\nX-Mode: fast\r\nSet-Cookie: seen=1\r\n", string(r.Body))
	}
	count := func(o Options) (n int) {
		for _, test := range build(t, src, o).Tests {
			for _, s := range test.Steps {
				for _, c := range s.Checks {
					switch {
					case s.Role != plan.Tested:
					case c.Kind == plan.CheckHeader && c.Place != "/header/content-type", c.Kind == plan.CheckCookie, c.Kind == plan.CheckEqual:
						n++
					}
				}
			}
		}
		return n
	}
	made := 0
	trial := func(kind, cookie, of string) Options {
		return Options{Answers: answered(t, src, func(r play.Request) *exchange.Response {
			id := strings.TrimPrefix(r.Target, "/carts/")
			if r.Method == "POST" {
				made++
				id = fmt.Sprintf("c-%010d", made)
				return reply(201, jsonType+"X-Kind: cart\r\nX-Mode: fast\r\nSet-Cookie: seen=1\r\n", fmt.Sprintf(`{"id":%q,"self":"/carts/%s"}`, id, id))
			}
			return reply(200, jsonType+kind+"X-Mode: fast\r\n"+cookie, fmt.Sprintf(`{"id":%q,"count":0}`, of+id))
		})}
	}
	all := count(Options{})
	for _, tt := range []struct {
		kind, cookie, of string
		less             int
	}{
		{"X-Kind: cart\r\n", "Set-Cookie: seen=2\r\n", "", 0},
		{"X-Kind: list\r\n", "Set-Cookie: seen=2\r\n", "", 1},
		{"", "Set-Cookie: seen=2\r\n", "", 1},
		{"X-Kind: cart\r\n", "", "", 1},
		{"X-Kind: cart\r\n", "Set-Cookie: seen=2\r\n", "other-", 1},
		{"", "", "other-", 3},
	} {
		if n := count(trial(tt.kind, tt.cookie, tt.of)); n != all-tt.less || all < 5 {
			t.Errorf("%+v: %d of %d are left", tt, n, all)
		}
	}
}

// library is a recording in which one client lends two books, and gives back one.
var library = []string{
	`POST /login {"user":"bob","password":"pw-of-bob-1"} > 200 {"token":"tok-0123456789abcdef"}`,
	`POST /books <tok-0123456789abcdef> {"title":"Sand"} > 201 {"id":4711,"title":"Sand"}`,
	`PATCH /books/4711 <tok-0123456789abcdef> {"copies":5} > 200 {"id":4711,"copies":5}`,
	`POST /books/4711/cover <tok-0123456789abcdef> {"size":5} > 201 {"size":5}`,
	`POST /loans <tok-0123456789abcdef> {"book":4711} > 201 {"id":"l-8c1fd09a7b","renewals":0}`,
	`POST /loans/l-8c1fd09a7b/renew <tok-0123456789abcdef> > 200 {"id":"l-8c1fd09a7b","renewals":1}`,
	`POST /loans <tok-0123456789abcdef> {"book":1} > 201 {"id":"l-11d20c94ee","renewals":0}`,
	`GET /loans <tok-0123456789abcdef> > 200 {"loans":["l-8c1fd09a7b","l-11d20c94ee"]}`,
	`DELETE /loans/l-8c1fd09a7b <tok-0123456789abcdef> > 204`,
	`GET /loans/l-8c1fd09a7b <tok-0123456789abcdef> > 404 {"error":"none"}`,
	`DELETE /books/4711 <tok-0123456789abcdef> > 204`,
}

// TestWhatOthersMade: a test about one element makes no other one, and what a list has of others is taken away as well,
// though no recorded request takes that very one away.
func TestWhatOthersMade(t *testing.T) {
	p := build(t, session(t, library...), Options{})
	lines := map[string]string{}
	for _, line := range shown(p) {
		name, steps, _ := strings.Cut(line, ": ")
		lines[name] = strings.ReplaceAll(steps, "set-up", "+")
	}
	for name, want := range map[string]string{
		"get_loans_is_200": "once POST /login, + POST /books, + POST /loans, + POST /loans/{id}/renew, + POST /loans, " +
			"tested GET /loans, clean-up DELETE /loans/{id}, clean-up DELETE /loans/{id}, clean-up DELETE /books/{id}",
		"get_deleted_loan_is_404": "once POST /login, + POST /books, + POST /loans, + POST /loans/{id}/renew, + DELETE /loans/{id}, " +
			"tested GET /loans/{id}, clean-up DELETE /loans/{id}, clean-up DELETE /books/{id}",
	} {
		if diff := cmp.Diff(strings.Split(want, ", "), strings.Split(lines[name], ", ")); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
	var bound []string
	for _, test := range p.Tests {
		for _, s := range test.Steps {
			if test.Name == "get_loans_is_200" && s.Role == plan.CleanUp {
				bound = append(bound, s.Target[len(s.Target)-1].Bound)
			}
		}
	}
	if len(bound) != 3 || bound[0] == bound[1] || slices.Contains(bound, "") {
		t.Errorf("taken away are %q", bound)
	}
}

// TestStatusesSeen: a set-up about what the test made itself is answered as it was recorded; no status is made up.
func TestStatusesSeen(t *testing.T) {
	for _, test := range build(t, session(t, library...), Options{}).Tests {
		for _, s := range test.Steps {
			if s.Role != plan.CleanUp && len(s.Checks[0].Statuses) != 1 {
				t.Errorf("%s: %s %s may be answered %v: %s", test.Name, s.Role, s.Title, s.Checks[0].Statuses, s.Checks[0].Why)
			}
		}
	}
}

// twice is a recording in which one signs up twice.
var twice = []string{
	`POST /users {"name":"alice","password":"pw-of-alice-1"} > 201 {"name":"alice"}`,
	`POST /users {"name":"alice","password":"pw-of-alice-1"} > 409 {"error":"exists"}`,
	`POST /login {"name":"alice","password":"pw-of-alice-1"} > 200 {"token":"tok-0123456789abcdef"}`,
	`GET /notes <tok-0123456789abcdef> > 200 {"count":0}`,
}

// TestAccountIsThere: what follows the test's own sign-up is refused always; the sign-up itself is where the account is
// left from another time, if the recording shows how, and the tests go on.
func TestAccountIsThere(t *testing.T) {
	src := session(t, twice...)
	var sent []string
	for _, o := range []Options{{}, {Answers: answered(t, src, func(r play.Request) *exchange.Response {
		sent = append(sent, r.Target)
		switch r.Target {
		case "/users":
			return reply(409, jsonType, `{"error":"exists"}`)
		case "/login":
			return reply(200, jsonType, `{"token":"tok-fedcba9876543210"}`)
		}
		return reply(200, jsonType, `{"count":1}`)
	})}} {
		p := build(t, src, o)
		if c := checkAt(t, p, "post_users_is_409", "/status"); !slices.Equal(c.Statuses, []int{409}) {
			t.Errorf("again: %v", c.Statuses)
		}
		if s := p.Tests[0].Steps[0]; !s.Single || !slices.Equal(s.Checks[0].Statuses, []int{201, 409}) || s.Checks[1].If != 201 {
			t.Errorf("the account: %+v", s)
		}
	}
	if !slices.Contains(sent, "/notes") {
		t.Errorf("a trial ended where the account was there: %q", sent)
	}
}

// answered are the answers of one trial.
func answered(t *testing.T, src suite.Source, send func(play.Request) *exchange.Response) play.Answers {
	t.Helper()
	var answers play.Answers
	err := answers.Try(build(t, src, Options{}), play.Forwards, func(r play.Request) (*exchange.Response, error) { return send(r), nil })
	if err != nil {
		t.Fatal(err)
	}
	return answers
}

// TestSharedSetUpsUseWhatTheyName: a fixture of pytest has no variable that it does not use.
func TestSharedSetUpsUseWhatTheyName(t *testing.T) {
	files, err := write.Write("pytest", build(t, session(t, twice...), Options{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name != "flaketap_setups.py" {
			continue
		}
		for _, fixture := range strings.Split(string(f.Data), "@pytest.fixture")[1:] {
			if n := strings.Count(fixture, "bound"); n == 1 {
				t.Errorf("bound is not used:\n%s", fixture)
			}
		}
		return
	}
	t.Error("nothing is shared")
}
