package setup_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"

	"github.com/flaketap/flaketap/suite/setup"
)

// library is an API with accounts: who signed up can log in, and who is logged in may change the books. It has the book 1.
type library struct {
	members, books map[string]string // passwords by name, and titles by id
	token          string            // of the last login
	made           int
}

func newLibrary() *library {
	return &library{members: map[string]string{}, books: map[string]string{"1": "Dune"}, made: 1}
}

// answer answers as [replied] reads it.
func (l *library) answer(r *exchange.Request) string {
	var said struct{ Name, User, Password, Title string }
	_ = json.Unmarshal(r.Body, &said)
	path, query := exchange.SplitTarget(r.Target)
	id := strings.TrimPrefix(path, "/books/")
	book := func(status int) string { return fmt.Sprintf(`%d {"id":%s,"title":%q}`, status, id, l.books[id]) }
	switch asked := r.Method + " " + strings.TrimSuffix(path, "/"+id); {
	case asked == "POST /members" && l.members[said.Name] != "":
		return "409"
	case asked == "POST /members":
		l.members[said.Name] = said.Password
		return fmt.Sprintf(`201 {"name":%q}`, said.Name)
	case asked == "POST /login" && (said.Password == "" || l.members[said.User] != said.Password):
		return "401"
	case asked == "POST /login":
		l.made++
		l.token = fmt.Sprintf("Tk%dqX7vB9zR2w", l.made)
		return fmt.Sprintf(`200 {"token":%q}`, l.token)
	case r.Method != "GET" && (l.token == "" || query != "token="+l.token):
		return "401"
	case asked == "POST /books":
		l.made++
		id = fmt.Sprint(l.made)
		l.books[id] = said.Title
		return book(201)
	case l.books[id] == "":
		return "404"
	case asked == "DELETE /books":
		delete(l.books, id)
		return "204"
	case asked == "PATCH /books":
		l.books[id] = said.Title
	}
	return book(200)
}

// visit is a session of a library: METHOD TARGET [BODY] in each line, with the last token for TOKEN.
func visit(lines string) []*exchange.Exchange {
	api := newLibrary()
	var answered strings.Builder
	for line := range strings.Lines(lines) {
		line = strings.ReplaceAll(strings.TrimSpace(line), "TOKEN", api.token)
		fmt.Fprintf(&answered, "%s -> %s\n", line, api.answer(&talk(line + " -> 200")[0].Request))
	}
	return talk(answered.String())
}

// libraries is a Trier: each trial has a library of its own.
type libraries struct{ trials int }

func (l *libraries) Try(_ context.Context, exchanges []*exchange.Exchange, bindings []exchange.Binding) ([]*exchange.Response, error) {
	l.trials++
	api, carrier := newLibrary(), flow.NewCarrier(bindings)
	var out []*exchange.Response
	for _, e := range exchanges {
		r := carrier.Request(e)
		a := replied(api.answer(&r))
		carrier.Learn(e.Seq, a)
		out = append(out, a)
	}
	return out, nil
}

const borrowed = `GET /books/1
	POST /members {"name":"zoe","password":"Zoe-Secret-42"}
	POST /login {"user":"zoe","password":"Zoe-Secret-42"}
	POST /books?token=TOKEN {"title":"Momo"}
	PATCH /books/3?token=TOKEN {"title":"Momo 2"}
	POST /login {"user":"zoe","password":"Zoe-Secret-42"}
	DELETE /books/1?token=TOKEN
	`

