package setup_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/suite/setup"
)

// talk reads a session from lines: METHOD TARGET [BODY] -> STATUS [Location: URL] [BODY]. What cannot be read is passed over.
func talk(lines string) []*exchange.Exchange {
	var out []*exchange.Exchange
	for line := range strings.Lines(lines) {
		asked, answered, found := strings.Cut(strings.TrimSpace(line), " -> ")
		method, rest, more := strings.Cut(asked, " ")
		if !found || !more {
			continue
		}
		target, body, _ := strings.Cut(rest, " ")
		head := method + " " + target + " HTTP/1.1\r\nHost: api.test\r\n"
		if body != "" {
			head += fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
		}
		out = append(out, &exchange.Exchange{Seq: uint64(len(out) + 1), Pass: 1, Scheme: "http", Addr: "api.test:80",
			Request:  exchange.ParseRequest(exchange.Message{Head: []byte(head + "\r\n"), Body: []byte(body)}),
			Response: replied(answered)})
	}
	return out
}

func replied(text string) *exchange.Response {
	status, body, _ := strings.Cut(text, " ")
	head := "HTTP/1.1 " + status + " x\r\n"
	if location, rest, ok := strings.Cut(strings.TrimPrefix(body, "Location: "), " "); ok || strings.HasPrefix(body, "Location: ") {
		if strings.HasPrefix(body, "Location: ") {
			head += "Location: " + location + "\r\n"
			body = rest
		}
	}
	if body != "" {
		head += "Content-Type: application/json\r\n"
	}
	head += fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body))
	return exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: []byte(body)})
}

// wanting is a call of a test that wants the answer of an exchange, as its status and some places, and was answered otherwise.
func wanting(e *exchange.Exchange, seen string, claims ...exchange.Claim) setup.Wanted {
	w := setup.Wanted{Request: e.Request, Seq: e.Seq, Claims: append([]exchange.Claim{status(e.Response.Status)}, claims...)}
	if seen != "" {
		w.Seen = []*exchange.Response{replied(seen)}
	}
	return w
}

func status(n int) exchange.Claim {
	return exchange.Claim{Place: exchange.PlaceStatus, Relation: exchange.Equal, Value: strconv.Itoa(n)}
}

func equal(place exchange.Place, token string) exchange.Claim {
	return exchange.Claim{Place: place, Relation: exchange.Equal, Value: token}
}

// said shows a graft in one line.
func said(g setup.Graft) string {
	var out []string
	for _, s := range g.Steps {
		out = append(out, fmt.Sprintf("%d %s %s %d", s.Seq, s.Request.Method, s.Request.Target, s.Status))
	}
	for _, s := range g.CleanUp {
		out = append(out, fmt.Sprintf("clean %s %s", s.Request.Method, s.Request.Target))
	}
	for _, b := range g.Binds {
		var uses []string
		for _, u := range b.Uses {
			uses = append(uses, fmt.Sprintf("%s %d %s", u.In, u.At, u.Place))
		}
		out = append(out, fmt.Sprintf("%s = %d %s (%s): %s", b.Name, b.Step, b.Place, b.Value, strings.Join(uses, ", ")))
	}
	return strings.Join(append(out, g.Refused), "; ")
}

