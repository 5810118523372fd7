package suite

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/waits/settle"
)

const lateHead = "import time\n\nimport pytest\nimport requests\n\nBASE = \"http://a:1\"\n\n\n" +
	"def get(id):\n    return requests.get(f\"{BASE}/jobs/{id}\")\n\n\n" +
	"def job_of(id):\n    r = requests.get(f\"{BASE}/jobs/{id}\")\n    r.raise_for_status()\n    return r.json()\n\n\n" +
	"def state_of(id):\n    return job_of(id)[\"state\"]\n\n\n" +
	"def call(id):\n    r = requests.get(f\"{BASE}/jobs/{id}\")\n    return r.status_code, r.json()\n\n\n" +
	"def checked(id):\n    r = get(id)\n    r.raise_for_status()\n    return r\n\n\n" +
	"class Shop:\n    def __init__(self, url):\n        self.url = url\n\n    def job(self, id):\n        return requests.get(f\"{self.url}/jobs/{id}\").json()\n\n" +
	"    def sent(self, id):\n        return requests.get(f\"{self.url}/jobs/{id}\")\n\n    def both(self, id):\n        r = self.sent(id)\n        return r, r.json()\n\n\n" +
	"@pytest.fixture\ndef shop():\n    return Shop(BASE)\n\n\n" +
	"def test_job(shop):\n    made = requests.post(f\"{BASE}/jobs\", json={\"of\": \"tea\"})\n"

var (
	lateMissing = reply(404, jsonType, `{"error":"none"}`)
	latePending = reply(200, jsonType, `{"state":"pending","total":null}`)
	lateDone    = reply(200, jsonType, `{"state":"done","total":42}`)
	lateFailed  = reply(200, jsonType, `{"state":"failed","total":null}`)
)

// lateSource is a recording of a test that makes a job and reads it, in three executions.
func lateSource(target string, reads ...*exchange.Response) Source {
	write := stepOf(1, "/jobs", []*exchange.Response{reply(202, jsonType, `{"id":7}`), reply(202, jsonType, `{"id":7}`), reply(202, jsonType, `{"id":7}`)})
	write.Exchange.Request = exchange.ParseRequest(exchange.Message{Body: []byte(`{"of":"tea"}`), Plain: true,
		Head: []byte("POST /jobs HTTP/1.1\r\nHost: a:1\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n")})
	read := stepOf(2, target, reads)
	return Source{Steps: []exchange.Step{write, read}, Operations: map[uint64]exchange.Operation{
		1: {Method: "POST", Template: "/jobs"}, 2: {Method: "GET", Template: "/jobs/{id}"}}}
}

// lateTrial is one in which the read was answered so, in order.
func lateTrial(src Source, reads ...*exchange.Response) Trial {
	out := Trial{1: {{Seq: 1, Sent: src.Steps[0].Exchange.Request, Response: src.Steps[0].Exchange.Response}}}
	for _, r := range reads {
		out[2] = append(out[2], &exchange.Observation{Seq: 2, Sent: src.Steps[1].Exchange.Request, Response: r})
	}
	return out
}

// lateOracle wants a job that is done.
func lateOracle() *settle.Oracle {
	done := settle.Value{Place: "/body/state", JSON: `"done"`, Type: settle.String}
	return &settle.Oracle{Status: 200, Values: []settle.Value{done, {Place: "/body/total", Type: settle.Number}}, Needed: []settle.Value{done}, Body: []settle.Value{done},
		InVain: []settle.Value{{Place: "/body/state", JSON: `"failed"`, Type: settle.String}},
		Times:  settle.Times{N: 9, Median: 204 * time.Millisecond, Longest: 410 * time.Millisecond}}
}

// waited is what becomes of a file of tests whose read is waited for.
func waited(t *testing.T, text string, src Source, trials ...Trial) Patched {
	t.Helper()
	return waitedFor(t, lateOracle(), text, src, trials...)
}

// waitedFor is waited for something else.
func waitedFor(t *testing.T, o *settle.Oracle, text string, src Source, trials ...Trial) Patched {
	t.Helper()
	h := Bind(lateScript(t, text), src, nil)
	h.Await(map[uint64]*settle.Oracle{2: o}, trials)
	return h.Patch(PatchOptions{})
}

