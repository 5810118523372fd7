package suite

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// strongestCase is a line of a test that a person wrote, what was answered, and what becomes of the line.
type strongestCase struct {
	name    string
	lines   []string
	bodies  []string
	want    string // the last line
	comment string // a piece of the comment above; "" for any
}

// bodies are answers, each made of one value.
func bodies(format string, values ...any) []string {
	var out []string
	for _, v := range values {
		out = append(out, fmt.Sprintf(format, v))
	}
	return out
}

func strongestCases() []strongestCase {
	const (
		m    = `assert res_0.json()["m"] == `
		long = "a text that is long and begins alike for quite some while, more than is ever shown of it, then says "
	)
	column := `{"m":"bad at line 1 column: %d of text"}`
	return []strongestCase{
		{"a number in a message, the same each time", []string{m + `"bad at line 1 column: 12 of text"`},
			bodies(column, 17, 17, 17, 17, 17, 17),
			`assert re.fullmatch(r"bad at line 1 column: [0-9]+ of text", res_0.json()["m"])`, ""},
		{"a number in a piece of a body", []string{`assert "column: 12 of text" in res_0.text`},
			bodies(column, 17, 19, 17, 24, 17, 117),
			`assert re.search("column: [0-9]+ of text", res_0.text)`, ""},
		{"letters and a number that is drawn", []string{m + `"SN196345"`}, bodies(`{"m":"SN%d"}`, 937022, 882082, 797312, 558124),
			`assert re.fullmatch(r"SN[0-9]+", res_0.json()["m"])`, ""},
		{"too few digits to tell them from hex", []string{m + `"SN1963"`}, bodies(`{"m":"SN%d"}`, 9370, 8820, 7973, 5581),
			`assert isinstance(res_0.json()["m"], str)`, ""},
		{"values in a comment are bounded", []string{m + `"` + long[:58] + `"`},
			bodies(`{"m":"%s"}`, long[1:59], long[2:60], long[3:61]), "", `failed in 3 of 3, seen "` + long[1:59] + `", …; `},
		{"digits of a word are none", []string{`assert "made by a12b of text" in res_0.text`},
			bodies(`{"m":"made by a%db of text"}`, 17, 19), `assert "made by a" in res_0.text`, ""},
		{"parts of a time go together", []string{`assert "made at 10:12 by bob" in res_0.text`},
			bodies(`"made at 10:%d by bob"`, 17, 19),
			`assert re.search("made at [0-9]+:[0-9]+ by bob", res_0.text)`, ""},
		{"one of two values", []string{m + `"open"`}, bodies(`{"m":"%s"}`, "open", "open", "closed", "open", "open", "open"),
			`assert res_0.json()["m"] in ("closed", "open")`, ""},
		{"a constant that is another", []string{m + `"open"`}, slices.Repeat([]string{`{"m":"closed"}`}, 6),
			`assert res_0.json()["m"] in ("closed", "open")`, ""},
		{"too few to tell", []string{m + `"open"`}, slices.Repeat([]string{`{"m":"closed"}`}, 4),
			`assert isinstance(res_0.json()["m"], str)`, ""},
		{"an id", []string{m + `7`}, slices.Repeat([]string{`{"m":3}`}, 6),
			`assert isinstance(res_0.json()["m"], int)`, ""},
		{"as often one as the other", []string{m + `"open"`},
			bodies(`{"m":"%s"}`, "a", "b", "a", "b", "a", "b"), `assert isinstance(res_0.json()["m"], str)`, ""},
		{"a multiset", []string{`assert res_0.json()["m"] == ["a", "a", "b"]`},
			bodies(`{"m":%s}`, `["a","a","b"]`, `["a","b","a"]`, `["b","a","a"]`),
			`assert sorted(res_0.json()["m"]) == ["a", "a", "b"]`, ""},
		{"a multiset, element by element", []string{`assert res_0.json()["m"][0]["k"] == "a"`,
			`assert res_0.json()["m"][1]["k"] == "a"`, `assert res_0.json()["m"][2]["k"] == "b"`},
			bodies(`{"m":%s}`, `[{"k":"a"},{"k":"a"},{"k":"b"}]`, `[{"k":"a"},{"k":"b"},{"k":"a"}]`,
				`[{"k":"b"},{"k":"a"},{"k":"a"}]`),
			`assert sorted([e["k"] for e in res_0.json()["m"]]) == ["a", "a", "b"]`, ""},
		{"elements that are each another", []string{`assert res_0.json()["m"][0]["k"] == "a"`,
			`assert res_0.json()["m"][1]["k"] == "b"`},
			bodies(`{"m":%s}`, `[{"k":"a"},{"k":"b"}]`, `[{"k":"b"},{"k":"a"}]`),
			`assert "b" in [e["k"] for e in res_0.json()["m"]]`, ""},
		{"the half of a range that holds", []string{`assert 1 <= res_0.json()["m"] <= 5`},
			bodies(`{"m":%v}`, 7, 3, 9, 4), `assert 1 <= res_0.json()["m"]`, ""},
		{"both halves of a comparison", []string{`assert res_0.json()["m"] == res_0.json()["k"]`},
			bodies(`{"m":%v,"k":3}`, 7, 3, 9, 4),
			`assert isinstance(res_0.json()["m"], int) and isinstance(res_0.json()["k"], int)`, ""},
		{"where two long texts part", []string{m + `"` + long + `one"`}, slices.Repeat([]string{`{"m":"` + long + `two"}`}, 2), "",
			`…"wn of it, then says one" as written; failed in 2 of 2, seen …"wn of it, then says two"`},
		{"where a piece and a long body part", []string{`assert '` + long + `one' in res_0.text`},
			slices.Repeat([]string{`{"m":"` + long + `two"}`}, 2), "",
			`…"wn of it, then says one" as written; failed in 2 of 2, seen …'wn of it, then says two"}'`},
	}
}

// TestStrongest: what is left of an assertion is the strongest that is true, and its comment shows what differs.
func TestStrongest(t *testing.T) {
	for _, c := range strongestCases() {
		text := "import requests\n\nBASE = 'http://localhost:1'\n\n\ndef test_0():\n    res_0 = requests.get(BASE + '/x')\n    " +
			strings.Join(c.lines, "\n    ") + "\n"
		var step exchange.Step
		for i, body := range c.bodies {
			e := slipExchange(1, "GET /x", "*/*", "", 200, body)
			if i == 0 {
				step.Exchange = e
				continue
			}
			step.Observations = append(step.Observations, &exchange.Observation{Run: i, Seq: 1, Response: e.Response})
		}
		src := judged(t, Source{Steps: []exchange.Step{step}})
		p, err := Patch("a_test.py", []byte(text), src, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(p.Data)), "\n")
		at := len(lines) - 1
		for !strings.HasPrefix(lines[at], "    assert ") {
			at--
		}
		last, comment := "", lines[at-1]
		for _, line := range lines[at:] { // which may be broken
			last += strings.TrimSpace(line)
		}
		if c.want != "" && last != c.want || !strings.Contains(comment, c.comment) {
			t.Errorf("%s: got\n%s\n%s\nwant\n%s\n%s", c.name, comment, last, c.comment, c.want)
		}
		if again, err := Patch("a_test.py", p.Data, src, PatchOptions{}); err != nil || string(again.Data) != string(p.Data) {
			t.Errorf("%s: a second patch changes the file (%v):\n%s\n%s", c.name, err, p.Data, again.Data)
		}
	}
}
