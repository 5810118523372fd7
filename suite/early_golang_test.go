package suite

import (
	"go/format"
	"strings"
	"testing"
)

const lateGoHead = `package shop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

const base = "http://a:1"

func get(t *testing.T, path string) *http.Response {
	t.Helper()
	resp, err := http.Get(base + path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func state(t *testing.T, resp *http.Response) string {
	var job map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&job); err != nil {
		t.Fatal(err)
	}
	return job["state"].(string)
}

func opened(t *testing.T, path string) map[string]any {
	resp := get(t, path)
	var job map[string]any
	json.NewDecoder(resp.Body).Decode(&job)
	return job
}

func call(t *testing.T, method, path, token string, body any, headers map[string]string) (int, map[string]any) {
	t.Helper()
	var rd io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		rd = bytes.NewReader(data)
	}
	req, err := http.NewRequest(method, base+path, rd)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var out map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, out
}

func within(ctx context.Context, t *testing.T) map[string]any {
	req, err := http.NewRequestWithContext(ctx, "GET", base+"/jobs/7", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func hurried(t *testing.T) map[string]any {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	return within(ctx, t)
}

type shop struct{ url string }

type job struct {
	State string
	Total *int
}

func (s shop) job(t *testing.T, id string) job {
	t.Helper()
	target := s.url + path("jobs", id)
	resp, err := http.DefaultClient.Get(target)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d", resp.StatusCode)
	}
	var out job
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func jobOf(id string) (*job, error) {
	resp, err := http.Get(base + path("jobs", id))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, errors.New(resp.Status)
	}
	var out job
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		return nil, err
	}
	return &out, nil
}

func path(of, id string) string { return "/" + of + "/" + id }

func (s shop) here(t *testing.T) job {
	s.url = base
	return s.job(t, "7")
}

func next(t *testing.T) string {
	opened(t, "/next")
	return "/jobs/7"
}

// The shop needs a moment.
func TestJob(t *testing.T) {
	made, err := http.Post(base+"/jobs", "application/json", strings.NewReader(` + "`" + `{"of":"tea"}` + "`" + `))
	if err != nil {
		t.Fatal(err)
	}
	defer made.Body.Close()
`