// lateScript reads a file of tests, in a form that its text tells.
func lateScript(t *testing.T, text string) *script.Script {
	t.Helper()
	name := "test_a.py"
	switch {
	case strings.HasPrefix(text, "package shop\n\nimport ("):
		name = "a_test.go"
	case strings.HasPrefix(text, "{"):
		name = "a.json"
	case strings.HasPrefix(text, "POST http"):
		name = "a.hurl"
	case strings.HasPrefix(text, "package shop;"):
		name = "JobTest.java"
	case strings.Contains(text, "  fun "):
		name = "JobTest.kt"
	case strings.Contains(text, "await ") && strings.Contains(text, ": string"):
		name = "a.test.ts"
	case strings.Contains(text, "await "):
		name = "a.test.js"
	}
	s, err := Read(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// patchedTwice wants a file that was patched to stay as it is, with its assertions judged by the last answer.
func patchedTwice(t *testing.T, got Patched, target string) {
	t.Helper()
	again := waited(t, string(got.Data), lateSource(target, lateDone, lateDone, lateDone))
	if string(again.Data) != string(got.Data) || again.Assertions < got.Assertions || len(again.Unknown) > len(got.Unknown) {
		t.Errorf("patched twice, with %d of %d assertions, not understood: %+v\n%s", again.Assertions, got.Assertions, again.Unknown, again.Data)
	}
	last := 0
	for _, test := range lateScript(t, string(got.Data)).Tests {
		for _, c := range test.Calls {
			if c.Many && c.Last {
				last++
			}
		}
	}
	if last != 1 {
		t.Errorf("%d calls are judged by their last answers\n%s", last, got.Data)
	}
}

const latePoll = "    # flaketap: the API was ready 204ms after the write, 410ms at most, in 9 reads\n"

// A read that came too early is sent again until its answer is ready, and what is asserted of that stays as it is.
func TestAwait(t *testing.T) {
	const read = "    job = requests.get(f\"{BASE}/jobs/{made.json()['id']}\")\n"
	const asserts = "    assert job.status_code == 200\n    assert job.json()[\"state\"] == \"done\"\n    assert job.json()[\"total\"] == 42\n"
	args := func(indent string) string {
		return indent + "lambda answer: answer.status_code == 200 and answer.json()[\"state\"] == \"done\",\n" +
			indent + "failed=lambda answer: answer.json()[\"state\"] == \"failed\",\n" + indent + "seconds=2.1,\n" + indent + "every=0.02,\n"
	}
	poll := latePoll + "    job = poll(\n        lambda: requests.get(f\"{BASE}/jobs/{made.json()['id']}\"),\n" + args("        ") + "    )\n"
	made := func(name, read, arg, ready, failed string) string {
		return latePoll + "    " + name + " = poll_for(\n        lambda: " + read + ",\n        lambda " + arg + ": " + ready + ",\n" +
			"        failed=lambda " + arg + ": " + failed + ",\n        seconds=2.1,\n        every=0.02,\n    )\n"
	}
	given := func(name, read string) string {
		return made(name, read, "body", "body[\"state\"] == \"done\"", "body[\"state\"] == \"failed\"")
	}
	const asserted = "    assert job[\"state\"] == \"done\"\n    assert job[\"total\"] == 42\n"
	for _, tt := range []struct{ name, body, want string }{
		{"at once", read + asserts, poll + asserts},
		{"by a function that gives the body", "    time.sleep(0.3)\n    job = job_of(made.json()[\"id\"])\n" + asserted, given("job", `job_of(made.json()["id"])`) + asserted},
		{"by a method of an object", "    job = shop.job(7)\n" + asserted, given("job", "shop.job(7)") + asserted},
		{"by one that gives the answer", "    job = shop.sent(7)\n" + asserts, strings.Replace(poll, `requests.get(f"{BASE}/jobs/{made.json()['id']}")`, "shop.sent(7)", 1) + asserts},
		{"by one, of a name with its type", "    job: dict = shop.job(7)\n" + asserted, given("answer", "shop.job(7)") + "    job: dict = answer\n" + asserted},
		{"by a function, in an assertion", "    assert job_of(7)[\"state\"] == \"done\"\n", given("answer", "job_of(7)") + "    assert answer[\"state\"] == \"done\"\n"},
		{"by one that gives more", "    r, job = shop.both(7)\n    assert r.status_code == 200\n" + asserted,
			made("r, job", "shop.both(7)", "answer", "answer[0].status_code == 200\n        and answer[0].json()[\"state\"] == \"done\"", "answer[0].json()[\"state\"] == \"failed\"") +
				"    assert r.status_code == 200\n" + asserted},
		{"by one that gives the status and the body", "    status, job = call(7)\n    assert status == 200\n" + asserted,
			made("status, job", "call(7)", "answer", "answer[0] == 200 and answer[1][\"state\"] == \"done\"", "answer[1][\"state\"] == \"failed\"") +
				"    assert status == 200\n" + asserted},
		{"by one that gives a part", "    assert state_of(7) == \"done\"\n",
			made("answer", "state_of(7)", "answer", "answer == \"done\"", "answer == \"failed\"") + "    assert answer == \"done\"\n"},
		{"of which a part of what is given is taken", "    state = job_of(7)[\"state\"]\n    assert state == \"done\"\n",
			given("answer", "job_of(7)") + "    state = answer[\"state\"]\n    assert state == \"done\"\n"},
		{"by one that looks into the answer", "    job = checked(7)\n" + asserts,
			made("job", "checked(7)", "answer", "answer.status_code == 200 and answer.json()[\"state\"] == \"done\"", "answer.json()[\"state\"] == \"failed\"") + asserts},
		{"of which all is asserted", "    assert job_of(7) == {\"state\": \"done\", \"total\": 42}\n",
			given("answer", "job_of(7)") + "    assert answer == {\"state\": \"done\", \"total\": 42}\n"},
		{"of which all is expected to be under way", "    assert job_of(7) == {\"state\": \"pending\", \"total\": None}\n", ""},
		{"of which the status alone is asserted", "    job_of(7)\n", ""},
		{"behind a sleep", "    time.sleep(0.3)\n" + read + asserts, poll + asserts},
		{"behind a sleep with a remark and empty lines", "\n    time.sleep(0.3)  # hm\n\n" + read + asserts, "\n" + poll + asserts},
		{"behind a sleep beside something else", "    time.sleep(0.3); print(made)\n" + read + asserts, "    time.sleep(0.3); print(made)\n" + poll + asserts},
		{"a sleep for the read before it", read + "    time.sleep(0.3)\n" + asserts, poll + "    time.sleep(0.3)\n" + asserts},
		{"by a function", "    job = get(made.json()[\"id\"])\n" + asserts, strings.Replace(poll, `requests.get(f"{BASE}/jobs/{made.json()['id']}")`, `get(made.json()["id"])`, 1) + asserts},
		{"of which a part is taken", strings.Replace(read, "\")\n", "\").json()\n", 1) + "    assert job[\"state\"] == \"done\"\n",
			strings.Replace(poll, "job = poll", "answer = poll", 1) + "    job = answer.json()\n    assert job[\"state\"] == \"done\"\n"},
		{"in an assertion", "    assert requests.get(f\"{BASE}/jobs/{made.json()['id']}\").json()[\"state\"] == \"done\"\n",
			strings.Replace(poll, "job = poll", "answer = poll", 1) + "    assert answer.json()[\"state\"] == \"done\"\n"},
		{"that expects it to be under way", read + "    assert job.json()[\"state\"] == \"pending\"\n", ""},
		{"that expects nothing", read + "    print(job)\n", ""},
		{"under a condition", "    if made:\n    " + read + "        assert job.status_code == 200\n", ""},
		{"by a loop of its own", "    for _ in range(9):\n    " + read + "        if job.status_code == 200:\n            break\n        time.sleep(0.1)\n" + asserts, ""},
		{"that may fail", "    try:\n    " + read + "    except OSError:\n        return\n" + asserts, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := lateSource("/jobs/7", lateMissing, lateDone, latePending)
			trials := []Trial{lateTrial(src, lateMissing, latePending, lateDone), lateTrial(src, lateMissing, lateDone)}
			got := waited(t, lateHead+tt.body, src, trials...)
			text := string(got.Data)
			n := 0
			for _, c := range got.Changes {
				if c.Kind == Awaited {
					n++
				}
			}
			if tt.want == "" {
				if n > 0 || strings.Contains(text, "poll(") {
					t.Errorf("%d waits:\n%s", n, text)
				}
				return
			}
			if n != 1 || len(got.Changes) != 1 || !strings.HasSuffix(text, "made = requests.post(f\"{BASE}/jobs\", json={\"of\": \"tea\"})\n"+tt.want) {
				t.Fatalf("changes %+v\n%s\nwant\n%s", got.Changes, text, tt.want)
			}
			head, _, _ := strings.Cut(text, "def get(id)")
			before, helper, _ := strings.Cut(head, "# flaketap: sends a read again")
			if before != "import time\n\nimport pytest\nimport requests\n\nBASE = \"http://a:1\"\n\n\n" || !strings.HasSuffix(helper, "\n\n\n") {
				t.Errorf("the function stands here:\n%s", head)
			}
			patchedTwice(t, got, "/jobs/7")
		})
	}
}

// A read that came too early, and at which no wait can be written, is told, with the reason: not one that only differs,
// nor one that comes to wait.
func TestUnwaited(t *testing.T) {
	const read = "    job = requests.get(f\"{BASE}/jobs/{made.json()['id']}\")\n"
	const asserts = "    assert job.json()[\"state\"] == \"done\"\n"
	for _, tt := range []struct{ name, body, want string }{
		{"comes to wait", read + asserts, ""},
		{"expects it to be under way", read + "    assert job.json()[\"state\"] == \"pending\"\n", ""},
		{"expects nothing", "    for _ in range(1):\n    " + read + "    print(job)\n", ""},
		{"in a loop", "    for _ in range(1):\n    " + read + asserts, "loop"},
		{"where it may fail", "    with pytest.raises(ValueError):\n    " + read + asserts, "may fail"},
		{"in a try", "    try:\n    " + read + "    " + asserts + "    except OSError:\n        return\n", "has a form"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := lateSource("/jobs/7", lateDone, latePending, lateDone)
			got := waited(t, lateHead+tt.body, src)
			if tt.want == "" {
				if len(got.Unwaited) > 0 {
					t.Errorf("%+v", got.Unwaited)
				}
				return
			}
			if len(got.Unwaited) != 1 || !strings.Contains(got.Unwaited[0].Why, tt.want) || got.Unwaited[0].Failed != 1 || got.Unwaited[0].Of != 3 {
				t.Errorf("%+v\n%s", got.Unwaited, got.Data)
			}
		})
	}
}

