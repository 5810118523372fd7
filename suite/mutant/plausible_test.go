package mutant

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/google/go-cmp/cmp"
)

// What is a little wrong is another answer of the same form; where there is nothing to put wrong, the answer stays.
func TestApplyALittle(t *testing.T) {
	for _, tt := range []struct {
		kind     Kind
		way      string
		volatile bool
		place    exchange.Place
		body     string
		want     string // "" where nothing changes
	}{
		{Element, "removed", false, "/body/l", `{"l":[1, 2, 3]}`, `{"l":[ 2, 3]}`},
		{Element, "removed", false, "/body/l", `{"l":[1]}`, ""},
		{Element, "removed", false, "/body/*/l", `[{"l":[1,2]},{"l":[3,4]}]`, `[{"l":[2]},{"l":[3,4]}]`},
		{Element, "doubled", false, "/body", `[{"a":1},2]`, `[{"a":1},{"a":1},2]`},
		{Element, "doubled", false, "/body", `{"a":1}`, ""},
		{Element, "replaced", false, "/body", `[ {"name":"ada","n":7,"on":true,"in":{"x":1},"no":null}, 2]`, `[ {"name":"adb","n":8,"on":false,"in":{"x":1},"no":0}, 2]`},
		{Element, "replaced", false, "/body", `["a","b"]`, `["b","b"]`},
		{Element, "replaced", false, "/body", `[{"in":{}}]`, `[{}]`},
		{Element, "replaced", false, "/body", `[]`, ""},
		{Empty, "", false, "/body/l", `{"l":[1,2],"n":2}`, `{"l":[],"n":2}`},
		{Empty, "", false, "/body/l", `{"l":[ ]}`, ""},
		{Empty, "", false, "/body/l", `{"l":{"a":1}}`, ""},
		{Transpose, "", false, "/body", `[1, 1, 2]`, `[1, 2, 1]`},
		{Transpose, "", false, "/body", `[1,2]`, ""},
		{Transpose, "", false, "/body", `[1,1,1]`, ""},
		{Off, "+1", false, "/body/n", `{"n":9}`, `{"n":10}`},
		{Off, "+1", false, "/body/n", `{"n":8}`, ""}, // change makes that of it
		{Off, "+1", true, "/body/n", `{"n":8}`, `{"n":9}`},
		{Off, "+1", false, "/body/n", `{"n":12.50}`, `{"n":13.50}`},
		{Off, "+1", false, "/body/n", `{"n":1e3}`, ""},
		{Off, "-1", false, "/body/n", `{"n":0}`, `{"n":-1}`},
		{Off, "-1", false, "/body/n", `{"n":10000000000000000001}`, `{"n":10000000000000000000}`},
		{Off, "0.01%", false, "/body/n", `{"n":12.50}`, `{"n":12.501250}`},
		{Off, "0.01%", false, "/body/n", `{"n":20000}`, `{"n":20002}`},
		{Off, "0.01%", false, "/body/n", `{"n":7}`, ""},
		{Off, "0.01%", false, "/body/n", `{"n":0.0}`, `{"n":0.00000}`},
		{Off, "3s", true, "/body/t", `{"t":"2026-12-31T23:59:58.125+02:00"}`, `{"t":"2027-01-01T00:00:01.125+02:00"}`},
		{Off, "1h", true, "/body/t", `{"t":"2026-01-01 00:00:00"}`, `{"t":"2026-01-01 01:00:00"}`},
		{Off, "1h", true, "/body/t", `{"t":"Thu, 01 Jan 2026 00:00:00 GMT"}`, `{"t":"Thu, 01 Jan 2026 01:00:00 GMT"}`},
		{Off, "1h", true, "/body/t", `{"t":1767225600}`, `{"t":1767229200}`},
		{Off, "3s", true, "/body/t", `{"t":1767225600125}`, `{"t":1767225603125}`},
		{Off, "3s", true, "/body/t", `{"t":1767225600.5}`, `{"t":1767225603.5}`},
		{Off, "3s", true, "/body/t", `{"t":"2026-13-01T00:00:00Z"}`, ""},
		{Off, "3s", true, "/body/t", `{"t":12}`, ""},
		{Off, "3s", true, "/body/t", `{"t":null}`, ""},
		{Format, "date", true, "/body/t", `{"t":"2026-01-01T00:00:00Z"}`, `{"t":"2026-01-01 00:00:00Z"}`},
		{Format, "date", true, "/body/t", `{"t":"2026-01-01 00:00:00"}`, `{"t":"2026-01-01T00:00:00"}`},
		{Format, "date", true, "/body/t", `{"t":"yesterday"}`, ""},
		{Format, "hyphens", true, "/body/t", `{"t":"6ba7b810-9dad-41d1-80b4-00c04fd430c8"}`, `{"t":"6ba7b8109dad41d180b400c04fd430c8"}`},
		{Format, "hyphens", true, "/body/t", `{"t":"well-known"}`, ""},
		{Format, "upper", false, "/body/t", `{"t":"paid"}`, `{"t":"PAID"}`},
		{Format, "upper", false, "/body/t", `{"t":"PAID 7"}`, ""},
		{Format, "upper", false, "/body/t", `{"t":"a\nb"}`, ""},
		{Format, "upper", true, "/body/t", `{"t":"paid"}`, ""},
		{Format, "upper", true, "/body/t", `{"t":"6ba7b810"}`, `{"t":"6BA7B810"}`},
		{Relation, "", true, "/body/t", `{"t":"6ba7b810"}`, `{"t":"6ba7b811"}`},
		{Relation, "", true, "/body/t", `{"t":null}`, ""},
	} {
		m := Mutant{Status: 200, Place: tt.place, Kind: tt.kind, Way: tt.way, Volatile: tt.volatile}
		raw, changed := m.Apply(jsonAnswer(tt.body))
		if changed != (tt.want != "") {
			t.Errorf("%s of %s: changed is %v", m, tt.body, changed)
			continue
		}
		if changed && string(parsed(t, raw).Body) != tt.want {
			t.Errorf("%s of %s: got %s, want %s", m, tt.body, parsed(t, raw).Body, tt.want)
		}
	}
}

