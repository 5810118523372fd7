package suite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// madeAndRead are executions of a test that makes a thing and reads it, whose id is drawn.
func madeAndRead(t *testing.T, id func(run int) string) Source {
	t.Helper()
	steps := make([]exchange.Step, 2)
	for run := range 5 {
		own := id(run)
		for i, e := range []*exchange.Exchange{
			slipExchange(1, "POST /x", "*/*", "", 201, `{"id":"`+own+`"}`),
			slipExchange(2, "GET /x/"+own, "*/*", "", 200, `{"id":"`+own+`","n":1}`),
		} {
			if run == 0 {
				steps[i].Exchange = e
				continue
			}
			steps[i].Observations = append(steps[i].Observations,
				&exchange.Observation{Run: run, Seq: e.Seq, Response: e.Response, Sent: e.Request})
		}
	}
	return judged(t, Source{Steps: steps})
}

// TestIdsJustMade: an id that was another yesterday is that of what was just made, by the variable that the test has for
// it, be it of an earlier answer of its own, of another test, or of a fixture; else its form is asserted.
func TestIdsJustMade(t *testing.T) {
	const py, js = "import requests\n\nBASE = 'http://localhost:1'\nMADE = {}\n\n\ndef test_0(thing):\n", "let thing;\nit('a', async () => {\n"
	drawn := func(run int) string { return fmt.Sprintf("k%dxq", run*7+1) }
	for _, tt := range []struct{ name, file, text, want string }{
		{"an earlier answer", "a_test.py", py + "    made = requests.post(BASE + '/x').json()\n    got = requests.get(BASE + '/x/' + made['id']).json()\n" +
			"    assert got['id'] == 'kold'\n", `assert got["id"] == made["id"]`},
		{"an item of a fixture", "a_test.py", py + "    got = requests.get(f\"{BASE}/x/{thing['id']}\").json()\n    assert got['id'] == 'kold'\n",
			`assert got["id"] == thing["id"]`},
		{"an item of what another test filled", "a_test.py", py + "    got = requests.get(BASE + \"/x/\" + MADE[\"id\"]).json()\n" +
			"    assert got['id'] == 'kold'\n", `assert got["id"] == MADE["id"]`},
		{"what the test fills itself", "a_test.py", py + "    MADE.update(thing)\n    got = requests.get(BASE + \"/x/\" + MADE[\"id\"]).json()\n" +
			"    assert got['id'] == 'kold'\n", `assert isinstance(got["id"], str)`},
		{"what another test made", "a.test.js", js + "  const data = await (await fetch(`http://localhost:1/x/${thing.id}`)).json();\n" +
			"  expect(data.id).toBe('kold');\n});\n", `expect(data.id).toBe(thing.id);`},
		{"behind a text", "a.test.js", js + "  const data = await (await fetch('http://localhost:1/x/' + thing.id)).json();\n" +
			"  expect(data).toEqual({ id: 'kold', n: 1 });\n});\n", `expect(data.id).toBe(thing.id);`},
		{"of a loop", "a.test.js", js + "  for (const thing of things) {\n    const data = await (await fetch(`http://localhost:1/x/${thing.id}`)).json();\n" +
			"    expect(data.id).toBe('kold');\n  }\n});\n", `expect(data.id).toBe('kold');`},
	} {
		p, err := Patch(tt.file, []byte(tt.text), madeAndRead(t, drawn), PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(p.Data), tt.want+"\n") {
			t.Errorf("%s: want %s in\n%s", tt.name, tt.want, p.Data)
		}
	}
}