// A test that runs with several values waits where all of its runs that are ready can wait for the same.
func TestAwaitSeveralValues(t *testing.T) {
	const text = "import pytest\nimport requests\n\nBASE = \"http://a:1\"\n\n\n@pytest.mark.parametrize(\"of, total, state\", [(\"tea\", 42, \"done\"), (\"milk\", 41, MILK)])\n" +
		"def test_job(of, total, state):\n    requests.post(f\"{BASE}/jobs\", json={\"of\": of})\n    job = requests.get(f\"{BASE}/jobs/{of}\").json()\n" +
		"    assert job[\"state\"] == state\n    assert job[\"total\"] == total\n"
	milk := reply(200, jsonType, `{"state":"done","total":41}`)
	other := lateOracle()
	other.Status, other.Values, other.Needed, other.Body = 404, nil, nil, nil
	for _, tt := range []struct {
		name, state string
		milk        []*exchange.Response
		oracle      *settle.Oracle
		waits       bool
		why         string
	}{
		{"both too early", `"done"`, []*exchange.Response{lateMissing, milk, latePending}, lateOracle(), true, ""},
		{"one never too early", `"done"`, []*exchange.Response{milk, milk, milk}, lateOracle(), true, ""},
		{"one of which nothing is known", `"done"`, []*exchange.Response{milk, milk, milk}, nil, false, "another run of its test, or request of its statement, does not wait for the same"},
		{"one that waits for something else", `"done"`, []*exchange.Response{milk, lateMissing, milk}, other, false, "another run of its test, or request of its statement, does not wait for the same"},
		{"one that wants no end", `"pending"`, []*exchange.Response{milk, milk, milk}, lateOracle(), false, "another run of its test, or request of its statement, does not wait for the same"},
	} {
		src := lateSource("/jobs/tea", lateMissing, lateDone, latePending)
		second := lateSource("/jobs/milk", tt.milk...)
		for i, s := range second.Steps {
			s.Exchange.Seq += 2
			for _, o := range s.Observations {
				o.Seq += 2
			}
			src.Steps = append(src.Steps, s)
			src.Operations[uint64(i+3)] = src.Operations[uint64(i+1)]
		}
		h := Bind(lateScript(t, strings.Replace(text, "MILK", tt.state, 1)), src, nil)
		oracles := map[uint64]*settle.Oracle{2: lateOracle()}
		if tt.oracle != nil {
			oracles[4] = tt.oracle
		}
		h.Await(oracles, nil)
		got := h.Patch(PatchOptions{})
		why := ""
		for _, u := range got.Unwaited {
			why += u.Why
		}
		if strings.Contains(string(got.Data), "poll") != tt.waits || why != tt.why {
			t.Errorf("%s: %q\n%s", tt.name, why, got.Data)
		}
	}
}

