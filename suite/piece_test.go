package suite

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// A piece of a text that moves stays asserted where it was always there, in each language; one with digits of a time
// does not, as they may be those of the day.
func TestSteadyPiecesStay(t *testing.T) {
	at := func(nth string) *exchange.Response {
		return reply(200, "Content-Type: text/plain\r\n", "Welcome, it is 2026-11-25 10:"+nth)
	}
	steps := []exchange.Step{stepOf(1, "/a", []*exchange.Response{at("01"), at("02"), at("03")})}
	op := mapfile.Operation{Operation: exchange.Operation{Method: "GET", Template: "/a"}, Status: 200, Fields: []*mapfile.Field{
		{Place: exchange.PlaceBody, Category: mapfile.Time, Holds: mapfile.Holds{Type: "string", Pattern: `^Welcome, it is [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}$`}}}}
	src := Source{Steps: steps, Map: &mapfile.Map{Operations: []*mapfile.Operation{&op}},
		Operations: map[uint64]exchange.Operation{1: op.Operation}}
	for _, tt := range []struct{ file, text string }{
		{"test_a.py", "import requests\n\ndef test_a():\n    r = requests.get('http://localhost:1/a')\n    assert 'PIECE' in r.text\n"},
		{"a.test.js", "it('a', async () => {\n  const text = await (await fetch('http://localhost:1/a')).text();\n  expect(text).toContain('PIECE');\n});\n"},
		{"a_test.go", "package a\n\nimport (\n\t\"io\"\n\t\"net/http\"\n\t\"strings\"\n\t\"testing\"\n)\n\nfunc TestA(t *testing.T) {\n" +
			"\tres, err := http.Get(\"http://localhost:1/a\")\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\tbody, _ := io.ReadAll(res.Body)\n" +
			"\tif !strings.Contains(string(body), \"PIECE\") {\n\t\tt.Error(body)\n\t}\n}\n"},
	} {
		for piece, stays := range map[string]bool{"Welcome": true, "it is": true, "2026-11-25": false, "Goodbye": false} {
			text := strings.ReplaceAll(tt.text, "PIECE", piece)
			p, err := Patch(tt.file, []byte(text), src, PatchOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if same := string(p.Data) == text; piece != "2026-11-25" && same != stays {
				t.Errorf("%s: %s becomes\n%s", tt.file, piece, p.Data)
			}
			s := Bind(mustRead(t, tt.file, text), src, nil)
			a := s.script.Tests[0].Assertions[0]
			w := &weakening{p: &patcher{BoundScript: s}, t: s.script.Tests[0], a: a, field: op.Fields[0]}
			w.trials, w.failed = hold(a.Meaning, s.trials(s.script.Tests[0]))
			if w.failed == 0 && w.wouldMove() == stays {
				t.Errorf("%s: that %s would move is %v", tt.file, piece, !stays)
			}
		}
	}
}

// What a time begins with is that of a day, and moves with it; what is drawn goes on to begin with a word that has no digits.
func TestBeginningsOfTimesMove(t *testing.T) {
	for _, tt := range []struct {
		values      [3]string
		category    mapfile.Category
		pattern     string
		piece, want string
	}{
		{[3]string{"2026-11-25T10:01:00Z", "2026-11-25T10:02:00Z", "2026-11-25T10:03:00Z"}, mapfile.Time,
			`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$`, "2026-11-25", "re.fullmatch("},
		{[3]string{"run-af31c9", "run-03bc71", "run-99e0d2"}, mapfile.Rand, `^run-[0-9a-f]{6}$`, "run-", `.startswith("run-")`},
	} {
		var answers []*exchange.Response
		for _, v := range tt.values {
			answers = append(answers, reply(200, "Content-Type: application/json\r\n", `{"at":"`+v+`"}`))
		}
		op := mapfile.Operation{Operation: exchange.Operation{Method: "GET", Template: "/a"}, Status: 200, Fields: []*mapfile.Field{
			{Place: "/body/at", Judgement: mapfile.Jitter, Category: tt.category,
				Holds: mapfile.Holds{Type: "string", Pattern: tt.pattern}}}}
		src := Source{Steps: []exchange.Step{stepOf(1, "/a", answers)}, Map: &mapfile.Map{Operations: []*mapfile.Operation{&op}},
			Operations: map[uint64]exchange.Operation{1: op.Operation}}
		text := "import requests\n\ndef test_a():\n    r = requests.get('http://localhost:1/a')\n" +
			"    assert r.json()[\"at\"].startswith(\"" + tt.piece + "\")\n"
		p, err := Patch("test_a.py", []byte(text), src, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(p.Data); !strings.Contains(got, tt.want) || strings.Contains(got, "\n    assert r.json()[\"at\"].startswith(\"2026") {
			t.Errorf("%s becomes\n%s", tt.piece, got)
		}
	}
}
