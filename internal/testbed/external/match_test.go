package external

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// label reads a label as labels.json has it.
func label(t *testing.T, text string) *Label {
	t.Helper()
	l := &Label{}
	if err := json.Unmarshal([]byte(text), l); err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLabelMatchesOutcome(t *testing.T) {
	seen := Outcome{
		Request: 2, Status: 200, Header: http.Header{"Retry-After": {"30"}}, Duration: 2 * time.Second,
		Body: []byte(`{"a": {"b/c": [1, null, "x"]}, "n": null, "t": "at main.go:12"}`),
		Calls: []Call{
			{Method: "GET", Host: "one.example:8080", Path: "/x?page=1", Status: 503},
			{Method: "GET", Host: "One.example", Path: "/x?page=1", Status: 200},
			{Method: "POST", Host: "192.0.2.1:81", Path: "/y"},
		},
	}
	for _, c := range []struct {
		name, label string
		want        bool
	}{
		{"the request alone", `{"request": 2}`, true},
		{"one of the requests", `{"request": [1, 2]}`, true},
		{"another request", `{"request": 1}`, false},
		{"the status", `{"request": 2, "status": 200}`, true},
		{"one of the statuses", `{"request": 2, "status": [201, 200]}`, true},
		{"another status", `{"request": 2, "status": [201, 202]}`, false},
		{"a header", `{"request": 2, "headers": [{"name": "retry-after", "matches": "^[0-9]+$"}]}`, true},
		{"a header that is otherwise", `{"request": 2, "headers": [{"name": "retry-after", "matches": "^1$"}]}`, false},
		{"a header that is not there", `{"request": 2, "headers": [{"name": "etag", "matches": ""}]}`, false},
		{"a number", `{"request": 2, "body": [{"pointer": "/a/b~1c/0", "equals": 1.0}]}`, true},
		{"another number", `{"request": 2, "body": [{"pointer": "/a/b~1c/0", "equals": 2}]}`, false},
		{"null", `{"request": 2, "body": [{"pointer": "/n", "equals": null}]}`, true},
		{"no null", `{"request": 2, "body": [{"pointer": "/t", "equals": null}]}`, false},
		{"null is there", `{"request": 2, "body": [{"pointer": "/n", "absent": true}]}`, false},
		{"absent", `{"request": 2, "body": [{"pointer": "/a/b~1c/3", "absent": true}]}`, true},
		{"absent below a text", `{"request": 2, "body": [{"pointer": "/t/u", "absent": true}]}`, true},
		{"not", `{"request": 2, "body": [{"pointer": "/t", "not": [1, "x"]}]}`, true},
		{"not, and it is", `{"request": 2, "body": [{"pointer": "/a/b~1c/2", "not": [1, "x"]}]}`, false},
		{"not, and it is not there", `{"request": 2, "body": [{"pointer": "/z", "not": [1]}]}`, false},
		{"matches a text", `{"request": 2, "body": [{"pointer": "/t", "matches": "main\\.go"}]}`, true},
		{"matches a number", `{"request": 2, "body": [{"pointer": "/a/b~1c/0", "matches": "^1$"}]}`, true},
		{"matches nothing that is there", `{"request": 2, "body": [{"pointer": "/z", "matches": ""}]}`, false},
		{"matches the whole body", `{"request": 2, "body": [{"pointer": "", "matches": "at main"}]}`, true},
		{"a call", `{"request": 2, "calls": [{"host": "one.example", "path": "^/x"}]}`, true},
		{"no such call", `{"request": 2, "calls": [{"host": "one.example", "path": "^/y"}]}`, false},
		{"a call by another method", `{"request": 2, "calls": [{"host": "one.example", "method": "POST"}]}`, false},
		{"enough calls", `{"request": 2, "calls": [{"host": "one.example", "min": 2}]}`, true},
		{"too few calls", `{"request": 2, "calls": [{"host": "one.example", "min": 3}]}`, false},
		{"too many calls", `{"request": 2, "calls": [{"host": "one.example", "max": 1}]}`, false},
		{"no call", `{"request": 2, "calls": [{"host": "one.example", "path": "page=2", "max": 0}]}`, true},
		{"a call answered so", `{"request": 2, "calls": [{"host": "one.example", "answered": {"status": 503}, "max": 1, "min": 1}]}`, true},
		{"a call answered otherwise", `{"request": 2, "calls": [{"host": "one.example", "answered": {"status": [404]}}]}`, false},
		{"a call that failed", `{"request": 2, "calls": [{"host": "192.0.2.1", "answered": {"fault": true}}]}`, true},
		{"no call that failed", `{"request": 2, "calls": [{"host": "one.example", "answered": {"fault": true}}]}`, false},
		{"slow enough", `{"request": 2, "hangs": 2}`, true},
		{"too quick", `{"request": 2, "hangs": 3}`, false},
	} {
		if got := label(t, c.label).Matches(&seen); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// What hangs need not have been waited for; where there is no body, nothing can be said of it but that it is not JSON.
func TestLabelMatchesNoAnswer(t *testing.T) {
	hung := Outcome{Hang: true, Duration: time.Second}
	for text, want := range map[string]bool{
		`{"request": 0, "hangs": 60}`:                                       true,
		`{"request": 0, "status": 200}`:                                     false,
		`{"request": 0, "body": [{"pointer": "/a", "absent": true}]}`:       true,
		`{"request": 0, "body": [{"pointer": "", "equals": null}]}`:         false,
		`{"request": 0, "body": [{"pointer": "", "matches": "^$"}]}`:        true,
		`{"request": 0, "body": [{"pointer": "/a/b", "not": ["a", null]}]}`: false,
	} {
		if got := label(t, text).Matches(&hung); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestScore(t *testing.T) {
	l := &Labels{
		Behaviors: []Label{*label(t, `{"id": "ok", "request": 0, "status": 200}`), *label(t, `{"id": "gone", "request": 1, "status": 404}`)},
		Bugs:      []Label{*label(t, `{"id": "crash", "kind": "crash", "request": 0, "status": 500}`), *label(t, `{"id": "hang", "kind": "hang", "request": 0, "hangs": 3}`)},
	}
	got := l.Score([]Outcome{
		{Request: 0, Status: 200}, {Request: 0, Status: 500}, {Request: 1, Status: 500}, {Request: 0, Status: 200},
		{Request: 1, Hang: true}, {Request: 1, Status: 503},
	})
	want := Score{
		Behaviors:  Reached{Found: []string{"ok"}, Missed: []string{"gone"}},
		Bugs:       Reached{Found: []string{"crash"}, Missed: []string{"hang"}},
		Unlabelled: []int{2, 4},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if share := got.Bugs.Share(); share != 0.5 {
		t.Errorf("a share of %v", share)
	}
	if share := (Reached{}).Share(); share != 1 {
		t.Errorf("a share of nothing that is %v", share)
	}
}

func TestLoadRefuses(t *testing.T) {
	const services = `"services": [{"name": "a", "scheme": "http", "host": "a.example", "port": 80, "fields": []}], `
	for _, c := range []struct{ name, labels, want string }{
		{"a member that nobody knows", `{"behaviours": []}`, "unknown field"},
		{"a wrong expression", `{"behaviors": [{"id": "x", "request": 0, "body": [{"pointer": "", "matches": "("}]}]}`, "missing closing"},
		{"no id", `{"behaviors": [{"request": 0, "status": 200}]}`, "empty or used twice"},
		{"an id twice", `{"behaviors": [{"id": "x", "request": 0, "status": 200}, {"id": "x", "request": 0, "status": 201}]}`, "used twice"},
		{"a bug without a kind", `{"bugs": [{"id": "x", "request": 0, "status": 500}]}`, "the kind"},
		{"a behavior with a kind", `{"behaviors": [{"id": "x", "kind": "crash", "request": 0, "status": 500}]}`, "the kind"},
		{"no request", `{"behaviors": [{"id": "x", "status": 200}]}`, "no request shows it"},
		{"a request that there is not", `{"behaviors": [{"id": "x", "request": [0, 1], "status": 200}]}`, "there is no request 1"},
		{"one before that there is not", `{"behaviors": [{"id": "x", "request": 0, "after": [-1], "status": 200}]}`, "there is no request -1"},
		{"nothing that tells it", `{"behaviors": [{"id": "x", "request": 0}]}`, "nothing tells it"},
		{"a host of no service", `{` + services + `"behaviors": [{"id": "x", "request": 0, "calls": [{"host": "b.example"}]}]}`, "no host of a service"},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"labels.json": c.labels, "requests.json": `[{"method": "GET", "path": "/"}]`} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
