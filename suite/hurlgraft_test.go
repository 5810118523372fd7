package suite

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/setup"
)

const graftedHurl = `# All there is to say.

# an item
GET {{host}}/items/4
X-Item: no 4 # why
HTTP 200
Location: /items/4
[Asserts]
jsonpath "$.id" == 4
jsonpath "$.self" == "/items/4"
jsonpath "$.n" == 3

GET {{host}}/items
HTTP 200
`

const graftedHurlWant = `# All there is to say.

# flaketap: /items/4 was made by POST /items; by the recording's data flow, not tried; State
# flaketap: set-up
POST {{host}}/items
Content-Type: application/json
` + "`{\"a\": \"b\"}\\n`" + `
# flaketap: the set-up has to succeed
HTTP 201
[Captures]
setup_itemId: jsonpath "$.id" toString

# an item
GET {{host}}/items/{{setup_itemId}}
X-Item: no {{setup_itemId}} # why
HTTP 200
# flaketap: /header/location: "/items/4" as written, made anew by the set-up; State
Location: /items/{{setup_itemId}}
[Asserts]
# flaketap: /body/id: 4 as written, made anew by the set-up; State
jsonpath "$.id" toString == "{{setup_itemId}}"
# flaketap: /body/self: "/items/4" as written, made anew by the set-up; State
jsonpath "$.self" == "/items/{{setup_itemId}}"
jsonpath "$.n" == 3

GET {{host}}/items
HTTP 200

# flaketap: clean-up, which Hurl sends only if everything above passes
DELETE {{host}}/items/{{setup_itemId}}
HTTP *
`

// aHurlGraft is aWebGraft for a file with a second request.
func aHurlGraft() Grafting {
	g := aWebGraft()
	g.Calls = append(g.Calls, g.Calls[0])
	g.Calls[1].Request = sentRequest("GET /items HTTP/1.1\r\nHost: x\r\n\r\n", "")
	g.Binds[0].Uses = append(g.Binds[0].Uses, inAnswer("/header/location"))
	for i, trial := range g.Trials {
		trial.Answers[0].Header = append(trial.Answers[0].Header, exchange.ParseResponse(exchange.Message{
			Head: []byte("HTTP/1.1 200 OK\r\nLocation: /items/" + trial.Values[0] + "\r\n\r\n")}).Header...)
		g.Trials[i].Answers = append(trial.Answers, reply(200, "", ""))
	}
	return g
}

func TestHurlGraft(t *testing.T) {
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	for name, tt := range map[string]struct{ text, want string }{
		"Unix":             {graftedHurl, graftedHurlWant},
		"Windows":          {crlf(graftedHurl), crlf(graftedHurlWant)},
		"BOM":              {"\xef\xbb\xbf" + graftedHurl, "\xef\xbb\xbf" + graftedHurlWant},
		"no last line end": {strings.TrimSuffix(graftedHurl, "\n"), graftedHurlWant},
	} {
		if diff := cmp.Diff(tt.want, graftedTwice(t, "items.hurl", tt.text, "items", aHurlGraft())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	s, err := Read("items.hurl", []byte(graftedHurlWant))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range s.Tests[0].Calls {
		got = append(got, c.Var+" "+c.Method+" "+c.Body)
	}
	for _, a := range s.Tests[0].Assertions {
		if !a.Understood() || a.Call >= len(s.Tests[0].Calls) {
			t.Errorf("%s: %s", a.Text, a.Reason)
		}
	}
	if diff := cmp.Diff([]string{"setup_0 POST {\"a\": \"b\"}\n", "answer_1 GET ", "answer_2 GET "}, got); diff != "" {
		t.Errorf("read again (-want +got):\n%s", diff)
	}
}

// TestReadsHurlWithoutAnswers: what an entry wants of its answer may be nothing.
func TestReadsHurlWithoutAnswers(t *testing.T) {
	s, err := Read("a.hurl", []byte("POST {{h}}/a\nX-A: b\n`c`\nDELETE {{h}}/b\nGET {{h}}/c\nHTTP 200\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, c := range s.Tests[0].Calls {
		got += c.Method + " "
	}
	if got != "POST DELETE GET " || len(s.Tests[0].Assertions) != 1 || s.Tests[0].Assertions[0].Call != 2 {
		t.Errorf("calls %s, assertions %+v", got, s.Tests[0].Assertions)
	}
}

// TestHurlGraftPayload writes a value into bodies of each form.
func TestHurlGraftPayload(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{"{\"item\": 4,\n \"b\": \"#`\"}", "{\"item\": {{setup_itemId}},\n \"b\": \"#`\"}"},
		{"```\n{\"item\": 4}```", "```\n{\"item\": {{setup_itemId}}}```"},
		{"`{\"item\": 4, \"b\": \"\\` \\n\"}`", ""},
		{"`{\"item\": 4, \"b\": \"\\` \\\\n\"}`", "`{\"item\": {{setup_itemId}}, \"b\": \"\\u{60} \\\\n\"}`"},
		{"file,a.json;", ""},
		{"{\"item\": {{id}}}", ""},
	} {
		text := "PUT http://h/items\n" + tt.body + "\nHTTP 200\n"
		sent := "{\"item\": 4}"
		if s, err := Read("a.hurl", []byte(text)); err != nil {
			t.Fatal(err)
		} else if c := s.Tests[0].Calls[0]; !c.Dynamic {
			sent = c.Body
		}
		g := aGraft()
		g.CleanUp = nil
		g.Calls[0].Request = sentRequest("PUT /items HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\r\n", sent)
		g.Binds[0].Uses = []setup.BindUse{{In: setup.InCall, Place: "/body/item"}}
		got := graftedTwice(t, "a.hurl", text, "a", g)
		if given := strings.Contains(got, "set-up"); given != (tt.want != "") || given && !strings.Contains(got, "PUT http://h/items\n"+tt.want+"\nHTTP 200\n") {
			t.Errorf("%s became\n%s", tt.body, got)
		}
	}
}