// TestSetUpWithAccount: a login takes the sign-up along, by the recording alone and by trials.
func TestSetUpWithAccount(t *testing.T) {
	for _, tt := range []struct {
		name, asked, seen string
		claims            []exchange.Claim
		want              string
	}{{
		name: "what only a member can make", asked: "GET /books/3", seen: "404", claims: []exchange.Claim{equal("/body/title", `"Momo 2"`)},
		want: "2 POST /members 0; 3 POST /login 200; 4 POST /books 201; 5 PATCH /books/3 200; clean DELETE /books/3",
	}, {
		name: "what only a member can take away", asked: "GET /books/1", seen: `200 {"id":1,"title":"Dune"}`,
		want: "it takes DELETE /books/1, which may touch what the test did not make", // the book was there before
	}, {
		name: "a login", asked: `POST /login {"user":"zoe","password":"Zoe-Secret-42"}`, seen: "401", want: "2 POST /members 0",
	}} {
		t.Run(tt.name, func(t *testing.T) {
			session := visit(borrowed + tt.asked)
			finder := setup.NewFinder(session, flow.Rules{})
			test := []setup.Wanted{wanting(session[len(session)-1], tt.seen, tt.claims...)}
			made := !strings.HasPrefix(tt.want, "it takes ")
			if g, ok := finder.For(test); ok != made || steps(g) != tt.want {
				t.Errorf("by the recording: %v, %s\nwant %s", ok, said(g), tt.want)
			}
			trier := &libraries{}
			found, err := (&setup.Search{Finder: finder, Trier: trier}).Find(t.Context(), test)
			if err != nil || found.Proven != made || steps(found.Graft) != tt.want {
				t.Errorf("by trials: %v, %v, %s\nwant %s", err, found.Proven, said(found.Graft), tt.want)
			}
			if trier.trials > 12 {
				t.Errorf("%d trials", trier.trials)
			}
		})
	}
}

// steps shows the requests of a graft, without their queries.
func steps(g setup.Graft) string {
	parts := strings.Split(said(setup.Graft{Steps: g.Steps, CleanUp: g.CleanUp, Refused: g.Refused}), "; ")
	for i, p := range parts {
		before, rest, _ := strings.Cut(p, "?")
		_, status, found := strings.Cut(rest, " ")
		if parts[i] = before; found {
			parts[i] += " " + status
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "; ")
}

// TestRepeated: what repeats values of an earlier write is proposed where a secret is among them, tried where they tell
// enough, and passed over where they tell little or an answer gave them.
func TestRepeated(t *testing.T) {
	for _, tt := range []struct {
		name, session       string
		proposed, candidate string
	}{
		{"a password", `POST /users {"n":"zoe","pwd":"p1"} -> 200 {"ok":1}
			POST /users {"n":"amy","pwd":"p2"} -> 200 {"ok":1}
			POST /enter {"who":"zoe","pwd":"p1"} -> 200 {}`, "[1]", "[1]"},
		{"the last of two", `POST /users {"n":"zoe","pwd":"p1"} -> 201 {"ok":1}
			POST /enter {"who":"zoe","pwd":"p1"} -> 200 {}
			DELETE /users/zoe -> 204
			POST /users {"n":"zoe","pwd":"p1"} -> 201 {"ok":1}
			POST /enter {"who":"zoe","pwd":"p1"} -> 200 {}`, "[4]", "[1 2 4]"},
		{"in a query", `PUT /users/zoe {"name":"zoe","password":"p1"} -> 200 {}
			GET /enter?name=zoe&password=p1 -> 200 {}`, "[]", "[]"}, // whose account that is nobody knows
		{"one that was refused", `POST /users {"n":"zoe","pwd":"p1"} -> 409
			POST /enter {"who":"zoe","pwd":"p1"} -> 200 {}`, "[]", "[]"},
		{"no secret", `POST /trips {"from":"Rome","to":"Oslo"} -> 201 {"ok":1}
			POST /fares {"a":"Rome","b":"Oslo"} -> 200 {}`, "[]", "[1]"},
		{"a particular value", `POST /mails {"to":"zoe@books.test"} -> 202
			POST /codes {"of":"zoe@books.test","n":1} -> 200 {}`, "[]", "[1]"},
		{"one word, and numbers", `POST /trips {"from":"Rome","n":1,"m":2} -> 201 {"ok":1}
			POST /fares {"a":"Rome","n":1,"m":2} -> 200 {}`, "[]", "[]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			session := talk(tt.session)
			f := setup.NewFinder(session, flow.Rules{})
			last := session[len(session)-1]
			test := []setup.Wanted{{Request: last.Request, Seq: last.Seq, Claims: []exchange.Claim{status(200)}}}
			proposed, _ := f.Proposed(test)
			if got := fmt.Sprint(proposed); got != tt.proposed {
				t.Errorf("proposed %s, want %s", got, tt.proposed)
			}
			if got := fmt.Sprint(f.Candidates(test, 8)); got != tt.candidate {
				t.Errorf("candidates %s, want %s", got, tt.candidate)
			}
		})
	}
}