// A read that came too early is sent again in Go too.
func TestAwaitGo(t *testing.T) {
	const testify = "\n\n\t\"github.com/stretchr/testify/assert\"\n)"
	const asserts = "\tif job.StatusCode != 200 {\n\t\tt.Fatal(job.Status)\n\t}\n\tif got := state(t, job); got != \"done\" {\n\t\tt.Error(got)\n\t}\n"
	comment := strings.Replace(strings.Replace(latePoll, "    #", "\t//", 1), "# ", "// ", 1)
	args := func(read string) string {
		return "pollA(t, 2100*time.Millisecond, 20*time.Millisecond,\n\t\tfunc() (*http.Response, error) { return " + read + " },\n" +
			"\t\tfunc(status int, body func(path ...any) any) bool { return status == 200 && body(\"state\") == \"done\" },\n" +
			"\t\tfunc(status int, body func(path ...any) any) bool { return body(\"state\") == \"failed\" })"
	}
	done := func(call string) string {
		return "\tstatus, job := " + call + "\n\tif status != 200 || job[\"state\"] != \"done\" {\n\t\tt.Error(job)\n\t}\n"
	}
	sent := func(request, sets string) string {
		sends := "\n\t\t\treq, err := http." + request + "\"GET\", base+\"/jobs/7\", nil)\n\t\t\tif err != nil {\n\t\t\t\treturn nil, err\n\t\t\t}\n" +
			sets + "\t\t\treturn http.DefaultClient.Do(req)\n\t\t"
		return comment + "\t_, _ = " + strings.Replace(args("READ"), " return READ ", sends, 1) + "\n"
	}
	requested := func(sets string) string {
		return sent("NewRequest(", "\t\t\treq.Header.Set(\"Accept\", \"application/json\")\n"+sets)
	}
	state := func(call string) string {
		return "\tjob := " + call + "\n\tif job[\"state\"] != \"done\" {\n\t\tt.Error(job)\n\t}\n"
	}
	const direct, checked = "http.Get(base + \"/jobs/7\")", "\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n"
	for _, tt := range []struct{ name, body, want string }{
		{"at once", "\tjob, err := " + direct + "\n" + checked + asserts, comment + "\tjob, err := " + args(direct) + "\n" + checked + asserts},
		{"behind a sleep", "\n\ttime.Sleep(300 * time.Millisecond) // hm\n\n\tjob, err := " + direct + "\n" + checked + asserts,
			"\n" + comment + "\tjob, err := " + args(direct) + "\n" + checked + asserts},
		{"by a function", "\tjob := get(t, \"/jobs/7\")\n" + asserts, comment + "\tjob, _ := " + args("get(t, \"/jobs/7\"), nil") + "\n" + asserts},
		{"that looks into it first", "\tjob := opened(t, \"/jobs/7\")\n\tif job[\"state\"] != \"done\" {\n\t\tt.Error(job)\n\t}\n",
			comment + "\t_, _ = " + args(direct) + "\n\tjob := opened(t, \"/jobs/7\")\n\tif job[\"state\"] != \"done\" {\n\t\tt.Error(job)\n\t}\n"},
		{"by a request of its own", done(`call(t, "GET", "/jobs/7", "", nil, nil)`), requested("") + done(`call(t, "GET", "/jobs/7", "", nil, nil)`)},
		{"by a request of its own, with a header", "\ttoken := made.Header.Get(\"Token\")\n" + done(`call(t, "GET", "/jobs/7", token, nil, nil)`),
			"\ttoken := made.Header.Get(\"Token\")\n" + requested("\t\t\tif token != \"\" {\n\t\t\t\treq.Header.Set(\"Authorization\", \"Bearer \"+token)\n\t\t\t}\n") +
				done(`call(t, "GET", "/jobs/7", token, nil, nil)`)},
		{"by a request with headers that are not written out", done(`call(t, "GET", "/jobs/7", "", nil, map[string]string{"A": "b"})`), ""},
		{"by a request with a context", state("within(t.Context(), t)"), sent("NewRequestWithContext(t.Context(), ", "") + state("within(t.Context(), t)")},
		{"by a request with one of the test's own", "\tctx := context.WithoutCancel(t.Context())\n" + state("within(ctx, t)"),
			"\tctx := context.WithoutCancel(t.Context())\n" + sent("NewRequestWithContext(ctx, ", "") + state("within(ctx, t)")},
		{"by a request with a context that ends with it", state("hurried(t)"), ""},
		{"by a request with a body", done(`call(t, "GET", "/jobs/7", "", 7, nil)`), ""},
		{"in an assertion", "\tif got := state(t, get(t, \"/jobs/7\")); got != \"done\" {\n\t\tt.Error(got)\n\t}\n",
			comment + "\tanswer2, _ := " + args("get(t, \"/jobs/7\"), nil") + "\n\tif got := state(t, answer2); got != \"done\" {\n\t\tt.Error(got)\n\t}\n"},
		{"in the head of an if", "\tif job, err := " + direct + "; err != nil {\n\t\tt.Fatal(err)\n\t} else if job.StatusCode != 200 {\n\t\tt.Error(job.Status)\n\t}\n", ""},
		{"that is an if", "\tif got := opened(t, \"/jobs/7\")[\"state\"]; got != \"done\" {\n\t\tt.Error(got)\n\t}\n",
			comment + "\t_, _ = " + args(direct) + "\n\tif got := opened(t, \"/jobs/7\")[\"state\"]; got != \"done\" {\n\t\tt.Error(got)\n\t}\n"},
		{"in the condition of an if", "\tif opened(t, \"/jobs/7\")[\"state\"] != \"done\" {\n\t\tt.Error(\"not done\")\n\t}\n",
			comment + "\t_, _ = " + args(direct) + "\n\tif opened(t, \"/jobs/7\")[\"state\"] != \"done\" {\n\t\tt.Error(\"not done\")\n\t}\n"},
		{"in the condition of one by a function", "\tif get(t, \"/jobs/7\").StatusCode != 200 {\n\t\tt.Error(\"not there\")\n\t}\n",
			comment + "\tanswer2, _ := " + args("get(t, \"/jobs/7\"), nil") + "\n\tif answer2.StatusCode != 200 {\n\t\tt.Error(\"not there\")\n\t}\n"},
		{"with an error in the head of an if", "\tif job, err := " + direct + "; err != nil || job.StatusCode != 200 {\n\t\tt.Error(err)\n\t}\n",
			comment + "\tif job, err := " + args(direct) + "; err != nil || job.StatusCode != 200 {\n\t\tt.Error(err)\n\t}\n"},
		{"within testify's words", "\tassert.Equal(t, \"done\", shop{base}.job(t, \"7\").State)\n", ""},
		{"by a method", "\ts := shop{url: base}\n\ttime.Sleep(time.Second)\n\tassert.Equal(t, \"done\", s.job(t, \"7\").State)\n",
			"\ts := shop{url: base}\n" + comment + "\t_, _ = " + args("http.DefaultClient.Get(s.url + path(\"jobs\", \"7\"))") + "\n\tassert.Equal(t, \"done\", s.job(t, \"7\").State)\n"},
		{"by a function that returns an error", "\tgot, err := jobOf(\"7\")\n" + checked + "\tif got.State != \"done\" {\n\t\tt.Error(got)\n\t}\n",
			comment + "\t_, _ = " + args("http.Get(base + path(\"jobs\", \"7\"))") + "\n\tgot, err := jobOf(\"7\")\n" + checked + "\tif got.State != \"done\" {\n\t\tt.Error(got)\n\t}\n"},
		{"by one with testify's words", "\tgot, err := jobOf(\"7\")\n\trequire.NoError(t, err)\n\trequire.Equal(t, \"done\", got.State)\n",
			comment + "\t_, _ = " + args("http.Get(base + path(\"jobs\", \"7\"))") + "\n\tgot, err := jobOf(\"7\")\n\trequire.NoError(t, err)\n\trequire.Equal(t, \"done\", got.State)\n"},
		{"by one in the head of an if", "\tif got, err := jobOf(\"7\"); err != nil || got.State != \"done\" {\n\t\tt.Error(err)\n\t}\n",
			comment + "\t_, _ = " + args("http.Get(base + path(\"jobs\", \"7\"))") + "\n\tif got, err := jobOf(\"7\"); err != nil || got.State != \"done\" {\n\t\tt.Error(err)\n\t}\n"},
		{"by one of which an error is wanted", "\tgot, err := jobOf(\"7\")\n\trequire.Error(t, err)\n\trequire.Equal(t, \"done\", got.State)\n", ""},
		{"by one that is to fail", "\tgot, err := jobOf(\"7\")\n\tif err == nil {\n\t\tt.Error(got)\n\t}\n\tif got.State != \"done\" {\n\t\tt.Error(got)\n\t}\n", ""},
		{"by one of which some errors may be", "\tgot, err := jobOf(\"7\")\n\tif err != nil && !isMissing(err) {\n\t\tt.Fatal(err)\n\t}\n\tif got.State != \"done\" {\n\t\tt.Error(got)\n\t}\n", ""},
		{"by one of which some kind may be", "\tgot, err := jobOf(\"7\")\n\tif _, fine := err.(missing); err != nil && !fine {\n\t\tt.Fatal(err)\n\t}\n\tif got.State != \"done\" {\n\t\tt.Error(got)\n\t}\n", ""},
		{"by one whose words are asked", "\tgot, err := jobOf(\"7\")\n\tif err != nil && !strings.Contains(err.Error(), \"404\") {\n\t\tt.Fatal(err)\n\t}\n\tif got.State != \"done\" {\n\t\tt.Error(got)\n\t}\n", ""},
		{"by a method of what it changes", "\ts := shop{url: \"http://b:1\"}\n\tassert.Equal(t, \"done\", s.here(t).State)\n", ""},
		{"by what sends another one", "\tif got := opened(t, next(t))[\"state\"]; got != \"done\" {\n\t\tt.Error(got)\n\t}\n", ""},
		{"by what is declared there", "\tif at := \"/jobs/7\"; opened(t, at)[\"state\"] != \"done\" {\n\t\tt.Error(at)\n\t}\n", ""},
		{"behind a condition", "\tif made.StatusCode == 500 || opened(t, \"/jobs/7\")[\"state\"] != \"done\" {\n\t\tt.Error(made.Status)\n\t}\n", ""},
		{"that something else calls", "\trequire.Eventually(t, func() bool { return opened(t, \"/jobs/7\")[\"state\"] == \"done\" }, time.Second, time.Millisecond)\n", ""},
		{"of which a part is taken", "\tgot := state(t, get(t, \"/jobs/7\"))\n\tif got != \"done\" {\n\t\tt.Error(got)\n\t}\n",
			comment + "\tanswer2, _ := " + args("get(t, \"/jobs/7\"), nil") + "\n\tgot := state(t, answer2)\n\tif got != \"done\" {\n\t\tt.Error(got)\n\t}\n"},
		{"under a condition", "\tif made.StatusCode == 202 {\n\t\tjob := get(t, \"/jobs/7\")\n\t" + strings.ReplaceAll(asserts, "\n\t", "\n\t\t") + "\t}\n", ""},
		{"that expects it to be under way", "\tjob := get(t, \"/jobs/7\")\n\tif got := state(t, job); got != \"pending\" {\n\t\tt.Error(got)\n\t}\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := lateSource("/jobs/7", lateMissing, lateDone, latePending)
			trials := []Trial{lateTrial(src, lateMissing, latePending, lateDone), lateTrial(src, lateMissing, lateDone)}
			before := lateGoHead + tt.body + "}\n"
			if !strings.Contains(tt.body, "time.") {
				before = strings.Replace(before, "\t\"time\"\n", "", 1)
			}
			for _, pkg := range []string{"assert", "require"} {
				if strings.Contains(tt.body, pkg+".") {
					before = strings.Replace(before, "\n)", strings.Replace(testify, "assert", pkg, 1), 1)
				}
			}
			got := waited(t, before, src, trials...)
			text := string(got.Data)
			if tt.want == "" {
				if strings.Contains(text, "pollA(") {
					t.Error(text)
				}
				return
			}
			body, helper, _ := strings.Cut(text, "\n// flaketap: sends a read again")
			_, body, _ = strings.Cut(body, "defer made.Body.Close()\n")
			if body != tt.want+"}\n" || len(got.Changes) != 1 || helper == "" {
				t.Fatalf("changes %+v\n%s\nwant\n%s", got.Changes, text, tt.want)
			}
			if laid, err := format.Source(got.Data); err != nil || string(laid) != text {
				t.Errorf("not as gofmt lays it out: %v\n%s", err, text)
			}
			patchedTwice(t, got, "/jobs/7")
		})
	}
}
