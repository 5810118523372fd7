package build

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
)

// inLists is what a plan asserts of the elements of /body/books, a line each, of GET /books.
func inLists(p plan.Plan) (out []string) {
	for _, test := range p.Tests {
		for _, s := range test.Steps {
			for _, c := range s.Checks {
				if s.Role != plan.Tested || s.Title != "GET /books" || !c.Place.Within("/body/books") && c.Kind != plan.CheckRelated {
					continue
				}
				switch c.Kind {
				case plan.CheckItems:
					out = append(out, fmt.Sprintf("%s %s", c.Extent, c.JSON))
				case plan.CheckEqual:
					out = append(out, fmt.Sprintf("some %s is %v", c.Place, c.Text.BoundNames()))
				case plan.CheckRelated:
					out = append(out, fmt.Sprintf("%s %s %s", c.Place, c.Relation, c.Of))
				}
			}
		}
	}
	return out
}

// playing has the shelf's tests played by APIs with some books at the start, and returns what is then asserted of
// lists.
func playing(t *testing.T, starts ...map[int]string) []string {
	t.Helper()
	src := session(t, shelf...)
	p := build(t, src, Options{All: true})
	var answers play.Answers
	for _, start := range starts {
		api := &books{ids: 10, there: start}
		if err := answers.Try(p, play.Forwards, func(r play.Request) (*exchange.Response, error) { return api.answer(r), nil }); err != nil {
			t.Fatal(err)
		}
	}
	return inLists(build(t, src, Options{All: true, Answers: answers}))
}

// Of a list to which others add and from which they take, the test asserts what each trial found in it, what it made
// itself among that, and that its count counts it.
func TestAmong(t *testing.T) {
	got := playing(t,
		map[int]string{1: "Emma", 2: "Ulysses"},
		map[int]string{1: "Emma", 2: "Ulysses", 3: "Dune"},
		map[int]string{1: "Emma"},
		map[int]string{1: "Emma", 4: "Ivanhoe"},
	)
	want := []string{
		`among [{"id":1,"title":"Emma"}]`, `/body/count count [/body/books]`,
		`among [{"id":1,"title":"Emma"}]`, `among [{"id":"<volatile>","title":"Sand"}]`,
		`some /body/books/*/id is [bookId]`, `/body/count count [/body/books]`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("lists are asserted by\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A book that differs in something between trials is named by its id, without that.
func TestAmongDiffering(t *testing.T) {
	got := playing(t, map[int]string{1: "Emma", 2: "A"}, map[int]string{1: "Emma", 2: "B"}, map[int]string{1: "Emma", 2: "C", 3: "D"})
	want := []string{`among [{"id":1,"title":"Emma"}]`, `among [{"id":2,"title":"<volatile>"}]`}
	if len(got) < 2 || !slices.Equal(got[:2], want) {
		t.Errorf("lists are asserted by\n%s\nwant first\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Too few trials say nothing of what is always there, nor does one that finds nothing.
func TestAmongTooLittle(t *testing.T) {
	if got := playing(t, map[int]string{1: "Emma"}); len(got) > 0 {
		t.Errorf("after one trial lists are asserted by\n%s", strings.Join(got, "\n"))
	}
	got := playing(t, map[int]string{1: "Emma"}, map[int]string{1: "Emma", 2: "Ulysses"}, map[int]string{})
	if slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "Emma") }) {
		t.Errorf("a trial found no Emma, and lists are asserted by\n%s", strings.Join(got, "\n"))
	}
}

// Without trials, what a list had before any other test changed it is always there, but for what a request names; and
// what the test itself made, where each run bears that out.
func TestAmongUntried(t *testing.T) {
	const (
		old  = `among [{"id":"<volatile>","title":"Emma"},{"id":"<volatile>","title":"Ulysses"}]`
		made = `among [{"id":"<volatile>","title":"Sand"}]`
		id   = `some /body/books/*/id is [bookId]`
	)
	another := `GET /books?id=3 > 200 {"count":3,"books":[{"id":1,"title":"Emma"},{"id":3,"title":"Sand"},{"id":4,"title":"Dune"}],"link":"/books/4"}`
	for _, tt := range []struct {
		name  string
		first string // what goes before
		want  []string
	}{
		{"as it was", `GET /books > 200 {"count":2,"books":[{"id":1,"title":"Emma"},{"id":2,"title":"Ulysses"}]}`,
			[]string{old, old, made, id, made, id}},
		{"one is changed", `PUT /books/2 {"title":"Ulysses"} > 200 {"id":2,"title":"Ulysses"}`, []string{made, id, made, id}},
	} {
		src := session(t, slices.Concat([]string{tt.first}, shelf[:4], []string{another})...)
		for i := range src.Steps {
			s := &src.Steps[i]
			for run := range minTrials {
				o := *s.Exchange.Response
				payload, err := o.Payload()
				if err != nil {
					t.Fatal(err)
				}
				body := strings.NewReplacer(`"id":3`, fmt.Sprintf(`"id":%d`, 40+run), `"/books/3"`, fmt.Sprintf(`"/books/%d"`, 40+run)).
					Replace(string(payload))
				s.Observations = append(s.Observations, &exchange.Observation{Run: run + 1, Seq: s.Exchange.Seq, Sent: s.Exchange.Request,
					Response: reply(o.Status, jsonType, body)})
			}
		}
		got := inLists(build(t, judged(t, src), Options{All: true}))
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: lists are asserted by\n%s\nwant\n%s", tt.name, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}

// What the same read finds a moment before or after, with no change in between, is evidence as its own answers are: a queue
// that is worked off may be shorter here the next time.
func TestAmongReadsAlike(t *testing.T) {
	const (
		there   = `GET /books > 200 {"count":2,"books":[{"id":1,"title":"Emma"},{"id":2,"title":"Ulysses"}]}`
		another = `GET /books?id=3 > 200 {"count":3,"books":[{"id":1,"title":"Emma"},{"id":3,"title":"Sand"},{"id":4,"title":"Dune"}],"link":"/books/4"}`
	)
	for _, left := range []bool{false, true} {
		src := session(t, slices.Concat([]string{there, there}, shelf[:4], []string{another})...)
		for i := range src.Steps {
			s := &src.Steps[i]
			for run := range minEqual {
				payload, err := s.Exchange.Response.Payload()
				if err != nil {
					t.Fatal(err)
				}
				body := strings.NewReplacer(`"id":3`, fmt.Sprintf(`"id":%d`, 40+run), `"/books/3"`, fmt.Sprintf(`"/books/%d"`, 40+run)).
					Replace(string(payload))
				if left && i == 1 && run == 2 {
					body = `{"count":1,"books":[{"id":1,"title":"Emma"}]}`
				}
				s.Observations = append(s.Observations, &exchange.Observation{Run: run + 1, Seq: s.Exchange.Seq, Sent: s.Exchange.Request,
					Response: reply(s.Exchange.Response.Status, jsonType, body)})
			}
		}
		got := inLists(build(t, judged(t, src), Options{All: true}))
		if len(got) == 0 || !strings.Contains(got[0], "Emma") || strings.Contains(got[0], "Ulysses") == left {
			t.Errorf("where a read alike found less %t, lists are asserted by\n%s", left, strings.Join(got, "\n"))
		}
	}
}
