package suite

import (
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/setup"
)

// behind puts a log-in before the calls of a graft, which a fixture sends.
func behind(g Grafting) Grafting {
	login := setup.Wanted{Request: sentRequest("POST /login HTTP/1.1\r\nHost: x\r\n\r\n", "")}
	g.Calls = append([]setup.Wanted{login}, g.Calls...)
	g.Binds = slices.Clone(g.Binds)
	for i := range g.Binds {
		g.Binds[i].Uses = slices.Clone(g.Binds[i].Uses)
		for n, u := range g.Binds[i].Uses {
			if u.In != setup.InCleanUp {
				g.Binds[i].Uses[n].At++
			}
		}
	}
	for i, trial := range g.Trials {
		g.Trials[i].Answers = append([]*exchange.Response{reply(200, "", "{}")}, trial.Answers...)
	}
	return g
}

// graftedAhead patches a file whose last test has a fixture log in, and reads /items/4 then. ahead is whether the log-in
// comes before the set-up.
func graftedAhead(t *testing.T, source string, g Grafting) (patched, why string, ahead bool) {
	t.Helper()
	s, err := Read("test_t.py", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	h := Bind(s, Source{Steps: []exchange.Step{{Exchange: &exchange.Exchange{Seq: 1,
		Request: sentRequest("GET /items/4 HTTP/1.1\r\nHost: x\r\n\r\n", ""), Response: reply(404, "", "")}}}}, nil)
	test := s.Tests[len(s.Tests)-1]
	for i, c := range test.Calls {
		c.SentTarget = g.Calls[i].Request.Target
	}
	ahead = h.ahead(test, test.Calls[0])
	why = (&Dependency{held: h, test: test}).Refuses(g)
	return string(h.Patch(PatchOptions{Grafts: map[string]Grafting{test.Name: g}}).Data), why, ahead
}

const (
	loggedIn = `import pytest
import requests

BASE = "http://localhost:1"


@pytest.fixture
def auth():
    return requests.post(f"{BASE}/login").json()["token"]


`
	readsItem = `    res = requests.get(f"{BASE}/items/4", headers={"Authorization": auth})
    assert res.json()["n"] == 3
`
)

// TestSetUpsStandBeforeFixtures: a set-up stands where the fixtures that a test names find what it makes: in a fixture that
// comes first. What is done before any of them is ahead of it, and it stands at the head of the test where all is.
func TestSetUpsStandBeforeFixtures(t *testing.T) {
	alone := behind(aGraft())
	alone.Binds[0].Uses = slices.DeleteFunc(alone.Binds[0].Uses, func(u setup.BindUse) bool { return u.In != setup.InCleanUp })
	bare := alone
	bare.CleanUp, bare.Binds = nil, nil
	setUp := func(signature string) string {
		return "@pytest.fixture\ndef set_up_test_read(" + signature + "):\n" +
			"    # flaketap: /items/4 was made by POST /items; by the recording's data flow, not tried; State\n" +
			"    setup_0 = requests.post(f\"{BASE}/items\", json={\"a\": \"b\"})\n" +
			"    # flaketap: the set-up has to succeed\n    assert setup_0.status_code == 201\n"
	}
	const cleans = `    setup_itemId = str(setup_0.json()["id"])
    request.addfinalizer(lambda: requests.delete(f"{BASE}/items/{setup_itemId}"))
`
	auto := strings.Replace(loggedIn, "@pytest.fixture\n", "@pytest.fixture(autouse=True)\n", 1)
	once := strings.Replace(loggedIn, "@pytest.fixture\n", "@pytest.fixture(scope=\"module\")\n", 1)
	for _, c := range []struct {
		name, source string
		graft        Grafting
		want         string
		ahead        bool
	}{
		{"out of sight", loggedIn + "def test_read(auth):\n" + readsItem, bare,
			loggedIn + setUp("") + "\n\n@pytest.mark.usefixtures(\"set_up_test_read\")\ndef test_read(auth):\n" + readsItem, false},
		{"with a clean-up", loggedIn + "def test_read(auth):\n" + readsItem, alone,
			loggedIn + setUp("request") + cleans + "\n\n@pytest.mark.usefixtures(\"set_up_test_read\")\ndef test_read(auth):\n" + readsItem, false},
		{"its id in the test", loggedIn + "# What I saw.\n@pytest.mark.slow\ndef test_read(auth):\n" + readsItem, behind(aGraft()),
			loggedIn + setUp("request") + cleans + "    return setup_itemId\n\n\n# What I saw.\n@pytest.mark.slow\n" +
				"def test_read(set_up_test_read, auth):\n    setup_itemId = set_up_test_read\n" +
				strings.Replace(readsItem, "/items/4", "/items/{setup_itemId}", 1), false},
		{"for all tests", auto + "def test_read(auth):\n" + readsItem, bare,
			auto + "def test_read(auth):\n" + strings.TrimPrefix(setUp(""), "@pytest.fixture\ndef set_up_test_read():\n") + "\n" + readsItem, true},
		{"once for several", once + "def test_read(auth):\n" + readsItem, bare,
			once + "def test_read(auth):\n" + strings.TrimPrefix(setUp(""), "@pytest.fixture\ndef set_up_test_read():\n") + "\n" + readsItem, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, why, ahead := graftedAhead(t, c.source, c.graft)
			if got != c.want || why != "" || ahead != c.ahead {
				t.Errorf("%s, ahead: %v\n%s\nwant\n%s", why, ahead, got, c.want)
			}
			s, err := Read("test_t.py", []byte(got))
			if err != nil || !s.Tests[len(s.Tests)-1].HasSetUp() {
				t.Errorf("it is not read again: %v", err)
			}
		})
	}
}

