package suite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// In another order of the tests that is weakened alone which comes to another value while a test only reads what it
// made: not what others may have changed, nor what the test itself changes.
func TestByThemselves(t *testing.T) {
	answer := func(body string) *exchange.Response {
		return exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"),
			Body: []byte(body), Plain: true})
	}
	send := func(seq uint64, method, target, sent, got string) exchange.Step {
		step := stepOf(seq, target, []*exchange.Response{answer(got), answer(got), answer(got)})
		step.Exchange.Request = exchange.ParseRequest(exchange.Message{
			Head: []byte(method + " " + target + " HTTP/1.1\r\nHost: a:1\r\n\r\n"), Body: []byte(sent), Plain: true})
		return step
	}
	const made, later = `{"id":"o-77","state":"pending","number":5}`, `{"id":"o-77","state":"running","number":5}`
	for name, tt := range map[string]struct {
		between, read string // what the test sends meanwhile, and reads
		steps         []exchange.Step
		changed       bool
	}{
		"by itself": {"", "/orders/{r.json()[\"id\"]}", []exchange.Step{send(2, "GET", "/orders/o-77", "", later)}, true},
		"another login": {"requests.post(B + '/login', json={'a': 1})", "/orders/{r.json()[\"id\"]}",
			[]exchange.Step{send(2, "POST", "/login", `{"a":1}`, "{}"), send(3, "GET", "/orders/o-77", "", later)}, true},
		"paid by the test": {"requests.post(B + '/payments', json={'order': 'o-77'})", "/orders/{r.json()[\"id\"]}",
			[]exchange.Step{send(2, "POST", "/payments", `{"order":"o-77"}`, "{}"), send(3, "GET", "/orders/o-77", "", later)}, false},
		"another's": {"", "/orders/o-1", []exchange.Step{send(2, "GET", "/orders/o-1", "", later)}, false},
	} {
		text := "import requests\n\nB = 'http://localhost:1'\n\n\ndef test_a():\n    r = requests.post(B + '/orders', json={'n': 1})\n" +
			"    assert r.json()[\"number\"] == 4\n    " + tt.between + "\n    again = requests.get(f'{B}" + tt.read + "')\n" +
			"    assert again.json()[\"state\"] == \"pending\"\n    assert again.json()[\"number\"] == 4\n"
		steps := append([]exchange.Step{send(1, "POST", "/orders", `{"n":1}`, made)}, tt.steps...)
		p, err := Patch("test_a.py", []byte(text), Source{Steps: steps}, PatchOptions{Restore: true})
		if err != nil {
			t.Fatal(err)
		}
		if changed := len(p.Changes) == 1 && strings.Contains(string(p.Data), `assert isinstance(again.json()["state"], str)`); changed != tt.changed ||
			!changed && string(p.Data) != text {
			t.Errorf("%s: it becomes\n%s", name, p.Data)
		}
	}
}

// A test that fails in some executions of one order is judged by them: what differs among them is weakened, and what
// all contradict follows the order, and stays. A test that fails in all of them stays whole.
func TestFlakingInAnotherOrder(t *testing.T) {
	answer := func(status int, body string) *exchange.Response {
		head := fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: application/json\r\n\r\n", status)
		return exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: []byte(body), Plain: true})
	}
	const text = `import requests

B = 'http://localhost:1'


def named(r):
    assert r.json()["name"] == "Ada"
    return r


def test_a():
    r = requests.get(B + '/a')
    assert r.status_code == 200
    assert r.json()["stock"] == 4
    assert r.json()["count"] == 1
    assert r.json()["kind"] == "pen"
    x = named(r)


def test_b():
    r = requests.get(B + '/b')
    assert r.json()["stock"] == 4
    x = named(r)
`
	answers := []*exchange.Response{answer(200, `{"stock":4,"count":7,"kind":"pen","name":"Ada"}`),
		answer(200, `{"stock":9,"count":7,"kind":"pen","name":"Bob"}`), answer(200, `{"stock":4,"count":7,"kind":"pen","name":"Ada"}`)}
	others := []*exchange.Response{answer(200, `{"stock":8,"name":"Cid"}`), answer(200, `{"stock":9,"name":"Cid"}`), answer(200, `{"stock":8,"name":"Cid"}`)}
	for name, tt := range map[string]struct {
		flaking string
		want    string
	}{
		"it flakes":      {"test_a", "isinstance(r.json()[\"name\"], str)|200|isinstance(r.json()[\"stock\"], int)|1|\"pen\"|4"},
		"another does":   {"test_c", "\"Ada\"|200|4|1|\"pen\"|4"},
		"nothing flakes": {"", "\"Ada\"|200|4|1|\"pen\"|4"},
	} {
		o := PatchOptions{Restore: true, Flaking: func(test string) bool { return test == tt.flaking }}
		if tt.flaking == "" {
			o.Flaking = nil
		}
		p, err := Patch("test_a.py", []byte(text), Source{Steps: []exchange.Step{stepOf(1, "/a", answers), stepOf(2, "/b", others)}}, o)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for line := range strings.Lines(string(p.Data)) {
			if says, is := strings.CutPrefix(strings.TrimSpace(line), "assert "); is {
				if _, value, compares := strings.Cut(says, " == "); compares {
					says = value
				}
				got = append(got, says)
			}
		}
		if strings.Join(got, "|") != tt.want {
			t.Errorf("%s: it becomes\n%s", name, p.Data)
		}
		if tt.want[0] == '"' && (string(p.Data) != text || len(p.Changes) > 0) {
			t.Errorf("%s: it is changed: %+v", name, p.Changes)
		}
	}
}
