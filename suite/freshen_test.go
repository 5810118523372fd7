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