// What may be there already is not asked to succeed, and its id is that of the recording then; it is taken away by
// whoever made it.
func TestSetUpsThatMayBeThere(t *testing.T) {
	g := aGraft()
	g.Steps[0].Status, g.Steps[0].MayBeThere = 0, true
	g.Binds[0].Uses = []setup.BindUse{g.Binds[0].Uses[0], g.Binds[0].Uses[3]}
	session := []*exchange.Exchange{{Seq: 7, Request: g.Steps[0].Request, Response: reply(201, "Content-Type: application/json\r\n", `{"id": 4}`)}}
	for name, c := range map[string][3]string{
		"t.py": {"import requests\n\nBASE = \"http://localhost:1\"\n\n\ndef test_0():\n    res = requests.get(f\"{BASE}/items/4\")\n    assert res.status_code == 200\n",
			"    setup_itemId = str(setup_0.json()[\"id\"]) if setup_0.status_code == 201 else \"4\"\n",
			"    if setup_0.status_code == 201:\n        request.addfinalizer(lambda: requests.delete(f\"{BASE}/items/{setup_itemId}\"))\n"},
		"t.test.js": {"const BASE = 'http://localhost:1';\n\ntest('reads', async () => {\n  const res = await fetch(`${BASE}/items/4`);\n  expect(res.status).toBe(200);\n});\n",
			"  const setup_itemId =\n    setup_0.status === 201 ? String((await setup_0.json()).id) : '4';\n",
			"    if (setup_0.status === 201) {\n      await fetch(`${BASE}/items/${setup_itemId}`, { method: 'DELETE' });\n    }\n"},
	} {
		s, err := Read(name, []byte(c[0]))
		if err != nil {
			t.Fatal(err)
		}
		h := Bind(s, Source{}, session)
		out := string(h.Patch(PatchOptions{Grafts: map[string]Grafting{s.Tests[0].Name: g}}).Data)
		if !strings.Contains(out, c[1]) || !strings.Contains(out, c[2]) || strings.Contains(out, "has to succeed") || strings.Contains(out, "items/4`") {
			t.Errorf("%s:\n%s", name, out)
		}
	}
}

// A set-up that looks first whether what it makes is there sends that only where it is not, and reads the same again.
func TestSetUpsThatLookFirst(t *testing.T) {
	g := aGraft()
	look := exchange.ParseRequest(exchange.Message{Head: []byte("GET /items/4 HTTP/1.1\r\nHost: x\r\nX-Key: k\r\n\r\n")})
	g.Steps[0].Status, g.Steps[0].MayBeThere, g.Steps[0].Look = 0, true, &setup.Look{Request: look, Status: 200}
	g.Binds[0].Uses = []setup.BindUse{g.Binds[0].Uses[0], g.Binds[0].Uses[3]}
	session := []*exchange.Exchange{{Seq: 7, Request: g.Steps[0].Request, Response: reply(201, "Content-Type: application/json\r\n", `{"id": 4}`)}}
	for name, c := range map[string][2]string{
		"t.py": {"import requests\n\nBASE = \"http://localhost:1\"\n\n\ndef test_0():\n    res = requests.get(f\"{BASE}/items/4\")\n    assert res.status_code == 200\n",
			"    setup_0 = requests.get(f\"{BASE}/items/4\", headers={\"X-Key\": \"k\"})\n    if setup_0.status_code != 200:\n" +
				"        setup_0 = requests.post(f\"{BASE}/items\", json={\"a\": \"b\"})\n" +
				"    setup_itemId = str(setup_0.json()[\"id\"]) if setup_0.status_code == 201 else \"4\"\n"},
		"fetch.test.js": {"const BASE = 'http://localhost:1';\n\ntest('reads', async () => {\n  const res = await fetch(`${BASE}/items/4`);\n  expect(res.status).toBe(200);\n});\n",
			"    headers: { 'X-Key': 'k' },\n  });\n  if (setup_0.status !== 200) {\n" +
				"    setup_0 = await fetch(`${BASE}/items`, {\n"},
		"axios.test.js": {"const axios = require('axios');\n\nconst BASE = 'http://localhost:1';\n\ntest('reads', async () => {\n  const res = await axios.get(`${BASE}/items/4`);\n  expect(res.status).toBe(200);\n});\n",
			"  if (setup_0.status !== 200) {\n    setup_0 = await axios.post(`${BASE}/items`, {\n"},
	} {
		s, err := Read(name, []byte(c[0]))
		if err != nil {
			t.Fatal(err)
		}
		h := Bind(s, Source{}, session)
		patched := h.Patch(PatchOptions{Grafts: map[string]Grafting{s.Tests[0].Name: g}})
		out := string(patched.Data)
		if !strings.Contains(out, c[1]) || strings.Contains(out, "has to succeed") || strings.Contains(out, "items/4`);\n  expect") {
			t.Errorf("%s:\n%s", name, out)
		}
		again, err := Read(name, patched.Data)
		if err != nil || !again.Tests[0].HasSetUp() || len(again.Tests[0].Assertions) != len(s.Tests[0].Assertions) {
			t.Errorf("%s is not read again: %v", name, err)
		}
	}
}
