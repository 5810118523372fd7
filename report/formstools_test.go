package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// marked writes a map as an Overlay for a description, and returns its actions by target.
func marked(t *testing.T, m *mapfile.Map, description string) map[string]overlayMarks {
	t.Helper()
	var o FormOptions
	if description != "" {
		if err := json.Unmarshal([]byte(description), &o.Description); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := WriteMap(&b, "overlay", m, o); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Actions []struct {
			Target string
			Update struct {
				Mark overlayMarks `json:"x-flaketap"`
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	out := map[string]overlayMarks{}
	for _, a := range doc.Actions {
		if _, twice := out[a.Target]; twice {
			t.Errorf("two actions for %s: the second would hide the first", a.Target)
		}
		out[a.Target] = a.Update.Mark
	}
	return out
}

// overlayMarks is any of the marks.
type overlayMarks struct {
	Judgement   mapfile.Judgement
	Holds       *mapfile.Holds
	Operations  []string
	Places      map[exchange.Place]*overlayMarks
	Undescribed []string
}

// moving is an operation whose body has the same moving places as others', and one of its own.
func moving(method, template string, status int, holds mapfile.Holds) *mapfile.Operation {
	field := func(p exchange.Place, j mapfile.Judgement, h mapfile.Holds) *mapfile.Field {
		return &mapfile.Field{Place: p, Judgement: j, Category: mapfile.Time, Changed: 3, Of: 4, Holds: h}
	}
	return &mapfile.Operation{Operation: exchange.Operation{Method: method, Template: template}, Status: status, Exchanges: 1, Fields: []*mapfile.Field{
		field("/body/lines/*/price", mapfile.Jitter, mapfile.Holds{Type: "number"}),
		field("/body/made", mapfile.Drift, holds),
		field("/body/meta/*/n", mapfile.Jitter, mapfile.Holds{Type: "integer"}),
		field("/body/undescribed", mapfile.Jitter, mapfile.Holds{Type: "string"}),
		field("/header/x-trace", mapfile.Jitter, mapfile.Holds{Type: "string"}),
		field("/status", mapfile.Jitter, mapfile.Holds{Type: "integer"}),
	}}
}

const orderDescription = `{"openapi":"3.0.3","paths":{
"/v1/orders/{id}":{"get":{"responses":{"200":{"$ref":"#/components/responses/Order"},"default":{"description":"x"}}}},
"/v1/orders":{"$ref":"#/paths/~1list"},
"/list":{"post":{"responses":{"2XX":{"headers":{"X-Trace":{"schema":{}}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Order"}}}}}},
  "put":{"responses":{}}},
"/loop":{"get":{"responses":{"200":{"content":{"a/b":{"schema":{"$ref":"#/components/schemas/Loop"}}}}}}}},
"components":{"responses":{"Order":{"description":"one","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Order"}}}}},
"schemas":{"Loop":{"$ref":"#/components/schemas/Loop"},
"Made":{"type":"object","properties":{"made":{"type":"string"}}},
"Order":{"allOf":[{"$ref":"#/components/schemas/Made"},{"properties":{"lines":{"type":"array","items":{"oneOf":[{"properties":{"price":{}}},{"properties":{"price":{}}}]}},
 "meta":{"additionalProperties":{"properties":{"n":{"type":"integer"}}}}}}]}}}}`

// TestOverlayFollowsReferences: targets are where the description has a place, once for all that refer there.
func TestOverlayFollowsReferences(t *testing.T) {
	m := &mapfile.Map{Operations: []*mapfile.Operation{
		moving("GET", "/v1/orders/{orderId}", 200, mapfile.Holds{Type: "string", Format: "date"}), moving("POST", "/v1/orders", 201, mapfile.Holds{Type: "string"}),
		moving("GET", "/base/v1/orders/{n}", 404, mapfile.Holds{}), moving("PUT", "/v1/orders", 200, mapfile.Holds{}), moving("GET", "/loop", 200, mapfile.Holds{}),
		moving("GET", "/elsewhere", 200, mapfile.Holds{}),
	}}
	got := marked(t, m, orderDescription)
	const schemas, order = "$['components']['schemas']", "$['components']['schemas']['Order']['allOf'][1]['properties']"
	both := []string{"GET /v1/orders/{orderId} 200", "POST /v1/orders 201"}
	for target, places := range map[string][]exchange.Place{
		schemas + "['Made']['properties']['made']":                              nil,
		order + "['lines']['items']['oneOf'][0]['properties']['price']":         nil,
		order + "['lines']['items']['oneOf'][1]['properties']['price']":         nil,
		order + "['meta']['additionalProperties']['properties']['n']":           nil,
		"$['components']['responses']['Order']":                                 {"/body/undescribed", "/header/x-trace", "/status"},
		"$['paths']['/list']['post']['responses']['2XX']":                       {"/body/undescribed", "/status"},
		"$['paths']['/list']['post']['responses']['2XX']['headers']['X-Trace']": nil,
		"$['paths']['/v1/orders/{id}']['get']['responses']['default']":          {"/body/lines/*/price", "/body/made", "/body/meta/*/n", "/body/undescribed", "/header/x-trace", "/status"},
		"$['paths']['/list']['put']":                                            nil,
		"$['paths']['/loop']['get']['responses']['200']":                        {"/body/lines/*/price", "/body/made", "/body/meta/*/n", "/body/undescribed", "/header/x-trace", "/status"},
		"$['info']": nil,
	} {
		mark, there := got[target]
		delete(got, target)
		if !there {
			t.Errorf("no action for %s", target)
			continue
		}
		var of []exchange.Place
		for place := range mark.Places {
			of = append(of, place)
		}
		slices.Sort(of)
		if places != nil && !slices.Equal(of, places) {
			t.Errorf("%s: %q, want %q", target, of, places)
		}
		if strings.HasPrefix(target, schemas) && !slices.Equal(mark.Operations, both) {
			t.Errorf("%s is said of %q", target, mark.Operations)
		}
		switch {
		case strings.HasSuffix(target, "['made']") && (mark.Holds != nil || mark.Judgement != mapfile.Drift):
			t.Errorf("%s: what holds is not the same in both: %+v", target, mark)
		case strings.HasSuffix(target, "['n']") && (mark.Holds == nil || mark.Holds.Type != "integer"):
			t.Errorf("%s: %+v", target, mark)
		case target == "$['info']" && !slices.Equal(mark.Undescribed, []string{"GET /elsewhere 200"}):
			t.Errorf("not described: %q", mark.Undescribed)
		}
	}
	for target := range got {
		t.Errorf("an action for %s", target)
	}
	inline := marked(t, m, "")
	for _, target := range []string{"$['paths']['/v1/orders']['post']['responses']['201']['content'][*]['schema']['properties']['lines']['items']['properties']['price']",
		"$['paths']['/elsewhere']['get']['responses']['200']['headers']['x-trace']"} {
		if _, there := inline[target]; !there {
			t.Errorf("without a description there is no %s", target)
		}
	}
}

// TestOverlayKeepsTheStrongest: of what operations share, the strongest judgement is said, in whichever order they are.
func TestOverlayKeepsTheStrongest(t *testing.T) {
	for _, judgements := range [][2]mapfile.Judgement{{mapfile.Drift, mapfile.Jitter}, {mapfile.Jitter, mapfile.WouldMove}} {
		m := &mapfile.Map{Operations: []*mapfile.Operation{
			moving("GET", "/v1/orders/{id}", 200, mapfile.Holds{}), moving("POST", "/v1/orders", 201, mapfile.Holds{}),
		}}
		for i, op := range m.Operations {
			op.At("/body/made").Judgement = judgements[i]
		}
		mark := marked(t, m, orderDescription)["$['components']['schemas']['Made']['properties']['made']"]
		if mark.Judgement != mapfile.Jitter || len(mark.Operations) != 2 {
			t.Errorf("%s and %s: %+v", judgements[0], judgements[1], mark)
		}
	}
}

// FuzzOverlay: whatever a description is, the actions find what they are for in it.
func FuzzOverlay(f *testing.F) {
	f.Add([]byte(orderDescription))
	f.Add([]byte(`{"paths":{"/loop":{"get":{"responses":{"200":{"schema":{"allOf":[{"$ref":"#/paths"},{"$ref":"#"}]}}}}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		o := FormOptions{}
		if json.Unmarshal(data, &o.Description) != nil {
			return
		}
		m := &mapfile.Map{Operations: []*mapfile.Operation{moving("GET", "/loop", 200, mapfile.Holds{}), moving("POST", "/v1/orders", 201, mapfile.Holds{})}}
		if err := WriteMap(&bytes.Buffer{}, "overlay", m, o); err != nil {
			t.Fatal(err)
		}
	})
}

// TestEvoMasterNames: the list has each name once, in lower case, as EvoMaster compares them, and none that it would cut.
func TestEvoMasterNames(t *testing.T) {
	m := oddMap()
	m.Operations = append(m.Operations, &mapfile.Operation{Operation: exchange.Operation{Method: "GET", Template: "/more"}, Status: 200, Fields: []*mapfile.Field{
		{Place: "/body/CreatedAt", Judgement: mapfile.Jitter}, {Place: exchange.PlaceBody.Key("a,b"), Judgement: mapfile.Jitter}, {Place: exchange.PlaceBody.Key(" x "), Judgement: mapfile.Jitter},
		{Place: "/body/tags/*", Judgement: mapfile.Jitter}, {Place: "/body/calm", Judgement: mapfile.Stable},
	}})
	var b bytes.Buffer
	if err := WriteMap(&b, "evomaster", m, FormOptions{}); err != nil {
		t.Fatal(err)
	}
	var doc struct{ Configs map[string]string }
	if err := yaml.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	names := strings.Split(doc.Configs["fieldsToSkipInAssertions"], ",")
	for _, name := range names {
		if name == "" || strings.TrimSpace(name) != name || strings.ToLower(name) != name {
			t.Errorf("%q", name)
		}
	}
	if unique := slices.Compact(slices.Sorted(slices.Values(names))); len(unique) != len(names) || len(doc.Configs) != 1 {
		t.Errorf("%q", names)
	}
	for name, want := range map[string]bool{"createdat": true, "tags": true, "a": false, "x": true, "calm": false} {
		if slices.Contains(names, name) != want {
			t.Errorf("%s is in the list: %v", name, !want)
		}
	}
	if !strings.Contains(b.String(), `cannot say it: "a,b": GET /more`) {
		t.Error("nothing is said of a name with a comma")
	}
}

// TestPactRules: each rule is about something in the example, and the example keeps to it.
func TestPactRules(t *testing.T) {
	var doc struct {
		Interactions []struct {
			Description string
			Request     struct{ Path string }
			Response    struct {
				Status        int
				Headers       map[string]string
				Body          *struct{ Content map[string]any }
				MatchingRules struct {
					Body map[string]struct{ Matchers []map[string]any }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(form(t, "pact", FormOptions{})), &doc); err != nil {
		t.Fatal(err)
	}
	for _, i := range doc.Interactions {
		if strings.Contains(i.Description, "b.example") || strings.ContainsAny(i.Request.Path, "{}") {
			t.Errorf("%s asks for %s", i.Description, i.Request.Path)
		}
	}
	// of one host, the same places are told
	m := &mapfile.Map{Operations: []*mapfile.Operation{odd()}}
	op := m.Operations[0]
	op.Host = ""
	op.Fields = slices.DeleteFunc(op.Fields, func(f *mapfile.Field) bool { return f.Place == exchange.PlaceStatus })
	p := &pactWriter{op: op, rules: pactRules{Header: map[string]pactRule{}, Body: map[string]pactRule{}}}
	body, _ := p.body().Content.(map[string]any)
	match := func(path string) string {
		if rule, there := p.rules.Body[path]; there {
			return rule.Matchers[0].Match
		}
		return ""
	}
	for path, want := range map[string]string{
		"$['*']": "boolean", "$['=1+1|`@all']": "regex", "$.__proto__": "regex", "$.data": "type", "$.data[*].id": "regex", "$.list": "type", "$.maps": "type", "$.text": "type",
		"$.same": "", "$['a.b/c~d']": "", "$.gone": "", "$['$ref['x']']": "",
	} {
		if got := match(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	for key, want := range map[string]bool{"same": true, "*": true, "gone": false, "": false, "$ref['x']": false, "a.b/c~d": false} {
		if _, there := body[key]; there != want {
			t.Errorf("%q in the example: %v", key, there)
		}
	}
	if d := cmp.Diff([]any{map[string]any{"id": "text"}}, body["data"]); d != "" {
		t.Error(d)
	}
}

// TestSyrupyModule has Python load the module, with no more of syrupy than three of its functions, and match values.
func TestSyrupyModule(t *testing.T) {
	python := tool(t, "python3", "python")
	dir := t.TempDir()
	for name, data := range map[string]string{"volatile.py": form(t, "syrupy", FormOptions{}), "syrupy/__init__.py": "", "syrupy/extensions/__init__.py": "",
		"syrupy/extensions/amber/__init__.py": "", "syrupy/extensions/amber/serializer.py": "def Repr(s): return '<' + s + '>'\n", "syrupy/matchers.py": syrupyStandIn, "trial.py": syrupyTrial} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.TrimSpace(runTool(t, python, filepath.Join(dir, "trial.py"))); got != "good" {
		t.Error(got)
	}
}

// syrupyStandIn does what syrupy documents of these: of the paths that match, values of the types are given to the replacer.
const syrupyStandIn = `
import re

def path_type(mapping, regex, replacer):
    assert regex
    def matcher(data, path):
        for pattern, types in mapping.items():
            match = re.fullmatch(pattern, path)
            if match and isinstance(data, tuple(types)):
                return replacer(data, match)
        return data
    return matcher

def path_value(mapping, types, regex, replacer):
    return path_type(dict.fromkeys(mapping, types), regex, lambda data, match: replacer(data, re.fullmatch(mapping[match.re.pattern], str(data))))

def compose_matchers(*all):
    def matcher(data, path):
        for m in all:
            data = m(data, path)
        return data
    return matcher
`

const syrupyTrial = `
from volatile import lower, volatile

v = volatile["GET //b.example:8443/odd/v{version}/{it's} 200"]
match, absent = v["body"]["matcher"], v["body"]["exclude"]

def held(path, value):
    return match(value, path) != value

assert held("*", True) and not held("*", "true") and not held("*", 1)
assert held("=1+1|` + "`" + `@all", None) and held("=1+1|` + "`" + `@all", "7b0d4a52-6b0e-4f5e-9a3e-5a4f4f0f7a11") and not held("=1+1|` + "`" + `@all", "x")
assert held("__proto__", "a|b") and not held("__proto__", "b")
assert held("data.0.id", "0123abcd") and not held("data.0.id", "no") and not held("data.0.other", "0123abcd")
assert held("a.b/c~d", 4) and held("a.b/c~d", "x") and not held("a.b/c~d", True)
assert held("list", [1]) and not held("list", "x")
assert held("$ref['x']", "a/b./\"'x\n") and not held("$ref['x']", "a/b.")
assert not held("same", "x") and not held("", {"a": 1})
assert absent(prop="gone", path=()) and absent(prop="", path=()) and not absent(prop="in", path=(("kept", dict),))
assert v["headers"]["matcher"]("0123abcd/x", "x-trace").startswith("<") and v["headers"]["matcher"]("x", "x-trace") == "x"
assert lower({"X-A": 1}) == {"x-a": 1}
print("good")
`

// TestSyrupyFraming: the length of a body stood still in all runs, and is another as soon as the body is.
func TestSyrupyFraming(t *testing.T) {
	m := &mapfile.Map{Operations: []*mapfile.Operation{moving("GET", "/a", 200, mapfile.Holds{})}}
	m.Operations[0].Fields = append(m.Operations[0].Fields, &mapfile.Field{Place: exchange.HeaderPlace("content-length"), Judgement: mapfile.Stable, Protocol: true,
		Of: 4, Holds: mapfile.Holds{Type: "string", Equal: json.RawMessage(`"747"`)}})
	var b bytes.Buffer
	if err := WriteMap(&b, "syrupy", m, FormOptions{}); err != nil || !strings.Contains(b.String(), `_typed("any value", (object,), "content-length"),`) {
		t.Errorf("%v\n%s", err, b.String())
	}
}