// So it is in tests for Jest and the like.
func TestAwaitJavaScript(t *testing.T) {
	const head = "const BASE = \"http://a:1\";\n\nconst get = (id) => CLIENT(`${BASE}/jobs/${id}`);\n\nasync function jobOf(id) {\n  const r = await fetch(`${BASE}/jobs/${id}`);\n  expect(r.status).toBe(200);\n  return r.json();\n}\n\nasync function call(id) {\n  const res = await fetch(`${BASE}/jobs/${id}`);\n  return { status: res.status, body: await res.json() };\n}\n\nasync function checked(id) {\n  const r = await fetch(`${BASE}/jobs/${id}`);\n  expect(r.status).toBe(200);\n  return r;\n}\n\n// a test\ntest(\"job\", async () => {\n" +
		"  const made = await POST(`${BASE}/jobs`, BODY);\n"
	const fetched = "  expect(job.status).toBe(200);\n  const body = await job.json();\n  expect(body.state).toBe(\"done\");\n  expect(body.total).toBe(42);\n"
	const single = "  note('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k');\n"
	const data = "  expect(job.status).toBe(200);\n  expect(job.data.state).toBe(\"done\");\n  expect(job.data.total).toBe(42);\n"
	args := "    ready: (status, body) => status === 200 && body?.state === \"done\",\n    failed: (status, body) => body?.state === \"failed\",\n    seconds: 2.1,\n    every: 0.02,\n  });\n"
	comment := strings.Replace(strings.Replace(latePoll, "    #", "  //", 1), "# ", "// ", 1)
	poll := func(given, read string) string {
		return comment + "  " + given + " = await poll(() => " + read + ", {\n" + args
	}
	const axios = "const axios = require(\"axios\");\n"
	const asserted = "  expect(job.state).toBe(\"done\");\n  expect(job.total).toBe(42);\n"
	given := func(name, read string) string {
		args := strings.Replace(strings.ReplaceAll(args, "(status, body)", "(body)"), "status === 200 && ", "", 1)
		return comment + "  " + name + " = await pollFor(" + read + ", {\n" + args
	}
	for _, tt := range []struct{ name, imports, body, want string }{
		{"fetch", "", "  const job = await fetch(`${BASE}/jobs/7`);\n" + fetched, poll("const job", "fetch(`${BASE}/jobs/7`)") + fetched},
		{"fetch, by a function, behind a sleep", "", "\n  await new Promise((resolve) => setTimeout(resolve, 300)); // hm\n\n  const job = await get(7);\n" + fetched, "\n" + poll("const job", "get(7)") + fetched},
		{"fetch, behind a named sleep", "", "  await sleep(300);\n  const job = await get(7);\n" + fetched, poll("const job", "get(7)") + fetched},
		{"fetch, behind a sleep beside something else", "", "  await sleep(300); made.ok;\n  const job = await get(7);\n" + fetched, "  await sleep(300); made.ok;\n" + poll("const job", "get(7)") + fetched},
		{"fetch, in an assertion", "", "  expect((await fetch(`${BASE}/jobs/7`)).status).toBe(200);\n",
			poll("const answer2", "fetch(`${BASE}/jobs/7`)") + "  expect(answer2.status).toBe(200);\n"},
		{"axios", axios, "  const job = await axios.get(`${BASE}/jobs/7`);\n" + data, poll("const job", "axios.get(`${BASE}/jobs/7`)") + data},
		{"axios, taken apart", axios, "  const { data } = await axios.get(`${BASE}/jobs/7`);\n  expect(data.state).toBe(\"done\");\n",
			poll("const { data }", "axios.get(`${BASE}/jobs/7`)") + "  expect(data.state).toBe(\"done\");\n"},
		{"fetch, in a file of single quotes", "", "  const job = await fetch(`${BASE}/jobs/7`, { cache: \"no-store\" });\n" + single + fetched,
			strings.Replace(poll("const job", "fetch(`${BASE}/jobs/7`, { cache: \"no-store\" })"), args, strings.ReplaceAll(args, `"`, "'"), 1) + single + fetched},
		{"fetch, and its body", "", "  const job = await (await fetch(`${BASE}/jobs/7`)).json();\n" + asserted, given("const job", "async () => (await fetch(`${BASE}/jobs/7`)).json()") + asserted},
		{"fetch, and then its body", "", "  const job = await fetch(`${BASE}/jobs/7`).then((r) => r.json());\n" + asserted, given("const job", "() => fetch(`${BASE}/jobs/7`).then((r) => r.json())") + asserted},
		{"by a function that gives the body, behind a sleep", "", "  await sleep(300);\n  const job = await jobOf(7);\n" + asserted, given("const job", "() => jobOf(7)") + asserted},
		{"by a function that gives the body, in an assertion", "", "  expect(await jobOf(7)).toEqual({ state: \"done\", total: 42 });\n",
			given("const answer2", "() => jobOf(7)") + "  expect(answer2).toEqual({ state: \"done\", total: 42 });\n"},
		{"by one, of which a part is asserted", "", "  expect((await jobOf(7)).state).toBe(\"done\"); // done\n",
			given("const answer2", "() => jobOf(7)") + "  expect(answer2.state).toBe(\"done\"); // done\n"},
		{"by one that gives the status and the body", "", "  const { status, body } = await call(7);\n  expect(status).toBe(200);\n  expect(body.state).toBe(\"done\");\n",
			strings.NewReplacer("(body) => body?.state === \"done\"", "(answer) => answer.status === 200 && answer.body?.state === \"done\"",
				"(body) => body?.state === \"failed\"", "(answer) => answer.body?.state === \"failed\"").
				Replace(given("const { status, body }", "() => call(7)")) + "  expect(status).toBe(200);\n  expect(body.state).toBe(\"done\");\n"},
		{"of which all is expected to be under way", "", "  expect(await jobOf(7)).toEqual({ state: \"pending\", total: null });\n", ""},
		{"by one that looks into the answer, which nobody reads twice", "", "  const job = await checked(7);\n" + fetched, ""},
		{"axios, of which a part is taken", axios, "  const job = (await axios.get(`${BASE}/jobs/7`)).data;\n" + asserted,
			poll("const answer2", "axios.get(`${BASE}/jobs/7`)") + "  const job = answer2.data;\n" + asserted},
		{"by one beside another", "", "  const jobs = [await jobOf(7), await jobOf(8)];\n  expect(jobs[0].state).toBe(\"done\");\n",
			given("const answer2", "() => jobOf(7)") + "  const jobs = [answer2, await jobOf(8)];\n  expect(jobs[0].state).toBe(\"done\");\n"},
		{"not in a condition", "", "  if (made) {\n    const job = await fetch(`${BASE}/jobs/7`);\n    expect(job.status).toBe(200);\n  }\n", ""},
		{"not by a loop of its own", "", "  let job;\n  do {\n    job = await fetch(`${BASE}/jobs/7`);\n  } while (job.status !== 200);\n" + fetched, ""},
		{"not what it expects to be under way", "", "  const job = await fetch(`${BASE}/jobs/7`);\n  expect((await job.json()).state).toBe(\"pending\");\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			client := strings.NewReplacer("CLIENT", "fetch", "POST", "fetch", "BODY", `{ method: "POST", body: JSON.stringify({ of: "tea" }) }`)
			if tt.imports != "" {
				client = strings.NewReplacer("CLIENT", "axios.get", "POST", "axios.post", "BODY", `{ of: "tea" }`)
			}
			src := lateSource("/jobs/7", lateMissing, lateDone, latePending)
			trials := []Trial{lateTrial(src, lateMissing, latePending, lateDone), lateTrial(src, lateMissing, lateDone)}
			before := tt.imports + client.Replace(head)
			got := waited(t, before+tt.body+"});\n", src, trials...)
			text := string(got.Data)
			if tt.want == "" {
				if strings.Contains(text, "poll") {
					t.Error(text)
				}
				return
			}
			if _, after, _ := strings.Cut(text, "}),\n"); !strings.HasSuffix(text, tt.want+"});\n") || len(got.Changes) != 1 {
				t.Fatalf("changes %+v\n%s\n%s\nwant\n%s", got.Changes, text, after, tt.want)
			}
			if strings.Index(text, "\n\n// flaketap: sends a read again") > strings.Index(text, "\n}\n\n// a test\ntest(") || strings.Contains(text, "\n\n\n") {
				t.Errorf("the function stands elsewhere:\n%s", text)
			}
			patchedTwice(t, got, "/jobs/7")
		})
	}
}

