package mend

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/setup"
)

// python is a file of one test, which looks at one answer.
func python(method, path string, assertions ...string) []byte {
	file := "import unittest\nimport requests\nclass T(unittest.TestCase):\n    def test_0(self):\n        headers = {}\n"
	file += fmt.Sprintf("        res_0 = requests.%s(self.baseUrlOfSut + %q, headers=headers)\n", method, path)
	for _, a := range assertions {
		file += "        " + a + "\n"
	}
	return []byte(file)
}

func answer(status int, body string) *exchange.Response {
	return exchange.ParseResponse(exchange.Message{Head: fmt.Appendf(nil, "HTTP/1.1 %d x\r\nContent-Type: application/json\r\n\r\n", status), Body: []byte(body), Plain: true})
}

func call(seq uint64, method, path string, r *exchange.Response) *exchange.Exchange {
	request := exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "%s %s HTTP/1.1\r\n\r\n", method, path), Plain: true})
	return &exchange.Exchange{Seq: seq, Pass: 1, Scheme: "http", Addr: "api:80", Request: request, Response: r}
}

// recorded is a recording of one exchange with one run.
func recorded(method, path string, first, second *exchange.Response) suite.Source {
	return suite.Source{Steps: []exchange.Step{{
		Exchange:     call(1, method, path, first),
		Observations: []*exchange.Observation{{Run: 1, Seq: 1, Response: second}},
	}}}
}