func TestSetUpFinder(t *testing.T) {
	const items = `GET /items -> 200 [{"id":1,"name":"seed"}]
		POST /items {"name":"bolt"} -> 201 {"id":2,"name":"bolt"}
		POST /items {"name":"nut"} -> 201 {"id":3,"name":"nut"}
		`
	for _, tt := range []struct {
		name, session, seen string
		claims              []exchange.Claim
		want                string // of the last exchange of the session
	}{{
		name: "an id that another request made", session: items + `GET /items/3 -> 200 {"id":3,"name":"nut"}`, seen: "404",
		claims: []exchange.Claim{equal("/body/id", "3"), equal("/body/name", `"nut"`)},
		want:   "3 POST /items 201; itemId = 0 /body/id (3): call 0 /path/1, answer 0 /body/id; ",
	}, {
		name: "what it belongs to, by its name alone", session: items + `POST /items/3/parts {"of":"x"} -> 201 {"id":9,"item":3,"items":3}`, seen: "404",
		claims: []exchange.Claim{equal("/body/item", "3"), equal("/body/items", "3")},
		want:   "3 POST /items 201; itemId = 0 /body/id (3): call 0 /path/1, answer 0 /body/item; ",
	}, {
		name: "what was said of it later", session: items + `PUT /items/3 {"price":9} -> 200 {}
			PUT /items/3 {"price":7} -> 200 {}
			GET /items/3 -> 200 {"id":3,"price":7}`, seen: "404", claims: []exchange.Claim{equal("/body/price", "7")},
		want: "3 POST /items 201; 5 PUT /items/3 200; itemId = 0 /body/id (3): set-up 1 /path/1, call 0 /path/1; ",
	}, {
		name: "what a thing was turned into", session: items + `GET /items/3 -> 200 {"id":3,"open":true}
			POST /items/3/close -> 204
			GET /items/3 -> 200 {"id":3,"open":false}`, seen: "404", claims: []exchange.Claim{equal("/body/open", "false")},
		want: "3 POST /items 201; 5 POST /items/3/close 204; itemId = 0 /body/id (3): set-up 1 /path/1, call 0 /path/1; ",
	}, {
		name: "a thing within a thing", session: items + `POST /items/3/parts {"of":"x"} -> 201 {"id":9}
			DELETE /items/3/parts/8 -> 404
			GET /items/3/parts/9 -> 200 {"id":9}`, seen: "404",
		want: "3 POST /items 201; 4 POST /items/3/parts 201; clean DELETE /items/3/parts/9; " +
			"itemId = 0 /body/id (3): set-up 1 /path/1, call 0 /path/1, clean-up 0 /path/1; partId = 1 /body/id (9): call 0 /path/3, clean-up 0 /path/3; ",
	}, {
		name: "what is there on a fresh API was taken away", session: items + `DELETE /items/1 -> 204
			GET /items/1 -> 404`, seen: `200 {"id":1}`, want: "it takes DELETE /items/1, which may touch what the test did not make",
	}, {
		name: "a list", session: items + `DELETE /items/1 -> 204
			DELETE /items/2 -> 204
			GET /items -> 200 [{"id":3,"name":"nut"}]`, seen: `200 [{"id":1,"name":"seed"}]`, claims: []exchange.Claim{equal("/body/0/id", "3")},
		want: "it takes DELETE /items/1, which may touch what the test did not make",
	}, {
		name: "a list that was asked for in part", session: items + `GET /items?name=nut -> 200 [{"id":3,"name":"nut"}]`, seen: "200 []",
		claims: []exchange.Claim{{Place: "/body", Relation: exchange.Length, Value: "1"}}, want: "3 POST /items 201; ",
	}, {
		name: "what hangs on it", session: items + `POST /orders {"itemId":3} -> 201 {"id":4}
			POST /orders {"itemId":2} -> 201 {"id":5}
			DELETE /items/3 -> 409`, seen: "404",
		want: "3 POST /items 201; 4 POST /orders 201; clean DELETE /items/3; " +
			"itemId = 0 /body/id (3): set-up 1 /body/itemId, call 0 /path/1, clean-up 0 /path/1; ",
	}, {
		name: "one of that name is there", session: items + `POST /items {"name":"nut"} -> 409`, seen: `201 {"id":2,"name":"nut"}`,
		want: "3 POST /items 201; ",
	}, {
		name: "a name that the client gave", session: `GET /shops -> 200 ["one"]
			POST /shops/two -> 201 Location: http://api.test/shops/two
			DELETE /shops/one -> 204
			GET /shops/two -> 200 {"name":"two"}`, seen: "404", want: "it takes POST /shops/two, which may touch what the test did not make",
	}, {
		name: "a failure that saved all the same", session: `GET /shops/two -> 500
			POST /shops/two -> 500
			DELETE /shops/two -> 204
			POST /shops/two -> 500
			GET /shops/two -> 200 {"name":"two"}`, seen: "500", want: "it takes POST /shops/two, which may touch what the test did not make",
	}, {
		name: "two of a name, and both taken away", session: `GET /shops -> 200 ["a","a"]
			DELETE /shops/a -> 204
			GET /shops -> 200 ["a"]
			DELETE /shops/a -> 204
			GET /shops -> 200 []`, seen: `200 ["a","a"]`, claims: []exchange.Claim{{Place: "/body", Relation: exchange.Length, Value: "0"}}, want: "it takes DELETE /shops/a, which may touch what the test did not make",
	}, {
		name: "a counter", session: `GET /hits -> 200 {"n":0}
			POST /hits -> 200 {"n":1}
			POST /hits -> 200 {"n":2}
			GET /hits -> 200 {"n":2}`, seen: `200 {"n":0}`, claims: []exchange.Claim{equal("/body/n", "2")},
		want: "it takes POST /hits, which may touch what the test did not make",
	}, {
		name: "a setting", session: `GET /mode -> 200 {"mode":"a"}
			PUT /mode {"mode":"b"} -> 200 {"mode":"b"}
			PUT /mode {"mode":"c"} -> 200 {"mode":"c"}
			GET /mode -> 200 {"mode":"c"}`, seen: `200 {"mode":"a"}`, claims: []exchange.Claim{equal("/body/mode", `"c"`)},
		want: "it takes PUT /mode, which may touch what the test did not make",
	}, {
		name: "too much", session: `POST /items {"name":"a"} -> 201 {"id":1}
			POST /items {"name":"b"} -> 201 {"id":2}
			POST /items {"name":"c"} -> 201 {"id":3}
			GET /items -> 200 [{"id":1},{"id":2},{"id":3}]`, seen: "200 []", claims: []exchange.Claim{{Place: "/body", Relation: exchange.Length, Value: "3"}}, want: "it takes 3 earlier requests, more than 2",
	}, {
		name: "an id of its own", session: items + `POST /items {"name":"cog"} -> 201 {"id":4,"name":"cog"}`, seen: `201 {"id":2,"name":"cog"}`,
		claims: []exchange.Claim{equal("/body/id", "4.0")}, want: "an id that the test itself makes differs at each start",
	}, {
		name: "nothing contradicts it", session: items + "GET /other -> 404", seen: "404", want: "no answer contradicts it",
	}, {
		name: "nothing explains it", session: items + "GET /other -> 418", seen: "404", want: "nothing in the session shows what it depends on",
	}, {
		name: "deletes that go well always", session: `DELETE /items/7 -> 204
			DELETE /items/7 -> 204
			GET /items/7 -> 404`, want: "it depends on nothing that the session did",
	}, {
		name: "no execution of the suite is known", session: items + `GET /items/3 -> 200 {"id":3,"name":"nut"}`,
		want: "3 POST /items 201; itemId = 0 /body/id (3): call 0 /path/1; ",
	}} {
		t.Run(tt.name, func(t *testing.T) {
			session := talk(tt.session)
			f := setup.NewFinder(session, flow.Rules{})
			f.MaxSteps = 2
			g, ok := f.For([]setup.Wanted{wanting(session[len(session)-1], tt.seen, tt.claims...)})
			if got := said(g); got != tt.want || ok != (g.Refused == "") || g.Proven {
				t.Errorf("%s\nwant\n%s\nok %v, because %s", got, tt.want, ok, g.Why)
			}
		})
	}
}

