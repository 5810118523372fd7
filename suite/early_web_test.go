package suite

import (
	"strings"
	"testing"
)

// An entry of Hurl's that came too early is sent again until it is as the API is when it is ready.
func TestAwaitHurl(t *testing.T) {
	const made = "POST http://a:1/jobs\nContent-Type: application/json\n{\"of\":\"tea\"}\nHTTP 202\n[Captures]\nid: jsonpath \"$.id\"\n\n"
	comment := strings.TrimPrefix(latePoll, "    ")
	const retry = "retry: 105\nretry-interval: 20ms\n"
	const done = "jsonpath \"$.state\" == \"done\"\n"
	for _, tt := range []struct{ name, read, want string }{
		{"at once", "GET http://a:1/jobs/{{id}}\nHTTP 200\n[Asserts]\n" + done, comment + "GET http://a:1/jobs/{{id}}\n[Options]\n" + retry + "HTTP 200\n[Asserts]\n" + done},
		{"the last entry, without an end", "GET http://a:1/jobs/{{id}}\nHTTP 200", ""},
		{"with a header", "GET http://a:1/jobs/{{id}}\nAccept: */*\n[Query]\na: 1\nHTTP 200\n[Asserts]\n" + done,
			comment + "GET http://a:1/jobs/{{id}}\nAccept: */*\n[Options]\n" + retry + "[Query]\na: 1\nHTTP 200\n[Asserts]\n" + done},
		{"with a delay", "GET http://a:1/jobs/{{id}}\n[Options]\nverbose: true\ndelay: 300ms\nHTTP 200\n[Asserts]\n" + done,
			comment + "GET http://a:1/jobs/{{id}}\n[Options]\n" + retry + "verbose: true\nHTTP 200\n[Asserts]\n" + done},
		{"of which the status alone is asserted", "GET http://a:1/jobs/{{id}}\nHTTP 200\nContent-Type: application/json\n\nGET http://a:1/none\nHTTP *\n",
			comment + "GET http://a:1/jobs/{{id}}\n[Options]\n" + retry + "HTTP 200\nContent-Type: application/json\n[Asserts]\n" + done + "\nGET http://a:1/none\nHTTP *\n"},
		{"sent again already", "GET http://a:1/jobs/{{id}}\n[Options]\nretry: 5\nHTTP 200\n[Asserts]\n" + done, ""},
		{"that expects it to be under way", "GET http://a:1/jobs/{{id}}\nHTTP 200\n[Asserts]\njsonpath \"$.state\" == \"pending\"\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			target := "/jobs/7"
			if strings.Contains(tt.read, "[Query]") {
				target += "?a=1"
			}
			src := lateSource(target, lateMissing, lateDone, latePending)
			trials := []Trial{lateTrial(src, lateMissing, latePending, lateDone), lateTrial(src, lateMissing, lateDone)}
			got := waited(t, made+tt.read, src, trials...)
			text := string(got.Data)
			if tt.want == "" {
				if strings.Count(text, "retry: ") > strings.Count(tt.read, "retry: ") {
					t.Error(text)
				}
				return
			}
			if text != made+tt.want || len(got.Changes) != 1 {
				t.Fatalf("changes %+v\n%s\nwant\n%s", got.Changes, text, tt.want)
			}
			patchedTwice(t, got, target)
		})
	}
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
