package setup_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/search"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/volatility/compare"
)

// club is an API whose members have a name, an e-mail address and a slug, of which some are unique. A reset forgets the
// members and, where it is said so, keeps what is taken; deleting a member keeps what is taken too.
type club struct {
	unique  []string // fields
	status  int      // of what is taken
	keeps   bool     // over a reset
	longest int      // a field may be, in bytes; 0: any length
	members []map[string]any
	taken   map[string]bool
}

func (c *club) reset() {
	if c.members = nil; !c.keeps {
		c.taken = nil
	}
}

func (c *club) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	say := func(status int, x any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(x)
	}
	switch {
	case r.URL.Path == "/reset":
		c.reset()
	case r.Method == "POST" && r.URL.Path == "/members":
		var m map[string]any
		data, _ := io.ReadAll(r.Body)
		if json.Unmarshal(data, &m) != nil {
			say(400, map[string]any{"error": "no JSON"})
			return
		}
		if m["role"] != "guest" && m["role"] != "admin" {
			say(400, map[string]any{"error": "role"})
			return
		}
		for _, k := range c.unique {
			if c.taken[k+fmt.Sprint(m[k])] {
				say(c.status, map[string]any{"error": k + " is taken"})
				return
			}
		}
		for _, k := range []string{"name", "email"} {
			if c.longest > 0 && len(fmt.Sprint(m[k])) > c.longest {
				say(422, map[string]any{"error": k + " is too long"})
				return
			}
		}
		if c.taken == nil {
			c.taken = map[string]bool{}
		}
		for _, k := range c.unique {
			c.taken[k+fmt.Sprint(m[k])] = true
		}
		m["id"], m["slug"] = len(c.members)+1, strings.ToLower(strings.ReplaceAll(fmt.Sprint(m["title"]), " ", "-"))
		c.members = append(c.members, m)
		say(201, m)
	case r.Method == "GET" && r.URL.Path == "/members":
		found := []map[string]any{}
		for _, m := range c.members {
			if m["email"] == r.URL.Query().Get("email") {
				found = append(found, m)
			}
		}
		say(200, found)
	case r.Method == "DELETE":
		c.members = slices.DeleteFunc(c.members, func(m map[string]any) bool { return fmt.Sprint("/members/", m["id"]) == r.URL.Path })
		say(204, nil)
	default:
		say(404, map[string]any{"error": "not found"})
	}
}

// renewing searches for what a test needs that an API has run before: all that it was answered the first time is wanted,
// and the second time it was answered otherwise.
func renewing(t *testing.T, api *club, lines string, leans func(*exchange.Request, string) string) setup.Found {
	t.Helper()
	server := httptest.NewServer(api)
	defer server.Close()
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	session := worked(api, lines)
	api.reset()
	var test []setup.Wanted
	for i, e := range worked(api, lines) {
		first := session[i]
		w := setup.Wanted{Request: first.Request, Seq: first.Seq, Literal: true, Seen: []*exchange.Response{first.Response, e.Response},
			Claims: []exchange.Claim{status(first.Response.Status)}}
		compare.Walk(first.Response, func(place exchange.Place, raw string) {
			if place.Root() == "body" && raw[0] != '{' && raw[0] != '[' {
				w.Claims = append(w.Claims, exchange.Claim{Place: place, Relation: exchange.Equal, Value: raw})
			}
		})
		test = append(test, w)
	}
	s := setup.Search{Finder: setup.NewFinder(session, flow.Rules{}), Draw: rand.IntN, Leans: leans,
		Trier: &search.PlayerTrier{Player: replay.Player{Target: target, Reset: service.Reset(server.URL + "/reset")}}}
	found, err := s.Find(t.Context(), test)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

const (
	adaJoins   = `- POST /members {"name":"Ada","email":"ada@example.com","title":"x","role":"guest"}`
	adaIsFound = `
		- GET /members?email=ada@example.com`
)

// TestFreshNames: of what a request names the fewest values are drawn anew with which it is made again, wherever the
// test sends or expects them, in the form that they have; and none where another outcome would follow.
func TestFreshNames(t *testing.T) {
	for _, c := range []struct {
		name, lines string
		api         club
		leans       string
		want        string // the values, their forms and their uses; or why there are none
	}{
		{"an address", adaJoins, club{unique: []string{"email"}, status: 409, keeps: true}, "",
			"email ada[8 0123456789abcdef]@example.com: call 0 /body/email, answer 0 /body/email"},
		{"another status", adaJoins, club{unique: []string{"email"}, status: 500, keeps: true}, "",
			"email ada[8 0123456789abcdef]@example.com: call 0 /body/email, answer 0 /body/email"},
		{"sent again", adaJoins + adaIsFound, club{unique: []string{"email"}, status: 422, keeps: true}, "",
			"email ada[8 0123456789abcdef]@example.com: call 0 /body/email, call 1 /query/email, answer 0 /body/email, answer 1 /body/0/email"},
		{"two of them", adaJoins, club{unique: []string{"email", "name"}, status: 400, keeps: true}, "",
			"email ada[8 0123456789abcdef]@example.com: call 0 /body/email, answer 0 /body/email; " +
				"name Ada[8 0123456789abcdef]: call 0 /body/name, answer 0 /body/name"},
		{"a name that may not be longer", `- POST /members {"name":"Ada","email":"ada.lovelace@example.com","title":"x","role":"guest"}`,
			club{unique: []string{"email"}, status: 409, keeps: true, longest: 24}, "",
			"email ada.[8 0123456789abcdef]@example.com: call 0 /body/email, answer 0 /body/email"},
		{"a number", `- POST /members {"name":"+49301234567","email":"a@b.de","title":"x","role":"guest"}`,
			club{unique: []string{"name"}, status: 409, keeps: true}, "",
			"name +493[8 0123456789]: call 0 /body/name, answer 0 /body/name"},
		{"capitals", `- POST /members {"name":"PEN-1","email":"a@b.de","title":"x","role":"guest"}`,
			club{unique: []string{"name"}, status: 409, keeps: true}, "",
			"name PEN-1[8 0123456789ABCDEF]: call 0 /body/name, answer 0 /body/name"},
		{"what was deleted", adaJoins + `
			- DELETE /members/1`, club{unique: []string{"email"}, status: 409, keeps: true}, "",
			"email ada[8 0123456789abcdef]@example.com: call 0 /body/email, answer 0 /body/email"},
		{"what else follows from it", `- POST /members {"name":"Ada","email":"a@b.de","title":"Blue Pen","role":"guest"}`,
			club{unique: []string{"title"}, status: 409, keeps: true}, "",
			"what it names may be taken since an earlier run, and with another value /body/slug of the answer to POST /members is another too"},
		{"another test leans on it", adaJoins, club{unique: []string{"email"}, status: 409, keeps: true}, "test_login",
			`what it names may be taken since an earlier run, and test_login sends "ada@example.com" too, and leans on this test for it`},
		{"quotes", `- POST /members {"name":"Ada O'Hara","email":"a@b.de","title":"x","role":"guest"}`,
			club{unique: []string{"name"}, status: 409, keeps: true}, "",
			"what it names may be taken since an earlier run, and no other name is drawn, as it has quotes, backslashes, " +
				"braces, $, % or letters other than ASCII's: have the test send another in each run"},
		{"nothing is taken", adaJoins, club{}, "", "it holds on a fresh start"},
		{"a reset forgets it", adaJoins, club{unique: []string{"email"}, status: 409}, "", "it holds on a fresh start"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := renewing(t, &c.api, c.lines, func(*exchange.Request, string) string { return c.leans })
			if got := freshOf(found); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if found.Refused == "" && (!found.Proven || len(found.Trials) < 2 || slices.Equal(found.Trials[0].Values, found.Trials[1].Values)) {
				t.Errorf("not proven by two values: %+v", found.Trials)
			}
		})
	}
}