// TestSetUpOfSeveralCalls: what the test does itself is no part of its set-up, and what comes behind a call that failed is
// not asked for.
func TestSetUpOfSeveralCalls(t *testing.T) {
	session := talk(`GET /shops -> 200 ["one"]
		DELETE /shops/one -> 204
		POST /shops/one -> 201 Location: /shops/one
		DELETE /shops/one -> 204
		DELETE /shops/one -> 500
		POST /shops/one -> 201 Location: /shops/one
		GET /shops/one -> 200 {"name":"one"}
		PUT /shops/one/open {"on":1} -> 500
		DELETE /shops/one -> 204`)
	var test []setup.Wanted
	for i, seen := range []string{"204", "", "", ""} {
		test = append(test, wanting(session[4+i], seen))
	}
	last := wanting(session[8], "")
	last.CleanUp = true
	g, ok := setup.NewFinder(session, flow.Rules{}).For(append(test, last))
	if got := said(g); ok || got != "it takes DELETE /shops/one, which may touch what the test did not make" {
		t.Errorf("%v: %s", ok, got)
	}
	if g.Why != "/shops/one was taken away by DELETE /shops/one" {
		t.Errorf("because %q", g.Why)
	}
}

// TestLocate: a test is found by the requests and the answers of its calls, at the last place in the session where they
// stand near to each other.
func TestLocate(t *testing.T) {
	var b strings.Builder
	b.WriteString("POST /items {\"name\": \"a\"} -> 201 {\"id\":1}\nGET /items/1 -> 200 {\"id\":1}\n")
	for range 40 {
		b.WriteString("GET /other -> 200 {}\n")
	}
	b.WriteString("POST /items {\"name\":\"a\"} -> 201 {\"id\":2}\nPOST /items {\"name\":\"b\"} -> 201 {\"id\":3}\nGET /items/3 -> 200 {\"id\":3}\nGET /items/1 -> 404\n")
	session := talk(b.String())
	f := setup.NewFinder(session, flow.Rules{})
	locate := func(lines string, claims ...exchange.Claim) []uint64 {
		var test []setup.Wanted
		var out []uint64
		for _, e := range talk(lines) {
			w := wanting(e, "", claims...)
			w.Seq = 0
			test = append(test, w)
		}
		if !f.Locate(test) {
			return nil
		}
		for _, w := range test {
			out = append(out, w.Seq)
		}
		return out
	}
	for _, tt := range []struct {
		name, lines string
		claims      []exchange.Claim
		want        []uint64
	}{
		{"exactly", "POST /items {\"name\":\"a\"} -> 201", nil, []uint64{43}},
		{"by its status", "GET /items/1 -> 200", nil, []uint64{2}},
		{"by what it says", "POST /items {\"name\":\"a\"} -> 201", []exchange.Claim{equal("/body/id", "1")}, []uint64{1}},
		{"near to each other", "POST /items {\"name\":\"a\"} -> 201\nGET /items/1 -> 200", nil, []uint64{1, 2}},
		{"by another id", "POST /items {\"name\":\"b\"} -> 201\nGET /items/77 -> 200", nil, []uint64{44, 45}},
		{"not at all", "GET /nothing -> 200", nil, nil},
		{"in another order", "GET /items/1 -> 200\nPOST /items {\"name\":\"b\"} -> 201", nil, nil},
	} {
		if got := locate(tt.lines, tt.claims...); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestPolluters(t *testing.T) {
	session := talk(`GET /shops -> 200 ["one"]
		DELETE /shops/one -> 204
		POST /shops/%3Cx%3E -> 500
		GET /shops/%3Cx%3E -> 200 {"name":"<x>"}
		DELETE /shops/%3Cx%3E -> 204
		GET /shops -> 200 []
		GET /mode -> 200 {"mode":"a"}`)
	f := setup.NewFinder(session, flow.Rules{})
	var before []setup.Ran
	for i, e := range talk(`DELETE /shops/one -> 204
		POST /shops/%3Cx%3E -> 500
		PUT /mode {"mode":"b"} -> 200 {"mode":"b"}
		POST /shops/two -> 400`) {
		before = append(before, setup.Ran{Test: fmt.Sprintf("t%d", i), Call: i, Exchange: e})
	}
	g, ok := f.For([]setup.Wanted{wanting(session[5], `200 ["<x>"]`, exchange.Claim{Place: "/body", Relation: exchange.Length, Value: "0"})}, before...)
	if got := said(g); ok || got != "it takes DELETE /shops/one, which may touch what the test did not make" || len(g.Polluters) != 1 {
		t.Fatalf("%v: %s, %v", ok, got, g.Polluters)
	}
	x := g.Polluters[0]
	if x.Test != "t1" || x.Call != 1 || x.Request != "POST /shops/%3Cx%3E" {
		t.Errorf("%+v", x)
	}
	g, ok = f.For([]setup.Wanted{wanting(session[6], `200 {"mode":"b"}`, equal("/body/mode", `"a"`))}, before...)
	if ok || g.Refused != "it holds on a fresh start" || len(g.Polluters) != 1 || g.Polluters[0].Test != "t2" {
		t.Errorf("%v: %s, %v", ok, said(g), g.Polluters)
	}
	g, _ = f.For([]setup.Wanted{wanting(session[0], `200 ["<x>"]`, equal("/body/0", `"one"`))}, before...)
	if len(g.Polluters) != 2 || g.Polluters[1].Test != "t0" {
		t.Errorf("%s, %v", said(g), g.Polluters)
	}
}

// TestWithoutCleanUp: what is left out of a clean-up takes its uses of values with it, and the others keep theirs.
func TestWithoutCleanUp(t *testing.T) {
	use := func(at int) setup.BindUse { return setup.BindUse{In: setup.InCleanUp, At: at, Place: "/path/1"} }
	g := setup.Graft{CleanUp: []setup.Step{{Seq: 7}, {Seq: 8}}, Binds: []setup.Bind{
		{Name: "a", Uses: []setup.BindUse{use(0)}}, {Name: "b", Uses: []setup.BindUse{{In: setup.InCall, Place: "/path/1"}, use(1)}}}}
	got := g.WithoutCleanUp([]int{0})
	if len(got.CleanUp) != 1 || got.CleanUp[0].Seq != 8 || len(got.Binds) != 1 || !slices.Equal(got.Binds[0].Uses, []setup.BindUse{{In: setup.InCall, Place: "/path/1"}, use(0)}) {
		t.Errorf("%+v", got)
	}
	if len(g.CleanUp) != 2 || len(g.Binds) != 2 || g.Binds[1].Uses[1] != use(1) {
		t.Errorf("the graft itself was changed: %+v", g)
	}
}

func TestSatisfies(t *testing.T) {
	r := replied(`201 Location: /items/7 {"id":7,"none":null,"list":[1,{"a/b":"x"}],"text":"a\u00e4","big":12345678901234567890}`)
	for _, tt := range []struct {
		place     exchange.Place
		relation  exchange.Relation
		value     string
		ok, known bool
	}{
		{"/status", exchange.Equal, "201", true, true},
		{"/status", exchange.Equal, "200", false, true},
		{"/status", exchange.Contains, "201", true, false},
		{"/header/location", exchange.Contains, `"/items/"`, true, true},
		{"/header/location", exchange.Equal, `"/items/8"`, false, true},
		{"/header/etag", exchange.Absent, "", true, true},
		{"/header/etag", exchange.Present, "", false, true},
		{"/body/id", exchange.Equal, "7.0", true, true},
		{"/body/id", exchange.Equal, `"7"`, false, true},
		{"/body/big", exchange.Equal, "12345678901234567891", false, true},
		{"/body/none", exchange.Equal, "null", true, true},
		{"/body/none", exchange.Present, "", true, true},
		{"/body/nothing", exchange.Absent, "", true, true},
		{"/body/list", exchange.Length, "2", true, true},
		{"/body/list/1/a~1b", exchange.Equal, `"x"`, true, true},
		{"/body/list/2", exchange.Equal, `1`, false, true},
		{"/body/text", exchange.Length, "2", true, true},
		{"/body", exchange.Contains, `"\"none\":null"`, true, true},
		{"/body", exchange.Empty, "", false, true},
		{"/body", exchange.Length, "5", true, true},
		{"/body/id", "", "", false, false},
		{"/body/list/*/a~1b", exchange.Equal, `["x"]`, false, false}, // of each element
	} {
		ok, known := setup.Satisfies(exchange.Claim{Place: tt.place, Relation: tt.relation, Value: tt.value}, r)
		if known != tt.known || known && ok != tt.ok {
			t.Errorf("%s %s %s: %v, %v", tt.place, tt.relation, tt.value, ok, known)
		}
	}
	if ok, known := setup.Satisfies(status(200), nil); ok || !known {
		t.Error("no answer satisfies a claim")
	}
}

func TestRebound(t *testing.T) {
	for _, tt := range []struct{ relation, value, want string }{
		{"equal", "4", "17"}, {"equal", "4.0", "17"}, {"equal", `"4"`, `"17"`}, {"equal", "14", "14"},
		{"contains", `"/news/4"`, `"/news/17"`}, {"contains", `"/news/44"`, `"/news/44"`}, {"length", "4", "4"},
	} {
		c := setup.Rebound(exchange.Claim{Place: "/body/id", Relation: exchange.Relation(tt.relation), Value: tt.value}, "4", "17")
		if c.Value != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.relation, tt.value, c.Value, tt.want)
		}
	}
}

