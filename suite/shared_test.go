package suite

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
)

// sharedCase is a function that two tests call, each of which asks for one path.
type sharedCase struct {
	name, function, first, second string
	// the answers to both: the body, or the status before it ("503 {}"), of two executions
	answers [2][2]string
	want    string // the function, without comments
}

// What a function that tests share asserts is weakened to what is true of all of its uses; what it is given to expect
// is expected still of the others.
func TestSharedAssertionsInPython(t *testing.T) {
	const steady = `{"n":1,"at":"a"}`
	for _, tt := range []sharedCase{
		{"all hold", "    assert r.json()['n'] == 1\n    return r.json()", "ok(r)", "ok(r)", [2][2]string{{steady, steady}, {steady, steady}},
			"    assert r.json()['n'] == 1\n    return r.json()"},
		{"one moves", "    assert r.json()['n'] == 1\n    return r.json()", "ok(r)", "ok(r)", [2][2]string{{steady, steady}, {steady, `{"n":7}`}},
			"    assert isinstance(r.json()[\"n\"], int)\n    return r.json()"},
		{"one of those with another value moves", "    assert r.json()['n'] == want\n    return r.json()", "ok(r, 1)", "ok(r, 2)",
			[2][2]string{{steady, steady}, {`{"n":2}`, `{"n":7}`}}, "    assert r.json()[\"n\"] == want or isinstance(r.json()[\"n\"], int)\n    return r.json()"},
		{"a status", "    assert r.status_code == want\n    return r.json()", "ok(r, 200)", "ok(r, want=202)",
			[2][2]string{{steady, "503 {}"}, {"202 {}", "202 {}"}}, "    assert r.status_code in (want, 503)\n    return r.json()"},
		{"a name", "    data = r.json()\n    assert data['n'] == 1\n    return data", "ok(r)", "ok(r)", [2][2]string{{steady, steady}, {steady, `{"n":7}`}},
			"    data = r.json()\n    assert isinstance(data[\"n\"], int)\n    return data"},
		{"given as a parameter", "    assert want['n'] == 1\n    return r", "ok(r, r.json())", "ok(r, r.json())", [2][2]string{{steady, steady}, {steady, `{"n":7}`}},
			"    assert isinstance(want[\"n\"], int)\n    return r"},
		{"members by name", "    for k, v in more.items():\n        assert r.json()[k] == v\n    return r", "ok(r, n=1, at='a')", "ok(r)",
			[2][2]string{{steady, `{"n":2,"at":"a"}`}, {steady, steady}},
			"    for k, v in more.items():\n        assert r.json()[k] == v or isinstance(r.json()[k], int)\n    return r"},
		{"under a condition of what is given", "    if want == 1:\n        assert r.json()['n'] == 1\n    return r", "ok(r, 1)", "ok(r, 2)",
			[2][2]string{{steady, `{"n":3}`}, {`{}`, `{}`}}, "    if want == 1:\n        assert isinstance(r.json()[\"n\"], int)\n    return r"},
		{"under a condition", "    if r.status_code == 200:\n        assert r.json()['n'] == 1\n    return r", "ok(r)", "ok(r)",
			[2][2]string{{steady, `{"n":3}`}, {steady, steady}}, "    if r.status_code == 200:\n        assert r.json()['n'] == 1\n    return r"},
		{"behind a return", "    if r.ok:\n        return r\n    assert r.json()['n'] == 1\n    return 1", "ok(r)", "ok(r)",
			[2][2]string{{steady, `{"n":3}`}, {steady, steady}}, "    if r.ok:\n        return r\n    assert r.json()['n'] == 1\n    return 1"},
		{"something else in each", "    assert want == 1\n    return r", "ok(r, r.json()['n'])", "ok(r, r.json()['x']['n'])",
			[2][2]string{{steady, `{"n":3}`}, {`{"x":{"n":1}}`, `{"x":{"n":1}}`}}, "    assert want == 1\n    return r"},
		{"given another answer too", "    assert r.json()['n'] == want.json()['n']\n    return r", "ok(r, r)", "ok(r, c.get('/c'))",
			[2][2]string{{steady, steady}, {steady, steady}}, "    assert r.json()['n'] == want.json()['n']\n    return r"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := "def ok(r, want=None, **more):\n" + tt.function + "\n\n\ndef test_a(c):\n    r = c.get('/a')\n    x = " + tt.first +
				"\n\n\ndef test_b(c):\n    r = c.get('/b')\n    x = " + tt.second + "\n"
			sharedHolds(t, "test_it.py", text, tt, "# ")
		})
	}
}

