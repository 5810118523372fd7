package junit

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/notation"
)

func forms() map[string]func(plan.Plan) ([]suite.File, error) {
	return map[string]func(plan.Plan) ([]suite.File, error){"junit": Write, "kotlin": WriteKotlin}
}

// TestJUnitFormats compares the table of formats in the runtime with that of the judgement.
func TestJUnitFormats(t *testing.T) {
	data, err := os.ReadFile("runtime/Formats.java")
	if err != nil {
		t.Fatal(err)
	}
	entry := regexp.MustCompile(`Map\.entry\(\s*"(\w+)",\s*("(?:[^"\\]|\\.)*(?:"\s*\+\s*"(?:[^"\\]|\\.)*)*")\)`)
	got := map[string]string{}
	for _, m := range entry.FindAllStringSubmatch(string(data), -1) {
		text := regexp.MustCompile(`"\s*\+\s*"`).ReplaceAllString(m[2], "")
		if got[m[1]], err = strconv.Unquote(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if diff := cmp.Diff(notation.FormatPatterns(), got); diff != "" {
		t.Errorf("formats (-go +runtime):\n%s", diff)
	}
}

// A text that is cut is whole when it is put together, and each part fits.
func TestJUnitCut(t *testing.T) {
	j := javaLanguage()
	measure := func(s string) int { return word(j.literal(s)).width() }
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		width := rapid.IntRange(20, 70).Draw(t, "width")
		parts := cut(text, width, j.columns)
		if got := strings.Join(parts, ""); got != text {
			t.Fatalf("%q is cut to %q", text, parts)
		}
		for _, p := range parts {
			if measure(p)-2 > width {
				t.Fatalf("%q is wider than %d", p, width)
			}
		}
	})
}

// No comment has more than its line, or what Java would read as a character.
func TestJUnitComments(t *testing.T) {
	for in, want := range map[string]string{
		"a\nb\r\u2028c": "    // a b c",
		`C:\users`:      `    // C:\\users`,
		`\\u0041`:       `    // \\\\u0041`,
		"":              "    //",
	} {
		if got := strings.Join(javaLanguage().comment(in, 4), "\n"); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	long := strings.Repeat("word ", 50) + strings.Repeat("x", 300)
	for _, line := range kotlinLanguage().comment(long, 6) {
		if len(line) > lineWidth || !strings.HasPrefix(line, "      // ") {
			t.Errorf("the line %q", line)
		}
	}
}

func TestJUnitNames(t *testing.T) {
	for in, want := range map[string]string{
		"post_orders_gives_201": "postOrdersGives201", "class": "classTest", "wait": "waitTest", "when": "whenTest", "": "test",
		"2fa": "test2fa", "given": "givenTest", "needs_flaketap": "needsFlaketapTest",
	} {
		if got := methodName(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	names := map[string]bool{}
	for _, tt := range []struct{ group, want string }{{"a_b", "ABTest"}, {"ab", "Ab2Test"}, {"", "ApiTest"}, {"2fa", "Api2faTest"}} {
		if got := unique(names, className(tt.group), "Test"); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.group, got, tt.want)
		}
	}
}

// TestJUnitTargets: what REST-assured would write otherwise is sent apart.
func TestJUnitTargets(t *testing.T) {
	for target, want := range map[string]bool{
		"/": true, "/orders/1": true, "/orders?a=1&b=x%20y": true, "/a;b=c/d,e": true, "/a/%2F/b": true,
		"": false, "*": false, "//a": false, "/a//b": false, "/a/../b": false, "/{x}": false, "/a b": false, "/ä": false, "/a?": false,
		"/a?b": false, "/a?b=1&b=2": false, "/a?b=": false, "/a?=b": false, "/a#b": false, "/%zz": false, "/a?b=c=d": false, "/a?b=c+d": false,
		"http://x/y": false, "?a=b": false,
	} {
		if got := plainTarget(plan.Text{{Literal: target}}); got != want {
			t.Errorf("%q: %v, want %v", target, got, want)
		}
	}
}

// TestJUnitLong: what is too long for a constant, a method or a class is cut.
func TestJUnitLong(t *testing.T) {
	step := plan.Step{Role: plan.Tested, Title: "POST /x", Method: "POST", Target: plan.Text{{Literal: "/x"}}, Checks: []plan.Check{{Kind: plan.CheckStatus, Statuses: []int{200}}}}
	big := step
	big.Body = &plan.Body{Text: plan.Text{{Literal: strings.Repeat("é \"$\\u", 30000)}}}
	test := plan.Test{Name: "long", Group: "long", Steps: []plan.Step{big}}
	for range 1500 {
		test.Steps = append(test.Steps, step)
	}
	for form, write := range forms() {
		files, err := write(plan.Plan{Tests: []plan.Test{test, test}})
		if err != nil {
			t.Fatal(err)
		}
		classes := 0
		for _, f := range files {
			if !strings.Contains(f.Name, "Long") {
				continue
			}
			classes++
			if n := strings.Count(string(f.Data), "Part"); n < 4 {
				t.Errorf("%s: %d parts", f.Name, n)
			}
			constant := 0
			for i, line := range strings.Split(string(f.Data), "\n") {
				if len([]rune(line)) > lineWidth {
					t.Errorf("%s:%d is %d wide", f.Name, i+1, len([]rune(line)))
				}
				constant += len(line)
				if strings.HasSuffix(line, ",") || strings.HasSuffix(line, "{") {
					constant = 0
				}
				if constant > 60000 && strings.Contains(line, `\\u`) {
					t.Errorf("%s:%d: a constant of %d bytes", f.Name, i+1, constant)
					break
				}
			}
		}
		if classes != 2 {
			t.Errorf("%s: %d classes, want 2", form, classes)
		}
	}
}
