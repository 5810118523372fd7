package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// odd has names and values that every form must escape.
func odd() *mapfile.Operation {
	body := exchange.PlaceBody
	field := func(p exchange.Place, h mapfile.Holds) *mapfile.Field {
		return &mapfile.Field{Place: p, Judgement: mapfile.Jitter, Category: mapfile.Rand, Changed: 3, Of: 4, Bound: 0.9, Holds: h,
			Evidence: []string{"moved:3/4", "shape:number"}, Samples: raws(`"\ud83d\ude00|` + "`" + `"`)}
	}
	two := 2
	op := &mapfile.Operation{Operation: exchange.Operation{Method: "GET", Template: "/odd/v{version}/{it's}", Host: "b.example:8443"}, Status: 200, Exchanges: 4,
		Fields: []*mapfile.Field{
			field(body.Key(""), mapfile.Holds{Type: "integer", Min: "0", Max: "18446744073709551616"}),
			field(body.Key("$ref['x']"), mapfile.Holds{Type: "string", Pattern: `^a/b\.[/\\]"'x` + "\n" + `$`}),
			field(body.Key("*"), mapfile.Holds{Type: "boolean"}),
			field(body.Key("=1+1|`@all"), mapfile.Holds{Type: "null|string", Format: "uuid4"}),
			field(body.Key("__proto__"), mapfile.Holds{OneOf: raws(`"a|b"`, `"ü$"`), Type: "string"}),
			field(body.Key("a.b/c~d"), mapfile.Holds{Type: "integer|string"}),
			field(body.Key("data").Each().Key("id"), mapfile.Holds{Type: "string", Format: "hex:8"}),
			field(body.Key("gone"), mapfile.Holds{Type: "object", Optional: true}),
			field(body.Key("gone").Key("in"), mapfile.Holds{Type: "string"}),
			field(body.Key("list"), mapfile.Holds{Type: "array", Order: "any", MinLength: &two}),
			field(body.Key("list").Each().Key("x"), mapfile.Holds{Type: "string"}),
			field(body.Key("maps").Each(), mapfile.Holds{Type: "number"}),
			field(body.Key("maps").Key("known"), mapfile.Holds{Type: "number"}),
			{Place: body.Key("same"), Judgement: mapfile.Stable, Of: 4, Holds: mapfile.Holds{Type: "string", Equal: json.RawMessage(`"${json-unit.ignore}{{x}}"`)}},
			field(body.Key("text"), mapfile.Holds{Type: "string"}),
			field(body.Key("text").Part(exchange.PartJSON).Key("part"), mapfile.Holds{Type: "integer"}), // of a text that was taken apart
			field(body.Key("\u202e\u2028🍪\x1b"), mapfile.Holds{}),
			field(exchange.HeaderPlace("X-Trace"), mapfile.Holds{Type: "string", Pattern: `^[0-9a-f]{8}/x$`}),
			field(exchange.PlaceStatus, mapfile.Holds{Type: "integer", OneOf: raws("200", "503")}),
		}}
	ignored := field(exchange.HeaderPlace("x-ignored"), mapfile.Holds{Type: "string", Pattern: "^never-asserted$"})
	ignored.Rule = &mapfile.Ruling{Kind: mapfile.Ignore, Because: "a | b", Judgement: mapfile.Jitter, Category: mapfile.Rand}
	op.Fields = append(op.Fields, ignored)
	return op
}

func oddMap() *mapfile.Map {
	m := sampleInput().Map
	m.Operations = append(m.Operations, odd(),
		&mapfile.Operation{Operation: exchange.Operation{Method: "FOO BAR", Template: "*"}, Status: 0, Exchanges: 1, Fields: []*mapfile.Field{
			{Place: exchange.PlaceStatus, Judgement: mapfile.Jitter, Category: mapfile.Unk, Changed: 1, Of: 1, Bound: 1}}})
	return m
}