// Where the API forgets at its reset, and another test of the suite has taken the name, the trials send that before.
func TestFreshNamesInOrder(t *testing.T) {
	api := &club{unique: []string{"email"}, status: 409}
	server := httptest.NewServer(api)
	defer server.Close()
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	session := worked(api, adaJoins)
	other := worked(api, adaJoins) // refused
	test := []setup.Wanted{{Request: session[0].Request, Seq: 1, Literal: true, Claims: []exchange.Claim{status(201)},
		Seen: []*exchange.Response{other[0].Response}}}
	ran := setup.Ran{File: "t.py", Test: "test_other", Exchange: session[0], Expected: "201"}
	s := setup.Search{Finder: setup.NewFinder(session, flow.Rules{}), Draw: rand.IntN,
		Trier: &search.PlayerTrier{Player: replay.Player{Target: target, Reset: service.Reset(server.URL + "/reset")}}}
	found, err := s.Find(t.Context(), test, ran)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := freshOf(found), "email ada[8 0123456789abcdef]@example.com: call 0 /body/email"; got != want || len(found.Polluters) > 0 {
		t.Errorf("%s, %v", got, found.Polluters)
	}
}

// What was drawn is found again in what was sent, whatever form it has.
func TestDrawn(t *testing.T) {
	for _, c := range []struct{ value, sent, want string }{
		{"ada@example.com", "ada00c0ffee@example.com", "ada00c0ffee@example.com"},
		{"ada.lovelace@example.com", "ada.00c0ffee@example.com", "ada.00c0ffee@example.com"},
		{"ada@example.com", "ada@example.com", ""},
		{"ada@example.com", "alan@example.com", ""},
		{"PEN-1", "PEN-100C0FFEE", "PEN-100C0FFEE"},
	} {
		e := sent(&club{}, "POST", "/members", `{"email":"`+c.sent+`"}`, "")
		if got, _ := setup.Drawn(&e.Request, c.value); got != c.want {
			t.Errorf("%s, sent %s: %q", c.value, c.sent, got)
		}
	}
}

// freshOf says in a line what is drawn anew.
func freshOf(found setup.Found) string {
	if found.Refused != "" {
		return found.Refused
	}
	var out []string
	for _, b := range found.Graft.Fresh() {
		text := fmt.Sprintf("%s %s[%d %s]%s:", b.Name, b.Fresh.Before, b.Fresh.Length, b.Fresh.Letters, b.Fresh.After)
		for i, u := range b.Uses {
			if i > 0 {
				text += ","
			}
			text += fmt.Sprintf(" %s %d %s", u.In, u.At, u.Place)
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}
