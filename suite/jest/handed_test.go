package jest

import (
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/script"
)

// A variable that tests hand each other, and that a path is made with, is given its value by a set-up where it has none.
func TestHanded(t *testing.T) {
	for body, want := range map[string]string{
		"const res = await fetch(`${BASE}/items/${id}`);":                            "id",
		"const res = await fetch(BASE + '/items/' + id);":                            "id",
		"const res = await fetch(`${BASE}/items/${made.item}`);":                     "made.item",
		"const res = await fetch(`${BASE}/items/${own}`);":                           "",
		"const id = 7; const res = await fetch(`${BASE}/items/7`);":                  "",
		"const res = await fetch(`${BASE}/items/${id}/${made.no}`);":                 "",
		"const id = process.env.ID; const res = await fetch(`${BASE}/items/${id}`);": "",
	} {
		s, err := script.Read(Written(), "a.test.js", []byte(`const BASE = 'http://localhost:8080';
const own = process.env.OWN;
let id;
const made = {};

it('creates', async () => {
  const res = await fetch(BASE + '/items', { method: 'POST' });
  expect(res.status).toBe(201);
  id = (await res.json()).id;
  made.item = id;
});

it('reads', async () => {
  `+strings.ReplaceAll(body, "; ", ";\n  ")+`
  expect(res.status).toBe(200);
});
`))
		if err != nil {
			t.Fatal(err)
		}
		by, test := s.Writer.Graft, s.Tests[1]
		test.Calls[0].SentTarget = "/items/7"
		if got := by.Handed(s, test, test.Calls[0]); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
		root, _, _ := strings.Cut(want, ".")
		if want == "" || !slices.Contains(by.Takes(s, test), root) {
			continue
		}
		step := script.SetUpRequest{Var: "setup_0", Comment: "why", Method: "POST", Status: 201,
			Target: []script.TextPart{{Text: "/items"}}, Captures: []script.Capture{{Name: "setup_id", Place: "/body/id",
				Steps: script.StepsOf("/body/id", func(exchange.Place) byte { return '{' }), Into: want}}}
		open, end := by.SetUp(s, test, []script.SetUpRequest{step}, nil)
		text := script.Apply(s.Text, by.Place(s, test, open, end, nil))
		if !strings.Contains(text, "\n  // flaketap: why\n  if (!"+want+") {\n    const setup_0 = await fetch(") ||
			!strings.Contains(text, "\n    const setup_id = (await setup_0.json()).id;\n    "+want+" = setup_id;\n  }\n") {
			t.Errorf("%s", text)
		}
		again, err := s.Again(text)
		if err != nil {
			t.Fatal(err)
		}
		if calls := again.Tests[1].Calls; len(calls) != 2 || calls[0].Var != "setup_0" || !calls[0].Maybe ||
			calls[1].Target != test.Calls[0].Target || calls[1].Maybe {
			t.Errorf("read again with %+v %+v for\n%s", *calls[0], *calls[len(calls)-1], text)
		}
	}
}