// What is asserted of an answer that is waited for is held against answers that were ready alone: what moves in these is
// weakened, and no more.
func TestAwaitedAssertions(t *testing.T) {
	other := reply(200, jsonType, `{"state":"done","total":43}`)
	src := lateSource("/jobs/7", lateMissing, latePending, lateMissing)
	text := lateHead + "    job = requests.get(f\"{BASE}/jobs/{made.json()['id']}\")\n    assert job.json()[\"state\"] == \"done\"\n    assert job.json()[\"total\"] == 42\n"
	got := string(waited(t, text, src, lateTrial(src, latePending, lateDone), lateTrial(src, latePending, other), lateTrial(src, lateMissing, lateDone)).Data)
	if !strings.Contains(got, "    assert job.json()[\"state\"] == \"done\"\n") || strings.Contains(got, "[\"total\"] == 42") || strings.Contains(got, "pending") {
		t.Error(got)
	}
	// what is drawn anew for each job is never as written, and keeps nobody from waiting for the rest
	drawn := strings.Replace(text, "== 42", "== 4711", 1)
	got = string(waited(t, drawn, src, lateTrial(src, latePending, lateDone), lateTrial(src, latePending, other)).Data)
	if !strings.Contains(got, "poll(") || !strings.Contains(got, "    assert job.json()[\"state\"] == \"done\"\n") || strings.Contains(got, "4711\n") {
		t.Error(got)
	}
	// what is written of a job under way is not waited away
	for _, way := range []string{"== 0", "is None", "== \"none\""} {
		under := strings.Replace(lateHead+"    job = requests.get(f\"{BASE}/jobs/{made.json()['id']}\")\n    assert job.status_code == 200\n    assert job.json()[\"total\"] == 42\n", "== 42", way, 1)
		if got := string(waited(t, under, src, lateTrial(src, lateMissing, latePending, lateDone)).Data); strings.Contains(got, "poll(") {
			t.Errorf("%s: %s", way, got)
		}
	}
	// nobody saw it become ready, and so nobody says that it does
	if got := string(waited(t, text, src).Data); strings.Contains(got, "poll(") {
		t.Error(got)
	}
	// it came to a bad end
	if got := string(waited(t, text, src, lateTrial(src, latePending, lateFailed)).Data); strings.Contains(got, "poll(") {
		t.Error(got)
	}
}

