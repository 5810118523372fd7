package suggest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/waits/suggest"
)

func TestPlaceOf(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.cy.js", "")
	write(t, "b.js:7", "")
	for arg, want := range map[string]string{
		"a.cy.js": "a.cy.js", "a.cy.js:7": "a.cy.js:7", "a.cy.js:7:3": "a.cy.js:7", "b.js:7": "b.js:7", "b.js:7:2": "b.js:7:2", ".": ".",
		"none.js": "", "none.js:7": "", "a.cy.js:x": "", ".:7": "", "a.cy.js:0": "",
	} {
		p, err := suggest.PlaceOf(arg)
		if err != nil {
			if want != "" {
				t.Errorf("%s: %v", arg, err)
			}
		} else if p.String() != want {
			t.Errorf("%s is %s, want %q", arg, p, want)
		}
	}
}

// answered asks for the waits of a folder, without its history.
func answered(t *testing.T, files map[string]string, o suggest.Options) *suggest.Answer {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		write(t, name, text)
	}
	for i := range o.Places {
		var err error
		if o.Places[i], err = suggest.PlaceOf(o.Places[i].String()); err != nil {
			t.Fatal(err)
		}
	}
	o.Commits, o.Most = -1, 5
	a, err := suggest.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The waits of tests that failed come first: by how often they failed, then by how near above the line that failed.
func TestResults(t *testing.T) {
	junit := func(cases ...string) string {
		return `<testsuites><testsuite name="s">` + strings.Join(cases, "") + `</testsuite></testsuites>`
	}
	failed := func(class, name, text string) string {
		return fmt.Sprintf(`<testcase classname="%s" name="%s"><failure>%s</failure></testcase>`, class, name, text)
	}
	passed := func(class, name string) string {
		return fmt.Sprintf(`<testcase classname="%s" name="%s"/>`, class, name)
	}
	py := "def test_a():\n    time.sleep(1)\n    time.sleep(2)\n    assert f()\n\n\ndef test_b():\n    time.sleep(3)\n"
	java := "class OrderTest {\n    void ships() {\n        Thread.sleep(500);\n    }\n}\n"
	a := answered(t, map[string]string{
		"tests/test_x.py": py, "tests/test_y.py": py, "tests/OrderTest.java": java,
		"1.xml": junit(failed("tests.test_x", "test_a[1 2]", "tests/test_x.py:4: AssertionError"), passed("tests.test_y", "test_b"), failed("shop.OrderTest", "ships()", "at shop.OrderTest.ships(OrderTest.java:4)")),
		"2.xml": junit(failed("tests.test_x", "test_a[1 2]", "tests/test_x.py:4: AssertionError"), passed("shop.OrderTest", "ships()")),
	}, suggest.Options{Results: []string{"1.xml", "2.xml"}})
	var got []string
	for _, w := range a.Waits {
		got = append(got, fmt.Sprintf("%s:%d %d/%d %v", w.File, w.Line, w.Failed.Times, w.Failed.Of, w.Asked))
	}
	want := []string{
		"tests/test_x.py:3 2/2 true", "tests/test_x.py:2 2/2 true", "tests/OrderTest.java:3 1/2 true",
		"tests/test_x.py:8 0/0 false", "tests/test_y.py:2 0/0 false", "tests/test_y.py:3 0/0 false", "tests/test_y.py:8 0/0 false",
	}
	for i := range got {
		got[i] = filepath.ToSlash(got[i])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A call may go on over many lines, and a test with a limit is around its waits: each line means the wait that stands
// there.
func TestLines(t *testing.T) {
	text := "it('a', async () => {\n  await page.click('b');\n  await page.waitForTimeout(\n    100\n  );\n  setTimeout(() => {\n    done();\n  }, 200);\n}, 5000);\n"
	for line, want := range map[int]string{3: "100ms", 4: "100ms", 7: "200ms", 8: "200ms", 2: "5s", 9: "5s"} {
		a := answered(t, map[string]string{"a.test.js": text}, suggest.Options{Places: []suggest.Place{{Path: "a.test.js", Line: line}}})
		if len(a.Waits) != 1 || a.Waits[0].Time.String() != want {
			t.Errorf("line %d: %+v", line, a.Waits)
		}
	}
}

// Where tests lie beside what they test, those of the whole project are looked at, not those of one folder.
func TestTestsBesideWhatTheyTest(t *testing.T) {
	sleeps := func(ms int) string {
		return fmt.Sprintf("package a\n\nfunc TestA(t *testing.T) {\n\ttime.Sleep(%d * time.Millisecond)\n}\n", ms)
	}
	a := answered(t, map[string]string{"go.mod": "module a\n", "a/a_test.go": sleeps(5), "b/b_test.go": sleeps(700)},
		suggest.Options{Places: []suggest.Place{{Path: "a/a_test.go"}}})
	var out bytes.Buffer
	if err := a.WriteText(&out); err != nil || !strings.Contains(out.String(), "700ms") {
		t.Errorf("%v: %s", err, out.String())
	}
}

// A time that only a constant has is like nothing, and is shown so.
func TestConstantAlone(t *testing.T) {
	a := answered(t, map[string]string{"a.test.js": "const LONG_WAIT = 3000;\nsleep(5)"},
		suggest.Options{Places: []suggest.Place{{Path: "a.test.js"}}})
	var out bytes.Buffer
	if err := a.WriteText(&out); err != nil || !strings.Contains(out.String(), "\n  1. 3s (LONG_WAIT)\n       the constant LONG_WAIT: a.test.js:1\n") {
		t.Errorf("%v: %s", err, out.String())
	}
}

// What a file holds, or is named, writes over nothing on a terminal, and JSON stays JSON.
func TestHostileText(t *testing.T) {
	named := answered(t, map[string]string{"a\x1b[31m\nb\u202e.test.js": "sleep(5)"}, suggest.Options{})
	var list bytes.Buffer
	if err := named.WriteText(&list); err != nil || strings.ContainsAny(list.String(), "\x1b\u202e") || !strings.Contains(list.String(), "a?[31m; b?.test.js:1") {
		t.Errorf("a name is written as %q, %v", list.String(), err)
	}
	a := answered(t, map[string]string{"a.test.js": "sleep(5) // \x1b[2J \u0085\n// \"}\n\nsleep(\x00700)"}, suggest.Options{Places: []suggest.Place{{Path: "a.test.js"}}})
	var text, data bytes.Buffer
	if err := a.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(text.String(), "\x1b\x00\u0085") {
		t.Errorf("control characters in %q", text.String())
	}
	if err := a.WriteJSON(&data); err != nil || !json.Valid(data.Bytes()) {
		t.Errorf("%v: %s", err, data.String())
	}
}
