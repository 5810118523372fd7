package suite

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// orderedAndRead are a request that makes an order and one that reads it, whose state is said to follow the clock: what
// it was in each execution, and how many milliseconds after it was made it was read.
func orderedAndRead(t *testing.T, states []string, after []int) Source {
	t.Helper()
	begin := time.Date(2026, 11, 25, 10, 0, 0, 0, time.UTC)
	var steps [2]exchange.Step
	for run, state := range states {
		all := []*exchange.Exchange{slipExchange(1, "POST /x", "*/*", "{}", 202, `{"id":"a"}`),
			slipExchange(2, "GET /x/a", "*/*", "", 200, fmt.Sprintf(`{"state":%q}`, state))}
		for i, e := range all {
			e.Start = begin.Add(time.Duration(run)*time.Minute + time.Duration(i*after[run])*time.Millisecond)
			if run == 0 {
				steps[i].Exchange = e
				continue
			}
			steps[i].Observations = append(steps[i].Observations,
				&exchange.Observation{Run: run, Seq: e.Seq, Start: e.Start, Response: e.Response})
		}
	}
	src := judged(t, Source{Steps: steps[:]})
	for _, op := range src.Map.Operations {
		for _, f := range op.Fields {
			if f.Place == "/body/state" {
				f.Category = mapfile.Time
			}
		}
	}
	return src
}

// TestStagesAreListedToTheLast: the states of what goes on are listed where the last one lasted; else a slower machine
// would come to another one.
func TestStagesAreListedToTheLast(t *testing.T) {
	states := []string{"pending", "running", "pending", "running", "running"}
	const py = "import requests\n\nBASE = 'http://localhost:1'\n\n\ndef test_0():\n    r = requests.post(BASE + '/x', json={})\n" +
		"    r = requests.get(BASE + '/x/a')\n    assert r.json()[\"state\"] == \"pending\"\n"
	const java = "import static io.restassured.RestAssured.given;\nimport static org.junit.jupiter.api.Assertions.assertEquals;\n\n" +
		"import io.restassured.response.Response;\nimport org.junit.jupiter.api.Test;\n\nclass ATest {\n  @Test\n  void it() {\n    given().body(\"{}\").post(\"http://localhost:1/x\");\n" +
		"    Response r = given().get(\"http://localhost:1/x/a\");\n    assertEquals(\"pending\", r.jsonPath().getString(\"state\"));\n  }\n}\n"
	for _, tt := range []struct {
		file, text string
		after      []int
		want       string
	}{
		{"test_a.py", py, []int{10, 30, 12, 120, 60}, `assert r.json()["state"] in ("pending", "running")`},
		{"test_a.py", py, []int{10, 30, 12, 90, 60}, `assert isinstance(r.json()["state"], str)`},
		{"ATest.java", java, []int{10, 30, 12, 120, 60}, `asList("pending", "running")`},
		{"ATest.java", java, []int{10, 30, 12, 90, 60}, `instanceof String`},
	} {
		p, err := Patch(tt.file, []byte(tt.text), orderedAndRead(t, states, tt.after), PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(p.Data), tt.want) {
			t.Errorf("%v: want %s in\n%s", tt.after, tt.want, p.Data)
		}
	}
}
