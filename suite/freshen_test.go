package suite

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/setup"
)

// signsUp is a graft that draws the address of who signs up, which stands in both calls of the test and both answers.
func signsUp() Grafting {
	const ada = "ada@example.com"
	post := sentRequest("POST /users HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n",
		`{"email":"`+ada+`","name":"Ada"}`)
	get := sentRequest("GET /users?email="+ada+" HTTP/1.1\r\nHost: x\r\n\r\n", "")
	trial := func(value string) setup.Trial {
		return setup.Trial{Values: []string{value}, Answers: []*exchange.Response{
			reply(201, "application/json", `{"email":"`+value+`","name":"Ada"}`),
			reply(200, "application/json", `[{"email":"`+value+`","first":"alan@example.com"}]`)}}
	}
	use := func(in setup.Part, at int, place exchange.Place) setup.BindUse {
		return setup.BindUse{In: in, At: at, Place: place}
	}
	g := Grafting{Calls: []setup.Wanted{{Request: post}, {Request: get}}, Trials: []setup.Trial{trial(ada), trial("ada12345678@example.com"), trial("ada9abcdef0@example.com")}}
	g.Proven = true
	g.Binds = []setup.Bind{{Name: "email", Step: -1, Value: ada, Why: "POST /users was refused in 1 of 2, where that had been sent before",
		Fresh: &setup.Fresh{Before: "ada", After: "@example.com", Letters: setup.HexDigits, Length: 8},
		Uses: []setup.BindUse{use(setup.InCall, 0, "/body/email"), use(setup.InCall, 1, "/query/email"),
			use(setup.InAnswer, 0, "/body/email"), use(setup.InAnswer, 1, "/body/0/email")}}}
	return g
}

// What an API may have taken is drawn anew in each language, wherever the test has it; all else stays, and what is read
// again with an execution of before is not changed again. What is written out elsewhere is left, and named.
func TestFreshen(t *testing.T) {
	files, err := filepath.Glob("testdata/fresh/*")
	if err != nil || len(files) < 14 {
		t.Fatalf("%q, %v", files, err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, ".want") {
			continue
		}
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(path + ".want")
			if err != nil {
				t.Fatal(err)
			}
			source, want = bytes.ReplaceAll(source, []byte("\r\n"), []byte("\n")), bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))
			g := signsUp()
			src := Source{Steps: []exchange.Step{
				{Exchange: &exchange.Exchange{Seq: 1, Request: g.Calls[0].Request, Response: reply(409, "", "")}},
				{Exchange: &exchange.Exchange{Seq: 2, Request: g.Calls[1].Request, Response: reply(200, "application/json", "[]")}}}}
			s, err := Read(strings.Replace(name, ".gotest", ".go", 1), source)
			if err != nil {
				t.Fatal(err)
			}
			h := Bind(s, src, nil)
			d := Dependency{held: h, test: s.Tests[0]}
			if why := d.Refuses(g); why != "" {
				if why += "\n"; why != string(want) {
					t.Error(why)
				}
				return
			}
			out := h.Patch(PatchOptions{Grafts: map[string]Grafting{s.Tests[0].Name: g}})
			if string(out.Data) != string(want) || !slices.ContainsFunc(out.Changes, func(c Change) bool { return c.Kind == Renewed }) {
				t.Errorf("%s", out.Data)
			}
			again, err := Patch(strings.Replace(name, ".gotest", ".go", 1), out.Data, src, PatchOptions{})
			if err != nil || string(again.Data) != string(out.Data) {
				t.Errorf("again, %v:\n%s", err, again.Data)
			}
		})
	}
}

// A value that a URL or a form takes for something else is not drawn where it would be written there as it is: a plus
// is a blank there. A client that escapes what it is given may have it.
func TestFreshenEscaped(t *testing.T) {
	const form = "POST /users HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n"
	get := func(target string) exchange.Request {
		return sentRequest("GET "+target+" HTTP/1.1\r\nHost: x\r\n\r\n", "")
	}
	for name, c := range map[string]struct {
		value   string
		request exchange.Request
		place   exchange.Place
		refused bool
	}{
		"a plus in a query":  {"ada+1@example.com", get("/users?email=ada%2B1@example.com"), "/query/email", true},
		"a plus in a form":   {"ada+1@example.com", sentRequest(form, "email=ada%2B1%40example.com"), "/body/email", true},
		"a plus in a path":   {"ada+1@example.com", get("/users/ada+1@example.com"), "/path/1", false},
		"a slash in a path":  {"team/ada", get("/users/team%2Fada"), "/path/1", true},
		"an address":         {"ada@example.com", get("/users?email=ada%40example.com"), "/query/email", false},
		"a slash in a query": {"team/ada", get("/users?name=team/ada"), "/query/name", false},
	} {
		g := signsUp()
		g.Calls[1].Request = c.request
		b := &g.Binds[0]
		b.Value, b.Uses = c.value, []setup.BindUse{{In: setup.InCall, At: 1, Place: c.place}}
		for file, text := range map[string]string{
			"a.json": `{"info":{},"item":[{"name":"f","item":[{"name":"a","request":{"method":"POST","url":"{{b}}/users"}},` +
				`{"name":"b","request":{"method":"GET","url":"{{b}}/users"}}]}]}`,
			"test_a.py": "import requests\n\n\ndef test_a():\n    requests.post(BASE + \"/users\")\n    requests.get(BASE + \"/users\")\n",
		} {
			s, err := Read(file, []byte(text))
			if err != nil || len(s.Tests) == 0 {
				t.Fatal(file, err)
			}
			d := Dependency{held: Bind(s, Source{}, nil), test: s.Tests[0]}
			why := d.Refuses(g)
			if strings.Contains(why, "another id") {
				t.Errorf("%s, %s makes nothing: %q", name, file, why)
			}
			if got := strings.Contains(why, "stands escaped"); got != (c.refused && file == "a.json") {
				t.Errorf("%s, %s: %q", name, file, why)
			}
		}
	}
}
