package build

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/earlier"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// shelf is a recording that finds two books of somebody else, and adds one.
var shelf = []string{
	`POST /books {"title":"Sand"} > 201 {"id":3,"title":"Sand"}`,
	`GET /books > 200 {"count":3,"books":[{"id":1,"title":"Emma"},{"id":2,"title":"Ulysses"},{"id":3,"title":"Sand"}],"link":"/books/3"}`,
	`GET /books?id=3 > 200 {"count":3,"books":[{"id":1,"title":"Emma"},{"id":2,"title":"Ulysses"},{"id":3,"title":"Sand"}],"link":"/books/3"}`,
	`GET /books/3 > 200 {"id":3,"title":"Sand","copies":1}`,
	`DELETE /books/3 > 204`,
	`GET /books/3 > 404 {"error":"none"}`,
}

// books answers as an API with that shelf does, which gave out a number of ids before.
type books struct {
	ids   int
	there map[int]string
	extra int // copies that it says there are of each book beyond one
}

func (b *books) answer(r play.Request) *exchange.Response {
	_, tail, _ := strings.Cut(r.Target, "/books")
	id := 0
	_, _ = fmt.Sscanf(tail, "/%d", &id)
	title, there := b.there[id]
	switch {
	case r.Method == "POST":
		b.ids++
		b.there[b.ids] = "Sand"
		return reply(201, jsonType, fmt.Sprintf(`{"id":%d,"title":"Sand"}`, b.ids))
	case id == 0:
		var list []string
		for n := 1; n <= b.ids; n++ {
			if title, there := b.there[n]; there {
				list = append(list, fmt.Sprintf(`{"id":%d,"title":%q}`, n, title))
			}
		}
		return reply(200, jsonType, fmt.Sprintf(`{"count":%d,"books":[%s],"link":"/books/%d"}`, len(list), strings.Join(list, ","), b.ids))
	case !there:
		return reply(404, jsonType, `{"error":"none"}`)
	case r.Method == "DELETE":
		delete(b.there, id)
		return reply(204, "", "")
	}
	return reply(200, jsonType, fmt.Sprintf(`{"id":%d,"title":%q,"copies":%d}`, id, title, 1+b.extra))
}

// A test that was tried asserts what it was answered, on the start that it had: what the recording found of others is
// none of it, its own ids are, and what the trials do not agree on is weakened.
func TestOwnAnswers(t *testing.T) {
	src := session(t, shelf...)
	var answers play.Answers
	p := build(t, src, Options{All: true})
	for n := range minTrials {
		api := &books{ids: 10 * n, there: map[int]string{}, extra: n}
		if n > 0 {
			api.ids++
			api.there[api.ids] = "Emma" // but for the first trial, somebody left a book
		}
		if err := answers.Try(p, play.Forwards, func(r play.Request) (*exchange.Response, error) { return api.answer(r), nil }); err != nil {
			t.Fatal(err)
		}
	}
	if before := lists(t, p); !strings.Contains(before, "Ulysses") {
		t.Errorf("before any trial the list is %s", before)
	}
	if after := lists(t, build(t, src, Options{All: true, Answers: answers})); after != "" {
		t.Errorf("the trials do not agree, and the list is %s", after)
	}
	answers = play.Answers{}
	for n := range minTrials {
		api := &books{ids: 10 * n, there: map[int]string{}}
		if err := answers.Try(p, play.Forwards, func(r play.Request) (*exchange.Response, error) { return api.answer(r), nil }); err != nil {
			t.Fatal(err)
		}
	}
	p = build(t, src, Options{All: true, Answers: answers})
	if got, want := lists(t, p), `{"count":0,"books":[],"link":"<volatile>"}`+"\n"+`{"count":1,"books":[{"id":"<volatile>","title":"Sand"}],"link":"<volatile>"}`; got != want {
		t.Errorf("the list is %s, want %s", got, want)
	}
	for _, test := range p.Tests {
		for _, s := range test.Steps {
			if len(s.Checks) > 0 && len(s.Checks[0].Statuses) != 1 {
				t.Errorf("%s: %s may be answered %v", test.Name, s.Title, s.Checks[0].Statuses)
			}
			for _, c := range s.Checks {
				if c.Kind == plan.CheckEqual && c.Place == "/body/books/0/id" && c.Text.BoundNames() == nil {
					t.Errorf("%s: %s is not the book that the test made: %+v", test.Name, c.Place, c)
				}
			}
		}
	}
}

// lists is what is asserted of the bodies of GET /books, where the list is part of that.
func lists(t *testing.T, p plan.Plan) string {
	t.Helper()
	var out []string
	for _, test := range p.Tests {
		for _, s := range test.Steps {
			for _, c := range s.Checks {
				if s.Role == plan.Tested && s.Title == "GET /books" && c.Kind == plan.CheckJSON {
					var body struct{ Books json.RawMessage }
					if err := json.Unmarshal(c.JSON, &body); err != nil {
						t.Fatal(err)
					}
					if string(body.Books) != `"`+plan.Masked+`"` {
						out = append(out, string(c.JSON))
					}
				}
			}
		}
	}
	return strings.Join(out, "\n")
}

