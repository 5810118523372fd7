package form

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

var update = flag.Bool("update", false, "write the golden files anew")

// sample are findings that say s wherever they quote somebody.
func sample(s string) *findings.Findings {
	op := &mapfile.Operation{Operation: exchange.Operation{Method: "GET", Template: "/orders/{id}"}, Status: 200, Exchanges: 4,
		Fields: []*mapfile.Field{{Place: exchange.PlaceBody.Key(s), Judgement: mapfile.Jitter, Category: mapfile.Time, Changed: 3, Of: 10, Bound: 1}}}
	m := &mapfile.Map{Operations: []*mapfile.Operation{op}, Recording: exchange.Recording{Count: 4}}
	m.Recount()
	claim := findings.Claim{File: "tests/test_orders.py", Line: 12, Statement: "assert at == 7 " + s, Place: "/body/at",
		PlaceID: "p000000000001", Category: mapfile.Time, Failed: 3, Of: 10, Reason: "it moves " + s}
	return &findings.Findings{Flaketap: "report", Version: 1, Recorded: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Exchanges: 4,
		Headline: findings.Headline{Unit: "test", AtRisk: 1, Of: 3, NotReproduced: 1, Sequences: 2,
			Actions: []findings.Action{{Advice: report.Advice{Do: "assert how the time is written, not the moment", Command: "flaketap patch SUITE"}, Places: 1, Sequences: 2}}},
		Warnings: []string{"1 run only " + s}, Summary: m.Summary, Map: m,
		Runs:       []findings.Run{{Number: 1, Words: "replayed, after a reset"}},
		Operations: []findings.Operation{{ID: "o000000000001", Operation: "GET /orders/{id}", Status: 200, Exchanges: 4, Volatile: 2}},
		Places: []findings.Place{
			{ID: "p000000000001", Operation: "o000000000001", Place: exchange.Place("/body/at" + s), Judgement: mapfile.Jitter, Category: mapfile.Time, Changed: 3, Of: 10,
				Holds: []string{"string (rfc3339)" + s}, Do: report.Advice{Do: "assert how the time is written, not the moment"}, Since: mapfile.Began},
			{ID: "p000000000002", Operation: "o000000000001", Place: "/body/until", Judgement: mapfile.WouldMove, Category: mapfile.Time, Of: 10, Bound: 0.26},
			{ID: "p000000000003", Operation: "o000000000001", Place: "/header/x-request-id", Common: "p000000000004"},
		},
		Common:    []findings.Place{{ID: "p000000000004", Place: "/header/x-request-id", Judgement: mapfile.Jitter, Category: mapfile.Rand, Changed: 10, Of: 10}},
		Sequences: []findings.Sequence{{Name: "orders " + s, Risk: findings.NotReproduced, Otherwise: []int{1}}, {Name: "steady", Risk: findings.Steady}},
		Tests:     []findings.Test{{Name: "test_orders " + s, File: "tests/test_orders.py", Line: 10, Before: &findings.Failed{Failed: 3, Of: 10}, Why: "assert " + s, Claims: []findings.Claim{claim}}},
		Since:     &findings.Since{Began: 1},
		Rates:     &findings.Rates{From: "verify", Forms: []findings.Form{{Name: "suite " + s, Runs: 10, Tests: 3, Failing: 1, Rate: 0.1}}},
	}
}

func write(t testing.TB, form string, f *findings.Findings) string {
	t.Helper()
	all := Forms()
	i := slices.IndexFunc(all, func(o Form) bool { return o.Name == form })
	var b bytes.Buffer
	if err := all[i].Write(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for _, form := range Forms()[1:] { // the page has its own
		t.Run(form.Name, func(t *testing.T) {
			file := filepath.Join("testdata", form.Name)
			got := write(t, form.Name, sample(""))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("differs from %s; -update writes it anew (-want +got):\n%s", file, diff)
			}
		})
	}
}

// hostile are texts that would be something else than text in one of the forms.
var hostile = []string{
	"\n::error::owned\r\n", "%0A::error::owned", "]]><x/>", "<script>alert(1)</script>", "`|` @someone #1 [a](javascript:b) |",
	"\x1b[31m\x00\u202e\u2066", "\xff\xfe", strings.Repeat("a", 1<<18), "\",\"x\":\"", "\u2028",
}

// TestHostile: what an API or a suite said stays text in each form, of as many lines as harmless text gives.
func TestHostile(t *testing.T) {
	for _, form := range Forms() {
		harmless := strings.Count(write(t, form.Name, sample("harmless")), "\n")
		for i, s := range hostile {
			t.Run(fmt.Sprint(form.Name, "-", i), func(t *testing.T) {
				if form.Name == "json" {
					return // the data as they are
				}
				got := write(t, form.Name, sample(s))
				if n := strings.Count(got, "\n"); n != harmless && form.Name != "text" {
					t.Errorf("%d lines, want %d\n%.3000s", n, harmless, got)
				}
				if len(got) > 120<<10 {
					t.Errorf("%d bytes", len(got))
				}
				for _, r := range got {
					if !utf8.ValidString(got) || r != '\n' && !unicode.IsPrint(r) && form.Name != "html" {
						t.Fatalf("%U is in it", r)
					}
				}
			})
		}
	}
}