// asked makes an exchange.
func asked(method, target, body, answered string) *exchange.Exchange {
	head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: api\r\nContent-Type: application/json\r\n\r\n", method, target)
	e := &exchange.Exchange{Request: exchange.ParseRequest(exchange.Message{Head: []byte(head), Body: []byte(body)})}
	status, text, _ := strings.Cut(answered, " ")
	e.Response = answer(fmt.Sprintf("HTTP/1.1 %s x\nContent-Type: application/json\nX-Id: %s\nContent-Length: %d", status, target, len(text)), text)
	return e
}

var (
	read  = exchange.Operation{Method: "GET", Template: "/orders/{id}"}
	write = exchange.Operation{Method: "PUT", Template: "/orders/{id}"}
)

// session is a client that reads two orders, changes one and deletes it.
func session() []*exchange.Exchange {
	return []*exchange.Exchange{
		asked("GET", "/orders/1", "", `200 {"v":1,"of":"ada","id":1}`),
		asked("GET", "/orders/2", "", `200 {"v":1,"of":"bob","id":2}`),
		asked("PUT", "/orders/1", `{"key":"k-93af2207cc41"}`, `200 {"v":2,"key":"k-93af2207cc41"}`),
		asked("GET", "/orders/1", "", `200 {"v":2,"of":"ada","id":1,"key":"k-93af2207cc41"}`),
		asked("GET", "/orders/1", "", `200 {"v":2,"of":"ada","id":1,"key":"k-93af2207cc41"}`),
		asked("GET", "/orders/1", "", `404 {"error":"gone"}`),
	}
}

func operationOf(e *exchange.Exchange) exchange.Operation {
	if e.Request.Method == "PUT" {
		return write
	}
	return read
}

