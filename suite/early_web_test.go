package suite

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/waits/settle"
)

const (
	hurlMade    = "POST http://a:1/jobs\nContent-Type: application/json\n{\"of\":\"tea\"}\nHTTP 202\n[Captures]\nid: jsonpath \"$.id\"\n\n"
	hurlRead    = "GET http://a:1/jobs/{{id}}\n"
	hurlRetry   = "retry: 105\nretry-interval: 20ms\n"
	hurlComment = "# flaketap: the API was ready 204ms after the write, 410ms at most, in 9 reads\n"
	hurlDone    = "jsonpath \"$.state\" == \"done\"\n"
)

// An entry of Hurl's that came too early is sent behind one that is sent again until the API is ready, or at a bad end.
func TestAwaitHurl(t *testing.T) {
	const ends = "HTTP *\n[Asserts]\njsonpath \"$.state\" matches /^(?:done|failed)$/\n\n"
	const plain = hurlComment + hurlRead + "[Options]\n" + hurlRetry + ends
	const query = "Accept: */*\n# all\n[Query]\na: 1\n"
	for _, tt := range []struct{ name, read, want string }{
		{"at once", hurlRead + "HTTP 200\n[Asserts]\n" + hurlDone, plain + hurlRead + "HTTP 200\n[Asserts]\n" + hurlDone},
		{"the last entry, without an end", hurlRead + "HTTP 200", ""},
		{"with a header", hurlRead + query + "HTTP 200\n[Asserts]\n" + hurlDone,
			hurlComment + hurlRead + "Accept: */*\n[Options]\n" + hurlRetry + "[Query]\na: 1\n" + ends + hurlRead + query + "HTTP 200\n[Asserts]\n" + hurlDone},
		{"with a delay", "# read\n" + hurlRead + "[Options]\nverbose: true\ndelay: 300ms\nHTTP 200\n[Asserts]\n" + hurlDone,
			"# read\n" + hurlComment + hurlRead + "[Options]\n" + hurlRetry + "verbose: true\n" + ends + hurlRead + "[Options]\nverbose: true\nHTTP 200\n[Asserts]\n" + hurlDone},
		{"with a delay alone", hurlRead + "[Options]\ndelay: 300ms\nHTTP 200\n[Asserts]\n" + hurlDone, plain + hurlRead + "HTTP 200\n[Asserts]\n" + hurlDone},
		{"of which the status alone is asserted", hurlRead + "HTTP 200\nContent-Type: application/json\n\nGET http://a:1/none\nHTTP *\n",
			plain + hurlRead + "HTTP 200\nContent-Type: application/json\n[Asserts]\n" + hurlDone + "\nGET http://a:1/none\nHTTP *\n"},
		{"sent again already", hurlRead + "[Options]\nretry: 5\nHTTP 200\n[Asserts]\n" + hurlDone, ""},
		{"that expects it to be under way", hurlRead + "HTTP 200\n[Asserts]\njsonpath \"$.state\" == \"pending\"\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) { awaitedHurl(t, lateOracle(), tt.read, tt.want) })
	}
}

// Where no bad end is known, or it is told elsewhere, the entry itself is sent again until it is as it asserts.
func TestAwaitHurlItself(t *testing.T) {
	read := func(options string) string { return hurlRead + options + "HTTP 200\n[Asserts]\n" + hurlDone }
	for _, vain := range [][]settle.Value{nil, {{Place: "/body/error", JSON: `"mud"`, Type: settle.String}}} {
		o := lateOracle()
		o.InVain = vain
		awaitedHurl(t, o, read(""), hurlComment+read("[Options]\n"+hurlRetry))
		awaitedHurl(t, o, read("[Options]\ndelay: 300ms\n"), hurlComment+read("[Options]\n"+hurlRetry))
	}
}

// awaitedHurl wants an entry to come to wait for an oracle, once.
func awaitedHurl(t *testing.T, o *settle.Oracle, read, want string) {
	t.Helper()
	target := "/jobs/7"
	if strings.Contains(read, "[Query]") {
		target += "?a=1"
	}
	src := lateSource(target, lateMissing, lateDone, latePending)
	trials := []Trial{lateTrial(src, lateMissing, latePending, lateDone), lateTrial(src, lateMissing, lateDone)}
	got := waitedFor(t, o, hurlMade+read, src, trials...)
	text := string(got.Data)
	if want == "" {
		if strings.Count(text, "retry: ") > strings.Count(read, "retry: ") {
			t.Error(text)
		}
		return
	}
	if text != hurlMade+want || len(got.Changes) != 1 {
		t.Fatalf("changes %+v\n%s\nwant\n%s", got.Changes, text, want)
	}
	patchedTwice(t, got, target)
}

// So is a request of Postman's, by its script.
func TestAwaitPostman(t *testing.T) {
	const head = `{
	"info": { "name": "jobs", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
	"item": [
		{
			"name": "make",
			"event": [{ "listen": "test", "script": { "exec": ["pm.collectionVariables.set(\"id\", pm.response.json().id);"] } }],
			"request": { "method": "POST", "body": { "mode": "raw", "raw": "{\"of\":\"tea\"}" }, "url": "http://a:1/jobs" }
		},
		{
			"name": "read",
			"event": [
				{ "listen": "prerequest", "script": { "exec": [BEFORE] } },
				{
					"listen": "test",
					"script": {
						"exec": [
							`
	const end = `
						]
					}
				}
			],
			"request": "http://a:1/jobs/{{id}}"
		}
	]
}
`
	const asserts = "\"const job = pm.response.json();\",\n\t\t\t\t\t\t\t\"pm.test(\\\"done\\\", () => { pm.expect(job.state).to.eql(\\\"done\\\"); });\""
	for _, tt := range []struct{ name, before, after, body string }{
		{"at once", "", "", asserts},
		{"behind a pause", `"setTimeout(() => {}, 300);"`, "", asserts},
		{"behind a pause and more", `"console.log(1);", "setTimeout(() => {}, 300);"`, `"console.log(1);"`, asserts},
		{"that expects it to be under way", "", "", strings.ReplaceAll(asserts, "done", "pending")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := lateSource("/jobs/7", lateMissing, lateDone, latePending)
			trials := []Trial{lateTrial(src, lateMissing, latePending, lateDone), lateTrial(src, lateMissing, lateDone)}
			file := func(before, body string) string { return strings.Replace(head, "BEFORE", before, 1) + body + end }
			got := waited(t, file(tt.before, tt.body), src, trials...)
			text := string(got.Data)
			if strings.Contains(tt.body, "pending") {
				if strings.Contains(text, "setNextRequest") {
					t.Error(text)
				}
				return
			}
			before, after, _ := strings.Cut(file(tt.after, tt.body), asserts)
			written, whole := strings.CutPrefix(text, before)
			written, ends := strings.CutSuffix(written, asserts+after)
			if !whole || !ends || len(got.Changes) != 1 || !strings.HasPrefix(written, "\"// flaketap: the API was ready 204ms after") ||
				!strings.Contains(written, `"  const ready = pm.response.code === 200 && body?.state === \"done\";",`) {
				t.Fatalf("changes %+v\n%s", got.Changes, text)
			}
			patchedTwice(t, got, "/jobs/7")
		})
	}
}

