package write

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/write/plan"
)

// The parts of Hurl's grammar that the writer uses.
const (
	hurlEscape  = `\\(?:["\\/bfnrt#` + "`" + `]|u\{[0-9a-f]{1,6}\})`
	hurlVar     = `\{\{[A-Za-z_][A-Za-z0-9_]*\}\}`
	hurlQuoted  = `"(?:` + hurlEscape + `|` + hurlVar + `|[^"\\\x00-\x1f{]|\{[^{\\"\x00-\x1f]|\{\\"|\{\\\\)*"`
	hurlTicked  = "`(?:" + hurlEscape + `|` + hurlVar + "|[^`\\\\\\x00-\\x1f{]|\\{[^{`\\\\\\x00-\\x1f])*`"
	hurlBare    = `(?:` + hurlEscape + `|` + hurlVar + `|[^#\\\x00-\x1f{]|\{[^{\\\x00-\x1f])*`
	hurlSlashed = `/(?:[^/\\\n]|\\.)+/`
	hurlQuery   = `(?:status|body|bytes|sha256|(?:header|cookie|jsonpath) ` + hurlQuoted + `)`
	hurlFilter  = `(?: (?:count|toString|urlEncode|urlDecode|base64UrlSafeDecode|daysBeforeNow|nth \d+|` +
		`(?:toDate|split|decode|jsonpath) ` + hurlQuoted + `|regex ` + hurlSlashed +
		`|replaceRegex ` + hurlSlashed + ` ` + hurlQuoted + `))*`
	hurlNumber    = `-?(?:0|[1-9]\d*)(?:\.\d+)?`
	hurlPredicate = `(?:not )?(?:exists|isString|isInteger|isNumber|isBoolean|isList|isObject|` +
		`(?:==|!=|>=|<=) (?:` + hurlNumber + `|true|false|null|hex,[0-9a-f]*;|` + hurlQuoted + `)|(?:endsWith|contains) ` + hurlQuoted + `|matches ` + hurlSlashed + `)`
)

var hurlLines = map[string]*regexp.Regexp{
	"request":    regexp.MustCompile(`^[A-Z]+ (?:` + hurlVar + `|https?://)` + hurlBare + `$`),
	"header":     regexp.MustCompile(`^(?:[A-Za-z0-9_.$-]|\\u\{[0-9a-f]+\})+: ?` + hurlBare + `$`),
	"body":       regexp.MustCompile("^(?:" + hurlTicked + `|base64,[A-Za-z0-9+/]*={0,2};|file,[A-Za-z0-9/.]+;)$`),
	"response":   regexp.MustCompile(`^HTTP (?:\*|[1-9]\d\d)$`),
	"[Captures]": regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*: ` + hurlQuery + hurlFilter + `$`),
	"[Asserts]":  regexp.MustCompile(`^` + hurlQuery + hurlFilter + ` ` + hurlPredicate + `$`),
}

// hurlProblem says where a file breaks the grammar, "" where it does not. Each part of an entry may be followed by
// those that come after it.
func hurlProblem(text string) string {
	after := map[string][]string{
		"":           {"request"},
		"request":    {"header", "body", "response", "request"},
		"header":     {"header", "body", "response", "request"},
		"body":       {"response", "request"},
		"response":   {"[Captures]", "[Asserts]", "request"},
		"[Captures]": {"[Captures]", "[Asserts]", "request"},
		"[Asserts]":  {"[Asserts]", "request"},
	}
	state := ""
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if line == "[Captures]" || line == "[Asserts]" {
			if state != "response" && !(state == "[Captures]" && line == "[Asserts]") {
				return fmt.Sprintf("line %d: %s after %s", i+1, line, state)
			}
			state = line
			continue
		}
		next := ""
		for _, s := range after[state] {
			if hurlLines[s].MatchString(line) && (s[0] != '[' || s == state) {
				next = s
				break
			}
		}
		if next == "" {
			return fmt.Sprintf("line %d, after %q: %s", i+1, state, line)
		}
		state = next
	}
	return ""
}

// TestHurlGrammar: what is written is Hurl's grammar, of the sample and of hostile texts.
func TestHurlGrammar(t *testing.T) {
	p := samplePlan()
	p.Tests[0].Steps[1].Headers[2].Value = lit("a\tb {{x}} # {")
	p.Tests[1].Steps[0].Checks[0].Statuses = []int{200}
	hostile := lit("</script> {{x}} {\" `${z}` #\u2028\\ {")
	p.Tests[2].Steps = append(p.Tests[2].Steps, plan.Step{
		Role: plan.Tested, Seq: 11, Title: "a\nb", Method: "POST", Target: lit("/{{x}}?q={y}"), Body: &plan.Body{Text: hostile},
		Headers: []plan.Header{{Name: "X:Odd", Value: lit(" {{x}} #\\ ")}},
		Checks: []plan.Check{
			{Kind: plan.CheckStatus, Statuses: []int{200}}, {Kind: plan.CheckText, Text: hostile},
			{Kind: plan.CheckJSON, JSON: []byte(`{"a\"b{{c}}'":"\u2028{{x}}","__proto__":1e5,"half":"\\ud800"}`)},
		},
	})
	files, err := Write("hurl", p)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name, ".hurl") {
			continue
		}
		if problem := hurlProblem(string(f.Data)); problem != "" {
			t.Errorf("%s: %s", f.Name, problem)
		}
	}
	for _, wrong := range []string{
		"GET {{url}}/a b {{\n", "GET {{url}}/\nHTTP 20\n", "GET {{url}}/\n[Asserts]\n", "GET {{url}}/\nHTTP 200\n[Asserts]\njsonpath \"a\"b\" == 1\n",
		"GET {{url}}/\nHTTP 200\n[Asserts]\njsonpath \"a\" = 1\n", "GET {{url}}/\nHTTP 200\n[Asserts]\nbody == \"{{x\"\n", "POST {{url}}/\n`a`b`\n",
	} {
		if hurlProblem(wrong) == "" {
			t.Errorf("nothing is wrong with %q", wrong)
		}
	}
}