// A short value of a trial is put back where the recording has it at the same place, a long one everywhere.
func TestSwapped(t *testing.T) {
	swaps := []swap{{"8", "7"}, {"01J8ZQ4M", "01H0AAAA"}, {"127.0.0.1:9", "127.0.0.1:8"}}
	for _, tt := range []struct{ place, text, recorded, want string }{
		{"/body/id", "8", "7", "7"},
		{"/body/id", "8", "9", "8"},    // it was another there
		{"/body/count", "8", "7", "8"}, // a count is no id
		{"/body/self", "/orders/8/lines", "/orders/7/lines", "/orders/7/lines"},
		{"/body/self", "/orders/8/lines", "/orders/1/lines", "/orders/8/lines"},
		{"/body/text", "01J8ZQ4M was made", "", "01H0AAAA was made"},
		{"/body/self", "http://127.0.0.1:9/orders/8", "http://127.0.0.1:8/orders/7", "http://127.0.0.1:8/orders/7"},
	} {
		if got := swapped(exchange.Place(tt.place), tt.text, tt.recorded, swaps); got != tt.want {
			t.Errorf("%s %q, recorded %q: %q, want %q", tt.place, tt.text, tt.recorded, got, tt.want)
		}
	}
}

// What drifted with the session stands still for a test of its own; what jitters, and what a rule says, stays.
func TestOwnOperation(t *testing.T) {
	field := func(place exchange.Place, j mapfile.Judgement, c mapfile.Category) *mapfile.Field {
		return &mapfile.Field{Place: place, Judgement: j, Category: c, Changed: 6, Of: 6}
	}
	ruled := field("/body/d", mapfile.Drift, mapfile.State)
	ruled.Rule = &mapfile.Ruling{Kind: mapfile.Ignore}
	seldom := field("/body/e", mapfile.Drift, mapfile.State)
	seldom.Changed = 3 // in one of the exchanges
	op := &mapfile.Operation{Exchanges: 2, Fields: []*mapfile.Field{
		field("/body/a", mapfile.Drift, mapfile.State), field("/body/b", mapfile.Drift, mapfile.Time),
		field("/body/c", mapfile.Jitter, mapfile.State), ruled, seldom,
	}}
	own := ownOperation(op)
	for _, place := range []exchange.Place{"/body/a", "/body/b", "/body/c", "/body/d", "/body/e"} {
		if there := own.At(place) != nil; there != (place != "/body/a") {
			t.Errorf("%s is there: %v", place, there)
		}
	}
	if ownOperation(nil) != nil || len(op.Fields) != 5 {
		t.Error("the map's own operation is changed")
	}
}

// A value that all answers to one request agree on is asserted of it, though it is drawn anew for others, where those move
// so often that chance is no explanation. What follows the time may stand still today and move tomorrow.
func TestUnmovedOperation(t *testing.T) {
	drawn := mapfile.Field{Judgement: mapfile.Jitter, Category: mapfile.Rand}
	timed := mapfile.Field{Judgement: mapfile.Jitter, Category: mapfile.Time}
	left := mapfile.Field{Judgement: mapfile.Drift, Category: mapfile.State}
	ruled := mapfile.Field{Judgement: mapfile.Jitter, Category: mapfile.Rand, Rule: &mapfile.Ruling{}}
	for _, tt := range []struct {
		name    string
		field   mapfile.Field
		values  string // of one request, one for each answer: the recording's, then those of runs; "." is none
		others  string // of another
		same    bool   // the other is the same request
		unmoved bool
	}{
		{"drawn for others", drawn, "aaaaaaaaaaa", "bcdefghijkl", false, true},
		{"drawn here too", drawn, "aaaaaaaaaab", "bcdefghijkl", false, false},
		{"seldom there", drawn, "aaaaaaaaaaa", "bbbbbbbbbcc", false, false},
		{"the rare one was recorded there", drawn, "aaaaaaaaaaa", "baaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false, false},
		{"drawn for the same request", drawn, "aaaaaaaaaaa", "bcdefghijkl", true, false},
		{"missing once", drawn, "aaaaaaaaaa.", "bcdefghijkl", false, false},
		{"always missing", drawn, "...........", "bcdefghijkl", false, false},
		{"a time", timed, "aaaaaaaaaaa", "bcdefghijkl", false, false},
		{"what others left", left, "aaaaaaaaaaa", "bcdefghijkl", false, false},
		{"a rule", ruled, "aaaaaaaaaaa", "bcdefghijkl", false, false},
	} {
		tt.field.Place = "/body/of"
		op := &mapfile.Operation{Exchanges: 2, Fields: []*mapfile.Field{&tt.field}}
		op.Index()
		get := func(seq uint64, target string) *exchange.Exchange {
			return &exchange.Exchange{Seq: seq, Request: exchange.Request{Method: "GET", Target: target},
				Response: &exchange.Response{Status: 200}}
		}
		e, other := get(1, "/invoices/1"), get(2, "/invoices/2")
		if tt.same {
			other = get(2, "/invoices/1")
		}
		b := &builder{said: newSaid(nil), src: suite.Source{Steps: []exchange.Step{{Exchange: e}, {Exchange: other}}}}
		for seq, values := range map[uint64]string{1: tt.values, 2: tt.others} {
			for _, v := range strings.Split(values, "") {
				texts := map[exchange.Place]string{}
				if v != "." {
					texts["/body/of"] = v
				}
				b.said.answers[seq] = append(b.said.answers[seq], earlier.Answer{Texts: texts})
			}
		}
		if unmoved := b.unmovedOperation(op, e).At("/body/of") == nil; unmoved != tt.unmoved || len(op.Fields) != 1 {
			t.Errorf("%s: unmoved %v", tt.name, unmoved)
		}
	}
}
