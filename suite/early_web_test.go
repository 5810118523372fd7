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
			again := waited(t, text, lateSource(target, lateDone, lateDone, lateDone))
			if string(again.Data) != text || len(again.Unknown) > len(got.Unknown) {
				t.Errorf("patched twice: %+v\n%s", again.Unknown, again.Data)
			}
		})
	}
}