// That a place moved, as the map says, tells of an API that was not done yet: of a place that tells when it is, one answer
// that is ready says so; of any other, two.
func TestAwaitedPlacesMoved(t *testing.T) {
	const asserts = "    assert job.json()[\"state\"] == \"done\"\n    assert job.json()[\"owner\"] == \"ada\"\n"
	done := reply(200, jsonType, `{"state":"done","total":42,"owner":"ada"}`)
	moved := func(p exchange.Place) *mapfile.Field {
		return &mapfile.Field{Place: p, Judgement: mapfile.Jitter, Category: mapfile.Time, Changed: 2, Of: 3}
	}
	for trials, kept := range map[int][]string{1: {"state"}, 2: {"state", "owner"}} {
		src := lateSource("/jobs/7", latePending, lateMissing, lateMissing)
		src.Map = &mapfile.Map{Operations: []*mapfile.Operation{{Operation: src.Operations[2], Status: 200,
			Fields: []*mapfile.Field{moved("/body/state"), moved("/body/owner")}}}}
		all := slices.Repeat([]Trial{lateTrial(src, latePending, done)}, trials)
		got := string(waited(t, lateHead+"    job = requests.get(f\"{BASE}/jobs/{made.json()['id']}\")\n"+asserts, src, all...).Data)
		for _, name := range []string{"state", "owner"} {
			if is := strings.Contains(got, "    assert job.json()[\""+name+"\"] == \""); is != slices.Contains(kept, name) {
				t.Errorf("%d trials, %s: %t\n%s", trials, name, is, got)
			}
		}
	}
}