// So are reads in TypeScript, by a function with types.
func TestAwaitTypeScript(t *testing.T) {
	comment := strings.Replace(strings.Replace(latePoll, "    #", "  //", 1), "# ", "// ", 1)
	const args = "    ready: (status, body) => status === 200 && body?.state === \"done\",\n    failed: (status, body) => body?.state === \"failed\",\n    seconds: 2.1,\n    every: 0.02,\n  });\n"
	const posted = "  await request(BASE).post(\"/jobs\").send({ of: \"tea\" });\n"
	const fetched = "  await fetch(`${BASE}/jobs`, { method: \"POST\", body: JSON.stringify({ of: \"tea\" }) });\n"
	const asserts = "  expect(job.status).toBe(200);\n  const body = await job.json();\n  expect(body.state).toBe(\"done\");\n"
	for _, tt := range []struct{ name, head, body, want, typed string }{
		{"fetch", "const BASE: string = \"http://a:1\";\n", fetched + "  const job = await fetch(`${BASE}/jobs/7`);\n" + asserts,
			fetched + comment + "  const job = await poll(() => fetch(`${BASE}/jobs/7`), {\n" + args + asserts, "async function poll<T extends Response>(\n  send: () => Promise<T>,\n"},
		{"supertest", "import request from \"supertest\";\n\nconst BASE: string = \"http://a:1\";\n",
			posted + "  const job = await request(BASE).get(\"/jobs/7\");\n  expect(job.body.state).toBe(\"done\");\n",
			posted + comment + "  const job = await poll(() => request(BASE).get(\"/jobs/7\"), {\n" + args + "  expect(job.body.state).toBe(\"done\");\n",
			"async function poll<T extends { status: number; body: any }>(\n  send: () => PromiseLike<T>,\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := lateSource("/jobs/7", lateMissing, lateDone, latePending)
			trials := []Trial{lateTrial(src, lateMissing, latePending, lateDone), lateTrial(src, lateMissing, lateDone)}
			got := waited(t, tt.head+"\ntest(\"job\", async () => {\n"+tt.body+"});\n", src, trials...)
			text := string(got.Data)
			if _, body, _ := strings.Cut(text, "test(\"job\", async () => {\n"); body != tt.want+"});\n" || len(got.Changes) != 1 ||
				!strings.Contains(text, "// flaketap: sends a read again until the API is ready\n"+tt.typed) {
				t.Fatalf("changes %+v\n%s\nwant\n%s", got.Changes, text, tt.want)
			}
			patchedTwice(t, got, "/jobs/7")
		})
	}
}