// An answer that came before is given again, and what is not the operation's, or no other answer, stays.
func TestAgain(t *testing.T) {
	for _, tt := range []struct {
		kind   Kind
		status int
		want   []string // of the answers to GET, "" where one stays
	}{
		{Stale, 200, []string{"", "", `200 {"v":1,"of":"ada","id":1}`, "", ""}},
		{Stale, 404, []string{"", "", "", "", `200 {"v":2,"of":"ada","id":1,"key":"k-93af2207cc41"}`}},
		{Resource, 200, []string{"", `200 {"v":1,"of":"ada","id":1}`, `200 {"v":1,"of":"bob","id":2}`, `200 {"v":1,"of":"bob","id":2}`, ""}},
		{Resource, 404, []string{"", "", "", "", ""}},
	} {
		var past Past
		var got []string
		for _, e := range session() {
			if operationOf(e) != read {
				continue
			}
			raw, changed := past.Plant(Mutant{Operation: read, Status: tt.status, Kind: tt.kind}, e)
			if !changed {
				got = append(got, "")
				continue
			}
			r := parsed(t, raw)
			got = append(got, fmt.Sprintf("%d %s", r.Status, r.Body))
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s %d: %s", tt.kind, tt.status, d)
		}
	}
}

// Kinds that look at what came before are surveyed where there is something to put wrong, and named by what shows it.
func TestSurveyOfExchanges(t *testing.T) {
	var s Survey
	for _, e := range session() {
		s.AddExchange(operationOf(e), e)
	}
	judge := func(_ exchange.Operation, _ int, p exchange.Place) Judgement {
		return Judgement{Volatile: p == "/body/key"}
	}
	var got []string
	for _, m := range s.Mutants([]Kind{Relation, Stale, Resource}, 0, 1, judge) {
		got = append(got, m.String()+": "+m.Assertion())
	}
	slices.Sort(got)
	want := []string{
		`relation /body/key of GET /orders/{id} 200: that it equals the value that an answer to PUT /orders/{id} gave before`,
		`relation /body/key of PUT /orders/{id} 200: that it equals the value of the request at /body/key`,
		`resource /body/v of GET /orders/{id} 200: that it equals 2, other than for another resource`,
		`stale /body/v of GET /orders/{id} 200: that it equals 2, other than in the answer before`,
		`stale /status of GET /orders/{id} 404: that it equals 404, other than in the answer before`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	all := func(exchange.Operation, int, exchange.Place) Judgement { return Judgement{Volatile: true} }
	for _, m := range s.Mutants([]Kind{Stale, Resource}, 0, 1, all) {
		if m.Assertion() != "" {
			t.Errorf("%s: all of it moves, and an assertion is said to tell it: %s", m, m.Assertion())
		}
	}
	none := func(exchange.Operation, int, exchange.Place) Judgement { return Judgement{Ignored: true} }
	if got := s.Mutants([]Kind{Stale, Resource}, 0, 1, none); len(got) > 0 {
		t.Errorf("%v show where nobody wants to know", got)
	}
}

// What survives is told with the assertion that was missing; of what moves by itself there may be none.
func TestAssertion(t *testing.T) {
	for _, tt := range []struct {
		m    Mutant
		want string
	}{
		{Mutant{Kind: Change, Held: "12.5"}, "that it equals 12.5"},
		{Mutant{Kind: Change, Held: "12.5", Varied: true}, "its value in each answer (first: 12.5)"},
		{Mutant{Kind: Change}, "what it holds"},
		{Mutant{Kind: Change, Volatile: true}, "its format or range"},
		{Mutant{Kind: Status, Status: 404, To: 200}, "that the status is 404"},
		{Mutant{Kind: Status, Status: 404, To: 200, Volatile: true}, ""},
		{Mutant{Kind: Element, Way: "removed"}, "which elements the list holds, and how many"},
		{Mutant{Kind: Element, Way: "removed", Volatile: true}, ""},
		{Mutant{Kind: Off, Way: "+1", Held: "7"}, "that it equals 7"},
		{Mutant{Kind: Off, Way: "+1", Held: "7", Volatile: true}, ""},
		{Mutant{Kind: Off, Way: "1h", Volatile: true}, "that it is within less than 1h0m0s of the test's own clock, if it follows the clock"},
		{Mutant{Kind: Format, Way: "hyphens", Held: `"6b"`, Volatile: true}, `its format, as in "6b"`},
		{Mutant{Kind: "none"}, ""},
	} {
		if got := tt.m.Assertion(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.m, got, tt.want)
		}
	}
	for _, f := range faults() {
		if (Mutant{Kind: f.kind, Way: f.way, Held: "1", Repeats: "x"}).Assertion() == "" {
			t.Errorf("%s %s: no assertion tells it at a place that stays as it is", f.kind, f.way)
		}
	}
}