// FuzzSetUps: whatever a session holds, what is said of it stands in it, and is within the bounds.
func FuzzSetUps(f *testing.F) {
	f.Add("GET /items -> 200 [{\"id\":1}]\nPOST /items {\"name\":\"a\"} -> 201 {\"id\":2}\nDELETE /items/1 -> 204\nGET /items -> 200 [{\"id\":2}]", "200 []")
	f.Add("POST /a/%2F%zz -> 201 Location: /a/%2F\nDELETE /a -> 204\nPUT /a/b/c -> 200\nPATCH /a/b -> 500\nGET /a/%2F -> 200 {\"id\":null}", "404")
	f.Add("POST / -> 201 Location: /\nGET // -> 200 [[],{},1]\nDELETE / -> 204\nGET / -> 410", "500 x")
	f.Fuzz(func(t *testing.T, lines, seen string) {
		if len(lines) > 4<<10 {
			return
		}
		session := talk(lines)
		finder := setup.NewFinder(session, flow.Rules{})
		for i, e := range session {
			w := wanting(e, seen, equal("/body/0/id", "2"), equal("/body/name", `"a"`))
			test := []setup.Wanted{w}
			g, ok := finder.For(test, setup.Ran{Test: "t", Exchange: session[0]})
			if ok != (len(g.Steps) > 0) || len(g.Steps) > 5 || ok && g.Why == "" {
				t.Fatalf("%d: %v, %s", i, ok, said(g))
			}
			for _, s := range g.Steps {
				if s.Seq >= e.Seq {
					t.Fatalf("%d: step %d comes after the test", i, s.Seq)
				}
			}
			r := finder.Rehearse(test, g, nil)
			r.Missed(make([]*exchange.Response, len(r.Exchanges)))
			finder.Candidates(test, 8)
		}
	})
}
