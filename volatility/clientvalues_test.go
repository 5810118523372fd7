package volatility

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestClientsOwnValues: what a client that runs again makes up is told apart from what the API makes up, in the same
// exchange, in a later one, and within a text.
func TestClientsOwnValues(t *testing.T) {
	made := func(c call, what string) string {
		return fmt.Sprintf("%s-%x", what, uint64(c.run+1)*0x9e3779b97f4a7c15)
	}
	a := &api{runs: 4, steps: 3,
		request: func(c call) (string, string) {
			switch c.step {
			case 0:
				return "/users", fmt.Sprintf(`{"name":%q,"quantity":%d}`, made(c, "user"), 3+c.run*c.run)
			case 1:
				return "/users/" + made(c, "id"), ""
			}
			return "/users?name=" + made(c, "user"), ""
		},
		answer: func(c call) answer {
			return body(`{"id":%q,"name":%q,"quantity":%d,"text":"Welcome, %s! You are /users/%s.","by":"Welcome, %s!","drawn":%q}`,
				made(c, "id"), made(c, "user"), 3+c.run*c.run, made(c, "user"), made(c, "id"), made(c, "user"), uuid(c))
		},
	}
	operations := map[uint64]exchange.Operation{1: {Method: "POST", Template: "/users"}, 2: {Method: "GET", Template: "/users/{id}"}, 3: {Method: "GET", Template: "/users"}}
	judge := func(a *api, kind exchange.RunKind) *mapfile.Map {
		t.Helper()
		var runs []exchange.Run
		for r := 1; r <= a.runs; r++ {
			runs = append(runs, exchange.Run{Number: r, Kind: kind, Conditions: exchange.Conditions{Start: exchange.StartReset}})
		}
		m, err := Judge(exchange.Recording{Started: moment0, Count: 3}, runs, a.all(), operations, a.bound, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	evidence := func(m *mapfile.Map, seq uint64, place exchange.Place) string {
		t.Helper()
		f := m.Operation(operations[seq], 200).At(place)
		if f == nil || !f.Volatile() {
			t.Fatalf("%v %s is %+v, want it volatile", operations[seq], place, f)
		}
		for _, code := range f.Evidence {
			if strings.HasPrefix(code, "client") {
				return code
			}
		}
		return ""
	}
	m := judge(a, exchange.RunClient)
	for seq := range operations {
		for place, want := range map[exchange.Place]string{
			"/body/name": "client:POST /users /body/name", "/body/quantity": "client:POST /users /body/quantity",
			"/body/by": "client", "/body/text": "", "/body/id": "", "/body/drawn": "",
		} {
			if got := evidence(m, seq, place); got != want {
				t.Errorf("%v %s: %q, want %q", operations[seq], place, got, want)
			}
		}
	}
	if got := evidence(judge(a, exchange.RunReplay), 2, "/body/name"); got != "" {
		t.Errorf("a replay makes nothing up: %q", got)
	}
	broken := *a
	broken.answer = func(c call) answer {
		ans := a.answer(c)
		if c.run == 3 && c.step == 1 {
			ans.body = strings.Replace(ans.body, `"name":"user`, `"name":"other`, 1)
		}
		return ans
	}
	m = judge(&broken, exchange.RunImport)
	if got := evidence(m, 2, "/body/name"); got != "" {
		t.Errorf("one answer has another name: %q", got)
	}
	if got := evidence(m, 1, "/body/name"); got == "" {
		t.Error("what holds of another operation is gone")
	}
}