// A read that bears a secret in its URL is not sent again, and one that was never too early is left alone.
func TestNotAwaited(t *testing.T) {
	text := lateHead + "    job = requests.get(f\"{BASE}/jobs/7?token=abcdefgh12345678\")\n    assert job.status_code == 200\n"
	src := lateSource("/jobs/7?token=abcdefgh12345678", lateMissing, lateDone, lateDone)
	if got := string(waited(t, text, src, lateTrial(src, lateMissing, lateDone)).Data); strings.Contains(got, "poll(") {
		t.Error(got)
	}
	text = lateHead + "    job = requests.get(f\"{BASE}/jobs/7\")\n    assert job.status_code == 200\n"
	src = lateSource("/jobs/7", lateDone, lateDone, lateDone)
	if got := string(waited(t, text, src).Data); got != text {
		t.Error(got)
	}
}

// The executions say which reads came too early: by what tells of an API at work, and not by a number that moves.
func TestReads(t *testing.T) {
	for _, tt := range []struct {
		asserts string
		reads   []*exchange.Response
		early   bool
	}{
		{`assert job.status_code == 200`, []*exchange.Response{lateMissing, lateDone, lateDone}, true},
		{`assert job.json()["state"] == "done"`, []*exchange.Response{lateDone, latePending, lateDone}, true},
		{`assert job.json()["total"] == 42`, []*exchange.Response{latePending, lateDone, lateDone}, true},
		{`assert job.json()["total"] == 41`, []*exchange.Response{lateDone, lateDone, lateDone}, false},
		{`assert job.status_code == 200`, []*exchange.Response{lateDone, lateDone, lateDone}, false},
	} {
		s, err := Read("test_a.py", []byte(lateHead+"    job = requests.get(f\"{BASE}/jobs/7\")\n    "+tt.asserts+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		reads := Bind(s, lateSource("/jobs/7", tt.reads...), nil).Reads()
		if len(reads) != 1 || reads[0].Early != tt.early || reads[0].Seq != 2 {
			t.Errorf("%s: %+v", tt.asserts, reads)
		}
	}
}
