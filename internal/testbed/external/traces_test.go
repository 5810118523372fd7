package external

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each API has its traces, of fields that have labels; each field has one for some request.
func TestTracesAreOfLabelledFields(t *testing.T) {
	for _, a := range APIs() {
		dir := filepath.Join("testdata", a.Name)
		traces, err := ReadTraces(dir)
		if err != nil {
			t.Error(err)
			continue
		}
		labels, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		traced := map[string]bool{}
		for _, trace := range traces {
			traced[trace.Host+" "+trace.Call+trace.Pointer] = true
		}
		for _, s := range labels.Services {
			for _, f := range s.Fields {
				if !traced[s.Host+" "+f.Call+f.Pointer] {
					t.Errorf("%s: no trace says what comes of %s %s", a.Name, f.Call, f.Pointer)
				}
			}
		}
		if len(traced) == 0 {
			t.Errorf("%s: there are no traces", a.Name)
		}
	}
}

func TestReadTracesRefuses(t *testing.T) {
	const field = `"request": 0, "host": "a.example", "call": "GET /x", "pointer": "/n"`
	for _, c := range []struct{ name, traces, want string }{
		{"nothing wrong", `{` + field + `, "surfaces": []}`, ""},
		{"nothing wrong with places", `{` + field + `, "how": "copied", "surfaces": [{"in": "status", "given": "odd"},
			{"in": "answer", "pointer": "/a~1b/*"}, {"in": "call", "call": "POST /y/{id}", "host": "a.example"}]}`, ""},
		{"a member that nobody knows", `{` + field + `, "surface": []}`, "unknown field"},
		{"a request that there is not", `{"request": 1}`, "there is no request 1"},
		{"a host of no service", `{"host": "b.example", "call": "GET /x", "pointer": "/n"}`, "b.example is no host"},
		{"a field without a label", `{"host": "a.example", "call": "GET /x", "pointer": "/m"}`, "is no field"},
		{"a field twice", `{` + field + `}, {` + field + `}`, "twice"},
		{"no place, yet a way", `{` + field + `, "how": "copied"}`, "in 0 places"},
		{"a place, and no way", `{` + field + `, "surfaces": [{"in": "status"}]}`, `how is ""`},
		{"a place twice", `{` + field + `, "how": "decides", "surfaces": [{"in": "status"}, {"in": "status"}]}`, "twice"},
		{"no pointer", `{` + field + `, "how": "copied", "surfaces": [{"in": "answer", "pointer": "a"}]}`, "no place of an answer"},
		{"a wrong escape", `{` + field + `, "how": "copied", "surfaces": [{"in": "answer", "pointer": "/~2"}]}`, "no place of an answer"},
		{"a status with a place", `{` + field + `, "how": "copied", "surfaces": [{"in": "status", "pointer": "/a"}]}`, "no status"},
		{"a call without a path", `{` + field + `, "how": "copied", "surfaces": [{"in": "call", "call": "GET", "host": "a.example"}]}`, "no call"},
		{"a call of no service", `{` + field + `, "how": "copied", "surfaces": [{"in": "call", "call": "GET /y", "host": "b.example"}]}`, "b.example is no host"},
		{"a need that there is not", `{` + field + `, "how": "copied", "surfaces": [{"in": "status", "given": "luck"}]}`, "luck"},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"labels.json": `{"services": [{"name": "a", "scheme": "http", "host": "a.example", "port": 80, "fields": [
				{"call": "GET /x", "pointer": "/n", "type": "number"}]}]}`,
			"requests.json": `[{"method": "GET", "path": "/"}]`,
			"traces.json":   `[` + c.traces + `]`,
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		traces, err := ReadTraces(dir)
		if c.want == "" && (err != nil || len(traces) != 1) {
			t.Errorf("%s: %v, %v", c.name, traces, err)
		} else if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
