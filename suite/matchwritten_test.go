package suite

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// A file of pytest whose second test is the only one that needs a session of the administrator, as another file's tests
// may, and one of Mocha with a loop that waits.
const (
	sharedSuite = `import pytest
import requests

@pytest.fixture(scope="session")
def admin():
    return requests.post("http://api/login", json={"user": "ada"}).json()

def test_health():
    assert requests.get("http://api/health").json()["pid"] == 7

def test_login(admin):
    assert admin["role"] == "admin"

def test_create(admin):
    res = requests.post("http://api/tickets", json=None)
    assert res.status_code == 201
`
	waitingSuite = `const { expect } = require("chai");
describe("audits", () => {
  let token;
  before(async () => {
    token = await (await fetch("/login", { method: "POST", body: JSON.stringify({ user: "ada" }) })).json();
  });
  it("starts", async () => {
    const res = await fetch("/audits", { method: "POST" });
    expect(res.status).to.equal(202);
    const more = await fetch("/started");
    expect(more.status).to.equal(200);
  });
  it("ends", async () => {
    let last;
    LOOP
    const rest = await fetch("/findings");
    expect(rest.status).to.equal(200);
  });
  it("lists", async () => {
    const res = await fetch("/audits");
    expect(res.status).to.equal(200);
  });
});
`
)

// TestMatchWritten checks which exchange is taken for which call of suites that people wrote: what is sent once for
// several tests may be another file's, a loop sends any number of requests, the last of which is what a test sees of it
// that takes its answers to a variable, and what was not sent is not found
// elsewhere.
func TestMatchWritten(t *testing.T) {
	waiting := func(loop string) string { return strings.Replace(waitingSuite, "LOOP", loop, 1) }
	const get = `await fetch("/state");`
	for _, tt := range []struct {
		name, file, text string
		sent             []string
		want             []int // by call, from 1; 0 for none
	}{
		{"a login in this file", "test_a.py", sharedSuite, []string{"GET /health", "POST /login", "POST /tickets"}, []int{1, 2, 2, 3}},
		{"a login for another file", "test_a.py", sharedSuite, []string{"POST /login", "GET /x", "GET /health", "POST /tickets"}, []int{3, 1, 1, 4}},
		{"no login", "test_a.py", sharedSuite, []string{"GET /health", "POST /tickets"}, []int{1, 0, 0, 2}},
		{"nothing behind a failure", "a.test.js", waiting(get),
			[]string{"POST /login", "POST /audits", "GET /state", "GET /findings", "GET /audits"}, []int{1, 2, 0, 1, 3, 4, 1, 5}},
		{"do", "a.test.js", waiting("do { last = " + get + " } while (last.status === 200);"), polled(3), []int{1, 2, 3, 1, 6, 7, 1, 8}},
		{"do, again", "a.test.js", waiting("do { last = " + get + " } while (last.status === 200);"), polled(40), []int{1, 2, 3, 1, 43, 44, 1, 45}},
		{"while", "a.test.js", waiting("while (!last || last.status === 200) { last = " + get + " }"), polled(40), []int{1, 2, 3, 1, 43, 44, 1, 45}},
		{"in the condition", "a.test.js", waiting("while ((" + strings.TrimSuffix(get, ";") + ").status === 200) {}"), polled(40), []int{1, 2, 3, 1, 4, 44, 1, 45}},
		{"for", "a.test.js", waiting("for (let i = 0; i < 50; i++) { last = " + get + " if (last.status === 404) break; }"),
			polled(40), []int{1, 2, 3, 1, 43, 44, 1, 45}},
		{"another behind it", "a.test.js", shelves("a.loop", "b"), shelved("aaab"), []int{1, 4, 5}},
		{"the same behind it", "a.test.js", shelves("a.loop", "a"), shelved("aaaa"), []int{1, 4, 5}},
		{"the same at once", "a.test.js", shelves("a.loop", "a"), shelved("aa"), []int{1, 2, 3}},
		{"both behind it", "a.test.js", shelves("a.loop", "a", "b"), shelved("aaab"), []int{1, 3, 4, 5}},
		{"loops", "a.test.js", shelves("a.loop", "b.loop", "c.loop"), shelved("aaabbbccc"), []int{1, 4, 7, 10}},
		{"loops that turn once", "a.test.js", shelves("a.loop", "b.loop", "c"), shelved("abbc"), []int{1, 2, 4, 5}},
	} {
		s, err := Read(tt.file, []byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		src := Source{}
		for i, line := range tt.sent {
			src.Steps = append(src.Steps, sentStep(i+1, line))
		}
		matched, own := matchCalls(s, src)
		var got []int
		for _, test := range s.Tests {
			for _, c := range test.Calls {
				n := 0
				if step := matched[c]; step != nil {
					n = int(step.Exchange.Seq)
				}
				got = append(got, n)
			}
		}
		if !slices.Equal(got, tt.want) || !own {
			t.Errorf("%s: %v, own %v, want %v", tt.name, got, own, tt.want)
		}
	}
}

// shelves is a suite that reads things of one kind, which their names in an answer tell from each other; in a loop until
// they are there, where that stands behind the name.
func shelves(reads ...string) string {
	out := `test("shelves", async () => {
  const made = await (await fetch("http://api:80/audits", { method: "POST" })).json();
`
	for i, read := range reads {
		name, loop := strings.CutSuffix(read, ".loop")
		get := fmt.Sprintf("await fetch(\"http://api:80/shelf/\" + made.%s);\n", name)
		if loop {
			out += fmt.Sprintf("  let r%d;\n  do {\n    r%d = %s  } while (r%d.status === 404);\n", i, i, get, i)
		} else {
			out += fmt.Sprintf("  const r%d = %s", i, get)
		}
	}
	return out + "});\n"
}

// shelved is what such a suite sends, by the names of what it reads.
func shelved(names string) []string {
	out := []string{"POST /audits"}
	for _, name := range names {
		out = append(out, "GET /shelf/"+string(name))
	}
	return out
}

// polled is what a suite sends whose loop turns so often.
func polled(turns int) []string {
	return slices.Concat([]string{"POST /login", "POST /audits", "GET /started"},
		slices.Repeat([]string{"GET /state"}, turns), []string{"GET /findings", "GET /audits"})
}

func sentStep(seq int, line string) exchange.Step {
	body, status := "", 200
	switch line {
	case "POST /login":
		body = `{"user":"ada"}`
	case "POST /tickets":
		status = 201
	case "POST /audits":
		status = 202
	}
	head := fmt.Sprintf("%s HTTP/1.1\r\nHost: api\r\nContent-Length: %d\r\n\r\n", line, len(body))
	return exchange.Step{Exchange: &exchange.Exchange{Seq: uint64(seq), Scheme: "http", Addr: "api:80",
		Request:  exchange.ParseRequest(exchange.Message{Head: []byte(head), Body: []byte(body), Plain: true}),
		Response: reply(status, "", `{"role":"admin"}`)}}
}