// TestSARIF holds what the schema of SARIF 2.1.0 requires of what is written, and what readers of it rely on.
func TestSARIF(t *testing.T) {
	var log map[string]any
	if err := json.Unmarshal([]byte(write(t, "sarif", sample("<x>"))), &log); err != nil {
		t.Fatal(err)
	}
	if log["version"] != "2.1.0" {
		t.Errorf("version %v", log["version"])
	}
	run := log["runs"].([]any)[0].(map[string]any)
	driver := run["tool"].(map[string]any)["driver"].(map[string]any)
	rules := driver["rules"].([]any)
	if driver["name"] != "flaketap" || len(rules) != len(report.Categories()) {
		t.Errorf("the driver is %v", driver)
	}
	seen := map[any]bool{}
	results := run["results"].([]any)
	for _, one := range results {
		r := one.(map[string]any)
		i := int(r["ruleIndex"].(float64))
		if i < 0 || i >= len(rules) || rules[i].(map[string]any)["id"] != r["ruleId"] {
			t.Errorf("rule %v at %d", r["ruleId"], i)
		}
		if !slices.Contains([]any{"none", "note", "warning", "error"}, r["level"]) || r["message"].(map[string]any)["text"] == "" {
			t.Errorf("%v", r)
		}
		if !slices.Contains([]any{"new", "unchanged", "updated", "absent"}, r["baselineState"]) {
			t.Errorf("baseline %v", r["baselineState"])
		}
		fp := r["partialFingerprints"].(map[string]any)[fingerprint]
		if seen[fp] || fp == "" {
			t.Errorf("fingerprint %v", fp)
		}
		seen[fp] = true
	}
	physical := results[0].(map[string]any)["locations"].([]any)[0].(map[string]any)["physicalLocation"]
	want := map[string]any{"artifactLocation": map[string]any{"uri": "tests/test_orders.py"}, "region": map[string]any{"startLine": 12.0}}
	if diff := cmp.Diff(want, physical); diff != "" || len(results) != 4 {
		t.Errorf("%d results, the first at %s", len(results), diff)
	}
}

// TestFingerprintsAreStable: an assertion keeps its id where it moves to another line, and loses it where it says something else.
func TestFingerprintsAreStable(t *testing.T) {
	a := findings.Claim{File: "a.py", Line: 3, Statement: "assert x == 1", Place: "/body/x"}
	moved, other := a, a
	moved.Line, other.Statement = 9, "assert x == 2"
	if a.ID() != moved.ID() || a.ID() == other.ID() {
		t.Errorf("%s, %s, %s", a.ID(), moved.ID(), other.ID())
	}
}

func TestJUnitIsRead(t *testing.T) {
	var f junitFile
	if err := xml.Unmarshal([]byte(write(t, "junit", sample("]]>\x00&<"))), &f); err != nil {
		t.Fatal(err)
	}
	if f.Tests != 6 || f.Failures != 5 || len(f.Suites) != 2 || f.Suites[0].Cases[1].Failure != nil || f.Suites[0].Cases[0].Failure == nil {
		t.Errorf("%+v", f)
	}
}

// TestWorkflowCommandsAreReadBack: whatever a text holds, the runner reads from a command what was put into it.
func TestWorkflowCommandsAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		title, message := rapid.String().Draw(t, "title"), rapid.String().Draw(t, "message")
		line := "::warning title=" + report.WorkflowProperty(title) + ",line=3::" + report.WorkflowText(message)
		if strings.ContainsAny(line, "\r\n") {
			t.Fatalf("%q is more than one line", line)
		}
		properties, rest, _ := strings.Cut(strings.TrimPrefix(line, "::warning "), "::")
		read, _, _ := strings.Cut(properties, ",")
		undo := strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace
		if got := undo(strings.TrimPrefix(read, "title=")); got != title {
			t.Fatalf("the title %q is read as %q", title, got)
		}
		undo = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace
		if got := undo(rest); got != message {
			t.Fatalf("the message %q is read as %q", message, got)
		}
	})
}

// TestAnnotationsAreFew: GitHub drops what is more than it shows, so the first ones are those that matter.
func TestAnnotationsAreFew(t *testing.T) {
	f := sample("")
	for i := range 50 {
		p := f.Places[1]
		p.ID = fmt.Sprint("p", i)
		f.Places = append(f.Places, p)
	}
	lines := strings.Split(strings.TrimSpace(write(t, "github", f)), "\n")
	if len(lines) != maxAnnotations+2 || !strings.HasPrefix(lines[1], "::warning file=tests/test_orders.py,line=12,title=") ||
		!strings.Contains(lines[2], "/body/at") || !strings.Contains(lines[len(lines)-1], "and 44 more") {
		t.Errorf("%q", lines)
	}
}

func TestWhatCannotBeWrittenIsTold(t *testing.T) {
	full := errors.New("the disk is full")
	for _, form := range Forms() {
		if err := form.Write(failing{full}, sample("")); !errors.Is(err, full) {
			t.Errorf("%s: %v", form.Name, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestFirstAnnotations: of many things GitHub is told the gravest: outcomes, then what differs most often, whatever its
// name.
func TestFirstAnnotations(t *testing.T) {
	f := &findings.Findings{}
	for i := range 2 * maxAnnotations {
		f.Places = append(f.Places, findings.Place{ID: fmt.Sprint(i), Place: exchange.PlaceBody.Key(fmt.Sprintf("a%02d", i)), Changed: 1 + i, Of: 100})
	}
	f.Places = append(f.Places, findings.Place{ID: "s", Place: exchange.PlaceStatus, Changed: 1, Of: 100},
		findings.Place{ID: "n", Place: "/body/z", Changed: 2, Of: 100, Since: mapfile.Began})
	lines := strings.Split(write(t, "github", f), "\n")
	if len(lines) != maxAnnotations+3 || !strings.Contains(lines[1], "/body/z::") || !strings.Contains(lines[2], "/status::") ||
		!strings.Contains(lines[3], "/body/a19::") || !strings.Contains(lines[maxAnnotations], "/body/a12::") {
		t.Errorf("got\n%s", strings.Join(lines, "\n"))
	}
}