func report(t *testing.T, r *Round) Report {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteReport(&b); err != nil {
		t.Fatal(err)
	}
	var out Report
	if err := json.Unmarshal(b.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// A file of tests is patched, one that is damaged is left unchanged and named, and what lies beside them stays as it is.
func TestRound(t *testing.T) {
	tests := python("get", "/jobs", "assert res_0.status_code == 200", `assert res_0.json()["next"] == 37.0`)
	damaged := []byte("def test_0(self:\n")
	helper := []byte("x = 1\n")
	files := []File{{Path: "s/a_test.py", Name: "a_test.py", Data: tests, Perm: 0o600}, {Path: "s/b_test.py", Name: "b_test.py", Data: damaged},
		{Path: "s/helper.py", Name: "helper.py", Data: helper}, {Path: "s/readme.md", Name: "readme.md", Data: []byte("text")}}
	r := New(files, Options{Mode: suite.Relax, Source: recorded("GET", "/jobs", answer(200, `{"next":1}`), answer(200, `{"next":2}`))})
	if err := r.findSetUps(context.Background(), InferSetUps(r.Session(), flow.Rules{})); err != nil {
		t.Fatal(err)
	}
	patched := r.Patch()
	if len(patched) != 4 || !strings.Contains(string(patched[0].Data), `assert isinstance(res_0.json()["next"], int)`) || patched[0].Perm != 0o600 {
		t.Errorf("%s", patched[0].Data)
	}
	for i, want := range [][]byte{nil, damaged, helper, []byte("text")} {
		if i > 0 && !bytes.Equal(patched[i].Data, want) {
			t.Errorf("%s was changed:\n%s", patched[i].Name, patched[i].Data)
		}
	}
	if len(r.Refused()) != 1 || !strings.Contains(r.Refused()[0].Error(), "b_test.py:1") {
		t.Errorf("refused: %v", r.Refused())
	}
	if got, want := r.Summary(), "1 file, 2 assertions, 1 of them kept unchanged, 1 weakened"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
	f := report(t, r).Files[0]
	if f.File != "a_test.py" || f.Tests != 1 || f.Assertions != 2 || f.Kept != 1 || f.Weakened != 1 || len(f.Changes) != 1 || f.Changes[0].Place != "/body/next" {
		t.Errorf("%+v", f)
	}
}

// A file without tests is passed over where others have some, and named where none has.
func TestTestless(t *testing.T) {
	tests, helper := File{Path: "a_test.py", Name: "a_test.py", Data: python("get", "/jobs")}, File{Path: "helper.py", Name: "helper.py", Data: []byte("x = 1\n")}
	if r := New([]File{tests, helper}, Options{}); len(r.Refused()) != 0 {
		t.Errorf("refused: %v", r.Refused())
	}
	if r := New([]File{helper}, Options{}); len(r.Refused()) != 1 {
		t.Errorf("refused: %v", r.Refused())
	}
}

// A test that fails without what the session did before is given that, by the data flow of the session.
func TestFindSetUps(t *testing.T) {
	session := []*exchange.Exchange{
		call(1, "POST", "/things", answer(201, `{"id":"k3v9q2"}`)),
		call(2, "GET", "/things/k3v9q2", answer(200, `{"id":"k3v9q2"}`)),
	}
	files := []File{{Path: "a_test.py", Name: "a_test.py", Data: python("get", "/things/k3v9q2", "assert res_0.status_code == 200")}}
	gone := answer(404, `{}`)
	r := New(files, Options{Mode: suite.Relax, Session: session, Source: recorded("GET", "/things/k3v9q2", gone, gone)})
	setUps := InferSetUps(r.Session(), flow.Rules{})
	if err := r.findSetUps(context.Background(), setUps); err != nil {
		t.Fatal(err)
	}
	patched := string(r.Patch()[0].Data)
	if !strings.Contains(patched, `"/things"`) || report(t, r).Files[0].Grafted != 1 || setUps.Summary() != "" {
		t.Errorf("%q, %s:\n%s", setUps.Summary(), r.Summary(), patched)
	}
}

// things is an API of things, each of which can be looked at once it was made.
type things struct{ tried int }

func (a *things) Try(_ context.Context, exchanges []*exchange.Exchange, _ []exchange.Binding) ([]*exchange.Response, error) {
	a.tried++
	made := false
	var out []*exchange.Response
	for _, e := range exchanges {
		switch {
		case e.Request.Method == "POST":
			made = true
			out = append(out, answer(201, `{"id":"k3v9q2"}`))
		case made:
			out = append(out, answer(200, `{"id":"k3v9q2"}`))
		default:
			out = append(out, answer(404, `{}`))
		}
	}
	return out, nil
}

// What is found by trials is proven, and the trials are counted.
func TestTrySetUps(t *testing.T) {
	session := []*exchange.Exchange{
		call(1, "POST", "/things", answer(201, `{"id":"k3v9q2"}`)),
		call(2, "GET", "/things/k3v9q2", answer(200, `{"id":"k3v9q2"}`)),
	}
	files := []File{{Path: "a_test.py", Name: "a_test.py", Data: python("get", "/things/k3v9q2", "assert res_0.status_code == 200")}}
	gone, api := answer(404, `{}`), &things{}
	r := New(files, Options{Mode: suite.Relax, Session: session, Source: recorded("GET", "/things/k3v9q2", gone, gone)})
	setUps := TrySetUps(r.Session(), flow.Rules{}, []setup.Trier{api}, 10, nil)
	if err := r.findSetUps(context.Background(), setUps); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("verified 1 set-up for 1 test depending on earlier requests, in %d trials", api.tried); setUps.Summary() != want || api.tried < 4 {
		t.Errorf("%q, want %q", setUps.Summary(), want)
	}
	if setUps.ended != 1 || setUps.of != 1 {
		t.Errorf("the progress is at %d of %d", setUps.ended, setUps.of)
	}
}

// A recording far larger than the suite is one of the session.
func TestOfSession(t *testing.T) {
	s, err := suite.Read("a_test.py", python("get", "/jobs"))
	if err != nil {
		t.Fatal(err)
	}
	if ofSession(manyTimes, []*script.Script{s}) || !ofSession(manyTimes+1, []*script.Script{s}) {
		t.Error("the bound is elsewhere")
	}
}

func TestReadFiles(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string]string{"a_test.py": "x", "sub/b_test.py": "y", "notes.txt": "z", "flaketap.db": "d",
		"node_modules/c_test.py": "n", ".git/d_test.py": "g"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a_test.py", filepath.Join(dir, "link_test.py")); err != nil {
		t.Fatal(err)
	}
	names := func(f Files) string {
		var out []string
		for _, one := range f.All {
			out = append(out, filepath.ToSlash(one.Name))
		}
		return strings.Join(out, " ")
	}
	f, err := ReadFiles([]string{dir}, FileOptions{})
	if err != nil || names(f) != "a_test.py sub/b_test.py" || len(f.Links) != 1 || f.All[0].Perm != 0o640 {
		t.Errorf("%s, links %v, %v", names(f), f.Links, err)
	}
	f, err = ReadFiles([]string{dir}, FileOptions{Beside: true, Exclude: []string{filepath.Join(dir, "flaketap.db")}})
	if err != nil || names(f) != "a_test.py notes.txt sub/b_test.py" {
		t.Errorf("%s, %v", names(f), err)
	}
	for want, paths := range map[string][]string{
		"would be written to the same file": {filepath.Join(dir, "sub", "b_test.py"), filepath.Join(dir, "sub")},
		"has a name that patch reads":       {filepath.Join(dir, "notes.txt")},
		"no such file":                      {filepath.Join(dir, "none")},
	} {
		if _, err := ReadFiles(paths, FileOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", paths, err, want)
		}
	}
}

// The snapshots of a file that is given by itself are read with it, and so are those in a folder; the other files are
// where all are to be written anew.
func TestReadStored(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.test.js", "__snapshots__/a.test.js.snap", "__snapshots__/b.test.js.snap", "test_a.py",
		"__snapshots__/test_a.ambr", "readme.txt"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("x"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"a.test.js": "a.test.js __snapshots__/a.test.js.snap",
		"test_a.py": "test_a.py __snapshots__/test_a.ambr",
		"":          "__snapshots__/a.test.js.snap __snapshots__/b.test.js.snap __snapshots__/test_a.ambr a.test.js test_a.py",
	} {
		files, err := ReadFiles([]string{filepath.Join(dir, path)}, FileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range files.All {
			got = append(got, filepath.ToSlash(f.Name))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("of %q: %s", path, got)
		}
	}
}

// A copy of a suite has its links, as they are where that leads to the copy; files that were patched are no links.
func TestLinks(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	suite, outside := filepath.Join(dir, "suite"), filepath.Join(dir, "outside.js")
	write := func(path, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a.spec.js", "lib/k.js", "node_modules/m/index.js"} {
		write(filepath.Join(suite, filepath.FromSlash(name)), name)
	}
	write(outside, "outside")
	for name, to := range map[string]string{"in.js": "lib/k.js", "sub.js": "../outside.js", "b.spec.js": "../outside.js",
		"c.spec.js": "../outside.js", "round": ".", "m": "node_modules/m", "gone.js": "../none.js", "self.js": "self.js", "abs.js": outside} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(suite, name)); err != nil {
			t.Fatal(err)
		}
	}
	read, err := ReadFiles([]string{suite}, FileOptions{Beside: true, Linked: true})
	if err != nil || len(read.All) != 7 || len(read.Links) != 9 {
		t.Fatalf("%d files, links %+v: %v", len(read.All), read.Links, err)
	}
	for range 2 { // the second time over what is there
		if err := RemoveLinks(to, read.Links); err != nil {
			t.Fatal(err)
		}
		for _, f := range read.All {
			text := string(f.Data)
			if f.Name == "c.spec.js" {
				text = "patched"
			}
			write(filepath.Join(to, f.Name), text)
		}
		if err := PutLinks(to, read.Links); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"in.js": "lib/k.js", "sub.js": outside, "b.spec.js": outside, "c.spec.js": "",
		"round": ".", "m": filepath.Join(suite, "node_modules", "m"), "gone.js": filepath.Join(dir, "none.js"), "self.js": "self.js",
		"abs.js": outside} {
		if got, _ := os.Readlink(filepath.Join(to, name)); got != want {
			t.Errorf("%s leads to %q, want %q", name, got, want)
		}
	}
	if text, err := os.ReadFile(outside); string(text) != "outside" || err != nil {
		t.Errorf("what a link leads to is %q: %v", text, err)
	}
}

