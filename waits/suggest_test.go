package waits_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/waits"
	"github.com/flaketap/flaketap/waits/past"
	"github.com/flaketap/flaketap/waits/read"
)

// told asks for times of the first wait of a suite's first file, and tells them as "time why name".
func told(t *testing.T, log string, files ...[2]string) []string {
	t.Helper()
	var parsed []*read.File
	for _, f := range files {
		parsed = append(parsed, read.Parse(f[0], []byte(f[1])))
	}
	commits, err := past.Read(strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	c := waits.NewCorpus(parsed, commits)
	var out []string
	for _, s := range c.Suggest(parsed[0], parsed[0].Waits[0], 9) {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s", s.Time, s.Sources[0].Why, s.Name)))
	}
	return out
}

const click = "cy.get('#menu').click();\n"

func TestSuggest(t *testing.T) {
	for name, test := range map[string]struct {
		log   string
		files [][2]string
		want  []string
	}{
		"the most alike comes first, shorter ones and caps do not": {"", [][2]string{
			{"a.cy.js", click + "cy.wait(500);\n"},
			{"b.cy.js", click + "cy.wait(2000);\n\n\nupload(file);\ncy.wait(900);\ncy.wait(100);\ncy.get('#menu', { timeout: 9000 })"},
		}, []string{"2s alike", "900ms alike"}},
		"a cap is told caps": {"", [][2]string{
			{"a.cy.js", "cy.get('#menu', { timeout: 500 });"},
			{"b.cy.js", "cy.wait(700);\ncy.get('#menu', { timeout: 9000 });"},
		}, []string{"9s alike"}},
		"an interval is told nothing": {"", [][2]string{
			{"a.test.js", "waitFor(f, { interval: 5 });\n\n\nwaitFor(f, { interval: 50 });"},
		}, nil},
		"constants that nobody uses": {"", [][2]string{
			{"a.cy.js", "import { WAIT_SHORT } from './waits';\ncy.wait(WAIT_SHORT);"},
			{"waits.js", "export const WAIT_SHORT = 5, PORT = 8080;\nexport const WAIT_LONG = 3000;\nexport const WAIT_NONE = 1;"},
		}, []string{"3s constant WAIT_LONG"}},
		"constants of caps are for no sleep, and others come behind what is alike": {"", [][2]string{
			{"a.cy.js", "import { MENU_TIMEOUT, LONG_WAIT } from './waits';\n" + click + "cy.wait(500);"},
			{"b.cy.js", "cy.open();\ncy.wait(700);"},
			{"waits.js", "export const MENU_TIMEOUT = 9000;\nexport const LONG_WAIT = 3000;"},
		}, []string{"700ms alike", "3s constant LONG_WAIT"}},
		"what it had once, and that against flaking first": {strings.Join([]string{
			"\x00c3\tfaster", "diff --git a/a.cy.js b/a.cy.js", "+++ b/a.cy.js", "@@ -2 +2 @@", "-cy.wait(700);", "+cy.wait(500);",
			"\x00c2\tfaster", "diff --git a/a.cy.js b/a.cy.js", "+++ b/a.cy.js", "@@ -2 +2 @@", "-cy.wait(2000);", "+cy.wait(700);",
			"\x00c1\tfix flaky menu", "diff --git a/a.cy.js b/a.cy.js", "+++ b/a.cy.js", "@@ -2 +2 @@", "-cy.wait(300);", "+cy.wait(2000);", ""}, "\n"),
			[][2]string{{"a.cy.js", click + "cy.wait(500);\n"}}, []string{"2s once", "700ms once"}},
		"what one like it was raised to, above one that only has a time": {strings.Join([]string{
			"\x00c1\tless flaky", "diff --git a/b.cy.js b/b.cy.js", "+++ b/b.cy.js", "@@ -1,2 +1,2 @@", " " + click[:len(click)-1], "-cy.wait(500);", "+cy.wait(3000);", ""}, "\n"),
			[][2]string{{"a.cy.js", click + "cy.wait(500);\n"}, {"b.cy.js", click + "cy.wait(3000);\n"}, {"c.cy.js", click + "cy.wait(800);\n"}},
			[]string{"3s raised", "800ms alike"}},
		"of equals the nearer, and then of sleeps the shorter": {"", [][2]string{
			{"e2e/a.cy.js", click + "cy.wait(500);\n"},
			{"other/b.cy.js", click + "cy.wait(700);\n"},
			{"e2e/c.cy.js", click + "cy.wait(3000);\n"},
			{"other/d.cy.js", click + "cy.wait(900);\n"},
		}, []string{"3s alike", "700ms alike", "900ms alike"}},
		"of equal caps the longer": {"", [][2]string{
			{"e2e/a.cy.js", "cy.get('#menu', { timeout: 500 });"},
			{"other/b.cy.js", "cy.get('#menu', { timeout: 700 });"},
			{"other/c.cy.js", "cy.get('#menu', { timeout: 900 });"},
		}, []string{"900ms alike", "700ms alike"}},
		"raised against flaking, then raised, then lowered, then less alike, then changed again": {strings.Join([]string{
			"\x00c5\tagain", "diff --git a/b.cy.js b/b.cy.js", "+++ b/b.cy.js", "@@ -2 +2 @@", "-cy.wait(600);", "+cy.wait(9000);",
			"\x00c4\tfix flaky menu", "diff --git a/b.cy.js b/b.cy.js", "+++ b/b.cy.js", "@@ -1,2 +1,2 @@", " " + click[:len(click)-1], "-cy.wait(500);", "+cy.wait(600);",
			"\x00c3\tless", "diff --git a/c.cy.js b/c.cy.js", "+++ b/c.cy.js", "@@ -1,2 +1,2 @@", " " + click[:len(click)-1], "-cy.wait(9999);", "+cy.wait(700);",
			"\x00c2\tmore", "diff --git a/d.cy.js b/d.cy.js", "+++ b/d.cy.js", "@@ -1,2 +1,2 @@", " " + click[:len(click)-1], "-cy.wait(1);", "+cy.wait(800);",
			"\x00c1\tintermittent", "diff --git a/e.cy.js b/e.cy.js", "+++ b/e.cy.js", "@@ -1,2 +1,2 @@", " " + click[:len(click)-1], "-cy.wait(2);", "+cy.wait(900);", ""}, "\n"),
			[][2]string{{"a.cy.js", click + "cy.wait(500);\n"}}, []string{"900ms raised", "800ms raised", "700ms alike", "9s raised", "600ms raised"}},
		"constants that have nothing of the name come last": {"", [][2]string{
			{"a.cy.js", "import { WAIT_MENU, WAIT_PAGE, PATIENCE } from './waits';\ncy.wait(WAIT_MENU);"},
			{"b.cy.js", "upload();\nthem.all();\ncy.pause(600);"},
			{"waits.js", "export const WAIT_MENU = 5, WAIT_PAGE = 900, PATIENCE = 300;"},
		}, []string{"900ms constant WAIT_PAGE", "600ms alike", "300ms constant PATIENCE"}},
		"names of constants that are used": {"", [][2]string{
			{"t/a_test.go", "func TestA(t *testing.T) { time.Sleep(time.Second) }"},
			{"t/b_test.go", "const settle = 3 * time.Second\nfunc TestB(t *testing.T) { time.Sleep(settle) }"},
		}, []string{"3s alike settle"}},
	} {
		if diff := cmp.Diff(test.want, told(t, test.log, test.files...)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// The same suite gives the same times in the same order, each time.
func TestSuggestIsRepeatable(t *testing.T) {
	files := [][2]string{{"a.cy.js", click + "cy.wait(1);\n"}}
	for i := range 40 {
		files = append(files, [2]string{fmt.Sprintf("b%d.cy.js", i), click + fmt.Sprintf("cy.wait(%d);\n", i%7*100)})
	}
	first := told(t, "", files...)
	for range 5 {
		if diff := cmp.Diff(first, told(t, "", files...)); diff != "" {
			t.Fatal(diff)
		}
	}
}
