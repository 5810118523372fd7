package past_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/waits/past"
)

// log is what git log prints, newest first: a file that is renamed, a wait that is raised, lines put above it.
const log = "\x00c4\trename the test\n\n" + `diff --git a/e2e/a.cy.js b/e2e/b.cy.js
similarity index 100%
rename from e2e/a.cy.js
rename to e2e/b.cy.js
` + "\x00c3\tfix flaky menu\n\n" + `diff --git a/e2e/a.cy.js b/e2e/a.cy.js
index 1..2 100644
--- a/e2e/a.cy.js
+++ b/e2e/a.cy.js
@@ -1,0 +2,2 @@ describe
+// two
+// lines
@@ -4,3 +6,3 @@
   cy.get('#menu').click();
-  cy.wait(500);
+  cy.wait(2000);
   cy.contains('Opened');
` + "\x00c2\ta picture\n\n" + `diff --git a/a.png b/a.png
Binary files a/a.png and b/a.png differ
` + "\x00c1\tfirst\n\n" + `diff --git a/e2e/a.cy.js b/e2e/a.cy.js
new file mode 100644
--- /dev/null
+++ b/e2e/a.cy.js
@@ -0,0 +1,6 @@
+it('opens', () => {
+  open();
+  load();
+  cy.get('#menu').click();
+  cy.wait(500);
+  cy.contains('Opened');
\ No newline at end of file
`

func TestRead(t *testing.T) {
	commits, err := past.Read(strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range commits {
		for _, e := range c.Edits {
			got = append(got, fmt.Sprintf("%s %v %s<%s -%d,%d +%d,%d", c.Hash, c.Flaky(), e.File, e.Was, e.Old, e.OldN, e.New, e.NewN))
			for _, x := range e.Changes {
				got = append(got, fmt.Sprintf("%d %d %s>%s", x.Was, x.Now, strings.TrimSpace(x.Old), strings.TrimSpace(x.New)))
			}
		}
	}
	want := []string{
		"c4 false e2e/b.cy.js<e2e/a.cy.js -0,0 +0,0",
		"c3 true e2e/a.cy.js< -1,0 +2,2",
		"c3 true e2e/a.cy.js< -5,1 +7,1", "5 7 cy.wait(500);>cy.wait(2000);",
		"c1 false e2e/a.cy.js< -0,0 +1,6", "0 5 >cy.wait(500);",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A line is followed back through what was put above it, and the renaming of its file.
func TestLifeline(t *testing.T) {
	commits, err := past.Read(strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	steps := past.Lifeline(commits, "e2e/b.cy.js", 7, "cy.wait(2000);")
	if len(steps) != 1 || steps[0].Commit.Hash != "c3" || steps[0].Change.Was != 5 {
		t.Errorf("steps are %+v", steps)
	}
	if steps := past.Lifeline(commits, "e2e/b.cy.js", 7, "cy.wait(3000);"); len(steps) != 0 {
		t.Errorf("another line has steps %+v", steps)
	}
}

// Of lines that read the same, the one that stands where it was put is followed.
func TestLifelineAmongEqual(t *testing.T) {
	commits, err := past.Read(strings.NewReader("\x00c3\ta header\n" + `diff --git a/a.cy.js b/a.cy.js
+++ b/a.cy.js
@@ -0,0 +1,3 @@
+// one
+// two
+// three
` + "\x00c2\tlonger\n" + `diff --git a/a.cy.js b/a.cy.js
+++ b/a.cy.js
@@ -2 +2 @@
-cy.wait(100);
+cy.wait(900);
@@ -7 +7 @@
-cy.wait(300);
+cy.wait(900);
`))
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[int]string{5: "cy.wait(100);", 10: "cy.wait(300);"} {
		if steps := past.Lifeline(commits, "a.cy.js", line, "cy.wait(900);"); len(steps) != 1 || steps[0].Change.Old != want {
			t.Errorf("line %d has steps %+v, want one from %s", line, steps, want)
		}
	}
}

// Lines are put beside those that say the same but for times, else beside the only one that is left; around them is what
// is there after the commit, or was before it.
func TestChanges(t *testing.T) {
	for name, test := range map[string]struct{ hunk, want string }{
		"the same twice": {"@@ -1,2 +1,2 @@\n-cy.wait(1);\n-cy.wait(2);\n+cy.wait(3);\n+cy.wait(4);",
			"1 1 cy.wait(1);>cy.wait(3); |cy.wait(4); 2 2 cy.wait(2);>cy.wait(4); cy.wait(3);|"},
		"another call": {"@@ -1,3 +1,3 @@\n open();\n-cy.wait(1);\n+page.waitForTimeout(2);\n shut();",
			"2 2 cy.wait(1);>page.waitForTimeout(2); open();|shut();"},
		"two other calls": {"@@ -1,2 +1,2 @@\n-cy.wait(1);\n-sleep(2);\n+pause(3);\n+delay(4);",
			"1 0 cy.wait(1);> |sleep(2); 2 0 sleep(2);> cy.wait(1);| 0 1 >pause(3); |delay(4); 0 2 >delay(4); pause(3);|"},
	} {
		commits, err := past.Read(strings.NewReader("\x00c\ts\ndiff --git a/a.js b/a.js\n+++ b/a.js\n" + test.hunk + "\n"))
		if err != nil || len(commits) != 1 || len(commits[0].Edits) != 1 {
			t.Fatalf("%s: %+v, %v", name, commits, err)
		}
		var got []string
		for _, x := range commits[0].Edits[0].Changes {
			got = append(got, fmt.Sprintf("%d %d %s>%s %s|%s", x.Was, x.Now, x.Old, x.New, x.Above, x.Below))
		}
		if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestFlaky(t *testing.T) {
	for subject, want := range map[string]bool{
		"fix flaky test": true, "De-flake checkout": true, "Stabilise SyncTest": true, "fix intermittent failure": true,
		"increase sleep in test_refund": true, "tests: wait longer": true, "add a page": false, "wording": false, "embrace change": false,
	} {
		if got := (&past.Commit{Subject: subject}).Flaky(); got != want {
			t.Errorf("%q: %v", subject, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(log, 7)
	f.Add("\x00a\tb\ndiff --git a/a.py b/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-sleep(1)\n+sleep(2)\n", 1)
	f.Add("@@ -0,0 +1,999999999 @@\n+x", 1)
	f.Fuzz(func(t *testing.T, text string, line int) {
		commits, err := past.Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for i := range commits {
			for _, e := range commits[i].Edits {
				for _, c := range e.Changes {
					past.Lifeline(commits, e.File, line, c.New)
				}
			}
		}
	})
}