// A test that fails in each execution before its last call was sent is said not to be seen to its end: nothing judges
// what stands there, and the report says where that is.
func TestUnreached(t *testing.T) {
	two := "        res_1 = requests.get(self.baseUrlOfSut + \"/b\", headers=headers)\n        assert res_1.json()[\"n\"] == 7\n"
	file := string(python("get", "/a", `assert res_0.json()["n"] == 1`)) + two
	for name, c := range map[string]struct {
		seen, again string // by two executions
		want        []int
	}{
		"each fails": {`{"n": 2}`, `{"n": 3}`, []int{9}},
		"one passes": {`{"n": 1}`, `{"n": 3}`, nil},
		"all pass":   {`{"n": 1}`, `{"n": 1}`, nil},
	} {
		r := New([]File{{Path: "T.py", Name: "T.py", Data: []byte(file)}},
			Options{Source: recorded("GET", "/a", answer(200, c.seen), answer(200, c.again))})
		r.Patch()
		var lines []int
		for _, u := range report(t, r).Files[0].Unreached {
			lines = append(lines, u.Line)
		}
		if fmt.Sprint(lines) != fmt.Sprint(c.want) || strings.Contains(r.Summary(), "not seen to the end") != (len(c.want) > 0) {
			t.Errorf("%s: %v, %s", name, lines, r.Summary())
		}
	}
}