func sharedHolds(t *testing.T, file, text string, tt sharedCase, mark string) {
	t.Helper()
	var steps []exchange.Step
	for i, path := range []string{"/a", "/b"} {
		var replies []*exchange.Response
		for _, answer := range tt.answers[i] {
			status := 200
			if before, body, ok := strings.Cut(answer, " "); ok {
				status, answer = map[string]int{"503": 503, "202": 202}[before], body
			}
			replies = append(replies, reply(status, "application/json", answer))
		}
		steps = append(steps, stepOf(uint64(i+1), path, replies))
	}
	p, err := Patch(file, []byte(text), Source{Steps: steps}, PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(p.Data)) {
		if !strings.HasPrefix(strings.TrimSpace(line), strings.TrimSpace(mark)+" flaketap") {
			lines = append(lines, line)
		}
	}
	if diff := cmp.Diff(strings.Replace(text, tt.function, tt.want, 1), strings.Join(lines, "")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if again, err := Patch(file, p.Data, Source{Steps: steps}, PatchOptions{}); err != nil || string(again.Data) != string(p.Data) {
		t.Errorf("patched again it is (%v)\n%s", err, again.Data)
	}
}

// The same in Go, where what is written compiles, and has the types that the names have.
func TestSharedAssertionsInGo(t *testing.T) {
	const steady = `{"n":1,"at":"a"}`
	for _, tt := range []sharedCase{
		{"one moves", "\tif m[\"n\"] != 1.0 {\n\t\tt.Fatal(m)\n\t}", "get(t, res, 0)", "get(t, res, 0)", [2][2]string{{steady, steady}, {steady, `{"n":7}`}},
			"\tif n, ok := m[\"n\"].(float64); !ok || n != float64(int64(n)) {\n\t\tt.Fatal(m)\n\t}"},
		{"a status", "\tif res.StatusCode != want {\n\t\tt.Fatal(res.Status)\n\t}", "get(t, res, 200)", "get(t, res, 202)",
			[2][2]string{{steady, "503 {}"}, {"202 {}", "202 {}"}}, "\tif !(res.StatusCode == want || res.StatusCode == 503) {\n\t\tt.Fatal(res.Status)\n\t}"},
		{"a status by testify", "\trequire.Equal(t, want, res.StatusCode)", "get(t, res, 200)", "get(t, res, 202)", [2][2]string{{steady, "503 {}"}, {"202 {}", "202 {}"}},
			"\trequire.True(t, res.StatusCode == want || res.StatusCode == 503)"},
		{"in rounds", "\tfor _, k := range []string{\"a\", \"b\"} {\n\t\tif m[k] == 5.0 {\n\t\t\tt.Fatal(m)\n\t\t}\n\t}", "get(t, res, 0)", "get(t, res, 0)",
			[2][2]string{{steady, steady}, {steady, steady}},
			"\tfor _, k := range []string{\"a\", \"b\"} {\n\t\tif m[k] == 5.0 {\n\t\t\tt.Fatal(m)\n\t\t}\n\t}"},
		{"under a condition", "\tif res.StatusCode == 200 {\n\t\tif m[\"n\"] != 1.0 {\n\t\t\tt.Fatal(m)\n\t\t}\n\t}", "get(t, res, 0)", "get(t, res, 0)",
			[2][2]string{{steady, `{"n":3}`}, {steady, steady}}, "\tif res.StatusCode == 200 {\n\t\tif m[\"n\"] != 1.0 {\n\t\t\tt.Fatal(m)\n\t\t}\n\t}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.NewReplacer("FUNCTION", tt.function, "FIRST", tt.first, "SECOND", tt.second).Replace(sharedInGo)
			if !strings.Contains(tt.function, "require.") {
				text = strings.Replace(text, "\n\t\"github.com/stretchr/testify/require\"\n", "", 1)
			}
			sharedHolds(t, "a_test.go", text, tt, "//")
		})
	}
}

const sharedInGo = `package a

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func get(t *testing.T, res *http.Response, want int) map[string]any {
	t.Helper()
	m := map[string]any{}
	if err := json.NewDecoder(res.Body).Decode(&m); err != nil {
		t.Fatal(err)
	}
FUNCTION
	return m
}

func TestA(t *testing.T) {
	res, err := http.Get("http://localhost:1/a")
	if err != nil {
		t.Fatal(err)
	}
	_ = FIRST
}

func TestB(t *testing.T) {
	res, err := http.Get("http://localhost:1/b")
	if err != nil {
		t.Fatal(err)
	}
	_ = SECOND
}
`