func form(t *testing.T, name string, o FormOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteMap(&b, name, oddMap(), o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestForms(t *testing.T) {
	for _, name := range MapForms() {
		t.Run(name, func(t *testing.T) {
			got := form(t, name, FormOptions{})
			if form(t, name, FormOptions{}) != got {
				t.Error("the same map gave other bytes")
			}
			if i := strings.IndexFunc(got, func(r rune) bool { return r == '\x1b' || r == 0x202e || r == 0x2028 }); i >= 0 && name != "json" {
				t.Errorf("what a terminal would obey stands raw in it: %q", got[max(0, i-40):i+4])
			}
			if strings.Contains(got, "never-asserted") != (name == "json" || name == "yaml" || name == "csv" || name == "markdown") {
				t.Error("what is ignored must be asserted by nobody, and be shown where places are listed")
			}
			isGolden(t, filepath.Join("testdata", "forms", name), got)
			if err := WriteMap(fullDisk{}, name, oddMap(), FormOptions{}); !errors.Is(err, errFull) {
				t.Errorf("a full disk is not told: %v", err)
			}
			if err := WriteMap(&bytes.Buffer{}, name, &mapfile.Map{}, FormOptions{}); err != nil {
				t.Errorf("an empty map: %v", err)
			}
		})
	}
	if err := WriteMap(&bytes.Buffer{}, "xml", oddMap(), FormOptions{}); err == nil || !strings.Contains(err.Error(), "json, yaml") {
		t.Errorf("an unknown form: %v", err)
	}
}

// TestYAMLIsTheMap: the YAML form says what the JSON form says.
func TestYAMLIsTheMap(t *testing.T) {
	for _, o := range []FormOptions{{}, {All: true}} {
		var fromYAML, fromJSON any
		if err := yaml.Unmarshal([]byte(form(t, "yaml", o)), &fromYAML); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(form(t, "json", o)), &fromJSON); err != nil {
			t.Fatal(err)
		}
		normal, err := json.Marshal(fromYAML)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(normal, &fromYAML); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(fromJSON, fromYAML); diff != "" {
			t.Errorf("-json +yaml\n%s", diff)
		}
	}
}

func TestCSVHasALineForEachPlace(t *testing.T) {
	for _, all := range []bool{false, true} {
		lines, err := csv.NewReader(strings.NewReader(form(t, "csv", FormOptions{All: all}))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		want := 1
		for _, op := range oddMap().Operations {
			for _, f := range op.Fields {
				if all || f.Judgement != mapfile.Stable {
					want++
				}
			}
		}
		if len(lines) != want {
			t.Errorf("all %v: %d lines, want %d", all, len(lines), want)
		}
		for _, cells := range lines {
			for _, c := range cells {
				if c != "" && strings.ContainsAny(c[:1], "=+-@") {
					t.Errorf("a formula: %q", c)
				}
			}
		}
	}
}

// TestMarkdownRows: every row of a table has as many cells as its head, whatever a place is called.
func TestMarkdownRows(t *testing.T) {
	cells := regexp.MustCompile(`(^|[^\\])\|`)
	for _, l := range strings.Split(form(t, "markdown", FormOptions{All: true}), "\n") {
		if strings.HasPrefix(l, "|") && len(cells.FindAllString(l, -1)) != 7 {
			t.Errorf("%d bars: %s", len(cells.FindAllString(l, -1)), l)
		}
	}
}

func TestKeployNoise(t *testing.T) {
	var doc struct {
		Test struct {
			GlobalNoise struct {
				Global map[string]map[string][]string `yaml:"global"`
			} `yaml:"globalNoise"`
		}
	}
	if err := yaml.Unmarshal([]byte(form(t, "keploy", FormOptions{})), &doc); err != nil {
		t.Fatal(err)
	}
	noise := doc.Test.GlobalNoise.Global
	for _, key := range []string{"a.b/c~d", "data.id", "$ref['x']", "*", "lines.price"} {
		if _, ok := noise["body"][key]; !ok {
			t.Errorf("body has no %q", key)
		}
	}
	if got := noise["header"]["x-trace"]; len(got) != 1 || got[0] != `^[0-9a-f]{8}/x$` {
		t.Errorf("x-trace: %q", got)
	}
	for key, patterns := range noise["body"] {
		for _, p := range patterns {
			if _, err := regexp.Compile(p); err != nil {
				t.Errorf("%s: %v", key, err)
			}
		}
	}
}

func TestWireMockMappings(t *testing.T) {
	var doc struct {
		Mappings []struct {
			Name     string
			Request  map[string]any
			Response struct{ Status int }
			Metadata struct {
				Flaketap struct {
					Headers      map[string]map[string]string
					BodyPatterns []struct{ EqualToJSON map[string]any }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(form(t, "wiremock", FormOptions{})), &doc); err != nil {
		t.Fatal(err)
	}
	last := doc.Mappings[len(doc.Mappings)-1]
	if last.Response.Status != 200 || last.Request["urlPathPattern"] != "/odd/v[^/]+/[^/]+" {
		t.Errorf("%+v", last)
	}
	body := last.Metadata.Flaketap.BodyPatterns[0].EqualToJSON
	for key, want := range map[string]any{
		"*": "${json-unit.any-boolean}", "": "${json-unit.any-number}", "__proto__": `${json-unit.regex}^(?:a\|b|ü\$)$`,
		"=1+1|`@all": anything, "list": anything, "gone": nil, "data": anything, "same": "${json-unit.any-string}", "maps": anything,
	} {
		if body[key] != want {
			t.Errorf("%q: %v, want %v", key, body[key], want)
		}
	}
}

// tool skips a test where a tool is not on this machine; on CI that is a failure.
func tool(t *testing.T, names ...string) string {
	t.Helper()
	return needs.Program(t, names...)
}

func runTool(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

// TestJestMatches has Node load the module, with no more of Jest than its matchers, and match answers with it.
func TestJestMatches(t *testing.T) {
	node := tool(t, "node")
	dir := t.TempDir()
	for name, data := range map[string]string{"matchers.js": form(t, "jest", FormOptions{}), "try.js": jestTrial} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	runTool(t, node, "--check", filepath.Join(dir, "matchers.js"))
	if got := runTool(t, node, filepath.Join(dir, "try.js")); got != "good\n" {
		t.Error(got)
	}
}

const jestTrial = `
const is = (test) => ({ asymmetricMatch: test });
global.expect = {
  any: (c) => is((v) => v !== null && v !== undefined && (v.constructor === c)),
  stringMatching: (re) => is((v) => typeof v === 'string' && re.test(v)),
  objectContaining: (o) => is((v) => Object.keys(o).every((k) => o[k].asymmetricMatch(v[k]))),
};
const { matchers, strip } = require('./matchers.js');
const m = matchers["GET //b.example:8443/odd/v{version}/{it's} 200"];
const check = (what, got, want) => { if (got !== want) { console.log(what, got); process.exit(1); } };
const one = (key, value, want) => check(key + ' ' + value, m.body[key].asymmetricMatch(value), want);
one('', 3, true); one('', 3.5, false); one('', -1, false);
one("$ref['x']", "a/b./\"'x\n", true); one("$ref['x']", "a/b.", false);
one('*', true, true); one('*', 'true', false);
one('=1+1|` + "`" + `@all', null, true); one('=1+1|` + "`" + `@all', '7b0d4a52-6b0e-4f5e-9a3e-5a4f4f0f7a11', true);
one('a.b/c~d', 4, true); one('a.b/c~d', 'x', true); one('a.b/c~d', null, false);
check('prototype', Object.getPrototypeOf(m.body) === Object.prototype && m.body['__proto__'].asymmetricMatch('a|b'), true);
one('data', [{ id: '0123abcd', more: 1 }, { id: 'ffffffff' }], true); one('data', [{ id: 'nothex' }], false);
one('maps', { a: 1 }, true);
check('status', m.status.asymmetricMatch(503), true);
check('header', m.headers['x-trace'].asymmetricMatch('0123abcd/x'), true);
const body = { gone: { in: 'x' }, kept: 1 };
check('strip', JSON.stringify(strip(body, m.optional)), '{"kept":1}');
check('copy', 'gone' in body, true);
check('below', 'in' in m.body, false);
console.log('good');
`

// TestSchemathesisHooks has Python load the module, with no more of Schemathesis than the name of its decorator.
func TestSchemathesisHooks(t *testing.T) {
	python := tool(t, "python3", "python")
	dir := t.TempDir()
	for name, data := range map[string]string{
		"flaketap_hooks.py": form(t, "schemathesis", FormOptions{}), "schemathesis.py": "def check(f): return f\n", "requests.py": "", "trial.py": schemathesisTrial,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	runTool(t, python, "-m", "py_compile", filepath.Join(dir, "flaketap_hooks.py"))
	if got := strings.TrimSpace(runTool(t, python, filepath.Join(dir, "trial.py"))); got != "good" {
		t.Error(got)
	}
}

const schemathesisTrial = `
from types import SimpleNamespace
import flaketap_hooks as h

moves, headers, places = h.volatile("get", "/odd/v2/x", 200)
assert moves and headers == ["x-trace", "x-ignored"], headers
assert ("__proto__",) in places and ("data", h.EACH, "id") in places and ("\u202e\u2028\U0001f36a\x1b",) in places, places
assert h.volatile("GET", "/odd/v2/x/y", 200) == (False, [], [])
headers, body = h.strip("GET", "/odd/v2/x", 200, {"X-Trace": "1", "Date": "2", "ETag": "3"},
                        {"": 1, "*": 2, "data": [{"id": 1, "b": 2}, 7], "same": 3, "list": None})
assert headers == {"etag": "3"}, headers
assert body == {"data": [{"b": 2}, 7], "same": 3}, body


class Session:
    answers = []
    def __enter__(self): return self
    def __exit__(self, *_): return None
    def send(self, request, **_): return self.answers.pop()


def answer(body, status=200, path="/odd/v2/x", **headers):
    request = SimpleNamespace(url="http://h" + path + "?q=1", method="GET", copy=lambda: None)
    return SimpleNamespace(request=request, status_code=status, headers=headers, json=lambda: body)


h.requests.Session = Session
def alike(first, second):
    Session.answers = [second]
    try:
        h.answers_alike(None, first, None)
    except AssertionError:
        return False
    return True

assert alike(answer({"same": 1, "*": 1}), answer({"same": 1, "*": 2}))
assert not alike(answer({"same": 1}), answer({"same": 2}))
assert alike(answer({}), answer({}, 503))
assert not alike(answer({}, path="/else"), answer({}, 503, path="/else"))
assert not alike(answer({}, etag="1"), answer({}, etag="2"))
print("good")
`
