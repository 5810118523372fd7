package volatility

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
	"github.com/flaketap/flaketap/volatility/relation"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// rich is a recording with every kind of field.
func rich() *api {
	return &api{runs: 4, steps: 3, answer: func(c call) answer {
		extra := ""
		if c.rng.IntN(2) == 0 {
			extra = `,"sometimes":1`
		}
		return answer{
			body: fmt.Sprintf(`{"at":%d,"id":"%s","n":%d,"l":%s,"<s>":"same","seed":"7d444840-9dc0-11d1-b245-5ffdce74fad2","today":"%s","token":"%s"%s}`,
				c.at.UnixMilli(), uuid(c), pickInt(c.run == 0, 1, 2), shuffled(c, "1", "2", "3"), c.at.Format(time.DateOnly), uuid(c), extra),
			head: "Date: " + c.at.Format("Mon, 02 Jan 2006 15:04:05 GMT") + "\r\n",
		}
	}}
}

func encode(t *testing.T, m *mapfile.Map, all bool) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Encode(&b, mapfile.EncodeOptions{All: all}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	m := rich().judge(t)
	first := encode(t, m, true)
	if again := encode(t, rich().judge(t), true); !bytes.Equal(first, again) {
		t.Error("two judgements of the same recording give different bytes")
	}
	got, err := mapfile.Decode(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m.Operations, got.Operations, cmpopts.IgnoreUnexported(mapfile.Operation{})); diff != "" {
		t.Errorf("-judged +decoded\n%s", diff)
	}
	if again := encode(t, got, true); !bytes.Equal(first, again) {
		t.Error("what was decoded encodes otherwise")
	}
	if f := got.Operations[0].At("/body/l/2"); f == nil || f.Place != "/body/l/*" {
		t.Errorf("look-up in a decoded map: %v", f)
	}
}

func TestStableOnlyWithAll(t *testing.T) {
	m := rich().judge(t)
	few, all := encode(t, m, false), encode(t, m, true)
	if bytes.Contains(few, []byte(`"judgement": "stable"`)) || !bytes.Contains(all, []byte(`"judgement": "stable"`)) {
		t.Error("stable places are for --all")
	}
	// Every judgement is in the fixture, so that the tests of the file see them all.
	for _, want := range []mapfile.Judgement{mapfile.Jitter, mapfile.Drift, mapfile.WouldMove, mapfile.Hint, mapfile.Stable} {
		if !bytes.Contains(all, []byte(`"judgement": "`+string(want)+`"`)) {
			t.Errorf("no %s in the fixture", want)
		}
	}
	if !bytes.Contains(few, []byte(`"version": 2`)) || bytes.Contains(few, []byte(`\u003c`)) {
		t.Error("encoding is not as documented")
	}
}

func TestDecodeRefuses(t *testing.T) {
	good := string(encode(t, rich().judge(t), false))
	for name, c := range map[string]struct{ in, want string }{
		"cut in half":   {good[:len(good)/2], "unexpected EOF"},
		"another file":  {`{"openapi":"3.0.0"}`, "not a volatile map"},
		"newer version": {strings.Replace(good, `"version": 2`, `"version": 3`, 1), "version 3 is not supported"},
		"two maps":      {good + "{}", "there is text after the map"},
		"bad judgement": {strings.Replace(good, `"jitter",`, `"wobble",`, 1), `unknown judgement "wobble"`},
		"bad category":  {strings.Replace(good, "\n          \"category\": \"Rand\"", "\n          \"category\": \"Random\"", 1), `unknown category "Random"`},
		"bad reason":    {strings.Replace(good, `              "category": "Rand"`, `              "category": "Random"`, 1), `unknown category "Random" of an explanation`},
		"bad place":     {strings.Replace(good, `"/body/at"`, `"body.at"`, 1), "does not begin with a slash"},
		"no JSON":       {"\x00", "invalid character"},
	} {
		if _, err := mapfile.Decode(strings.NewReader(c.in)); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "decode map: ") {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// TestLockSchema holds the lines of a real lock against their schema, and a map with common places against its own.
func TestLockSchema(t *testing.T) {
	read := func(name string) (schema map[string]any) {
		src, err := os.ReadFile("../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(src, &schema); err != nil {
			t.Fatal(err)
		}
		return schema
	}
	m := rich().judge(t)
	for i := range 5 {
		op := *m.Operations[0]
		op.Template = fmt.Sprintf("/more/%d", i)
		m.Operations = append(m.Operations, &op)
	}
	var b bytes.Buffer
	if err := m.EncodeLock(&b); err != nil {
		t.Fatal(err)
	}
	_, lines, _ := strings.Cut(strings.TrimSpace(b.String()), "\n")
	schema, places := read("lock.schema.json"), 0
	for line := range strings.SplitSeq(lines, "\n") {
		var doc any
		if err := json.Unmarshal([]byte(line), &doc); err != nil {
			t.Fatal(err)
		}
		for _, problem := range violations(schema, schema, doc, "") {
			t.Errorf("%s: %s", problem, line)
		}
		places += strings.Count(line, `"place"`)
	}
	if places < 5 {
		t.Errorf("%d places", places)
	}
	var doc map[string]any
	if err := json.Unmarshal(encode(t, m, true), &doc); err != nil {
		t.Fatal(err)
	}
	schema = read("map.schema.json")
	for _, problem := range violations(schema, schema, doc, "") {
		t.Error(problem)
	}
	if len(doc["common"].([]any)) == 0 {
		t.Error("no place is common")
	}
}

// TestSchema holds real maps against the schema: types, required and closed sets of members, enumerations, patterns.
func TestSchema(t *testing.T) {
	src, err := os.ReadFile("../docs/map.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(src, &schema); err != nil {
		t.Fatal(err)
	}
	for _, a := range []*api{rich(), {steps: 2, answer: func(call) answer { return answer{body: "[]"} }}, {}} {
		file := encode(t, a.judge(t), true)
		var doc any
		if err := json.Unmarshal(file, &doc); err != nil {
			t.Fatal(err)
		}
		for _, problem := range violations(schema, schema, doc, "") {
			t.Error(problem)
		}
	}
	var broken any
	if err := json.Unmarshal([]byte(`{"flaketap":"volatile-map","version":2,"operations":[{"fields":[{"place":"x","judgement":"x","holds":{"y":1}}]}]}`), &broken); err != nil {
		t.Fatal(err)
	}
	if got := violations(schema, schema, broken, ""); len(got) < 10 {
		t.Errorf("a broken file passes: %q", got)
	}
}

// violations checks the part of JSON Schema that the map's schema uses.
func violations(root, schema map[string]any, doc any, at string) (out []string) {
	bad := func(format string, args ...any) { out = append(out, at+": "+fmt.Sprintf(format, args...)) }
	if ref, ok := schema["$ref"].(string); ok {
		return violations(root, root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any), doc, at)
	}
	for _, part := range list(schema["allOf"]) {
		out = append(out, violations(root, part.(map[string]any), doc, at)...)
	}
	if want, ok := schema["const"]; ok && !cmp.Equal(want, doc) {
		bad("%v is not %v", doc, want)
	}
	if want, ok := schema["enum"].([]any); ok && !slices.ContainsFunc(want, func(w any) bool { return cmp.Equal(w, doc) }) {
		bad("%v is none of %v", doc, want)
	}
	if want, ok := schema["type"].(string); ok && !typeIs(want, doc) {
		bad("%v is no %s", doc, want)
	}
	switch doc := doc.(type) {
	case map[string]any:
		for _, key := range list(schema["required"]) {
			if _, ok := doc[key.(string)]; !ok {
				bad("%s is missing", key)
			}
		}
		properties, _ := schema["properties"].(map[string]any)
		for key, value := range doc {
			if sub, ok := properties[key].(map[string]any); ok {
				out = append(out, violations(root, sub, value, at+"/"+key)...)
			} else if schema["additionalProperties"] == false {
				bad("%s is not allowed", key)
			}
		}
	case []any:
		if most, ok := schema["maxItems"].(float64); ok && len(doc) > int(most) {
			bad("%d items", len(doc))
		}
		if sub, ok := schema["items"].(map[string]any); ok {
			for i, value := range doc {
				out = append(out, violations(root, sub, value, fmt.Sprint(at, "/", i))...)
			}
		}
	case string:
		if p, ok := schema["pattern"].(string); ok && !regexp.MustCompile(p).MatchString(doc) {
			bad("%q does not match %s", doc, p)
		}
	case float64:
		if least, ok := schema["minimum"].(float64); ok && doc < least {
			bad("%v is less than %v", doc, least)
		}
		if most, ok := schema["maximum"].(float64); ok && doc > most {
			bad("%v is more than %v", doc, most)
		}
	}
	return out
}

func list(v any) []any { l, _ := v.([]any); return l }

func typeIs(want string, doc any) bool {
	switch doc := doc.(type) {
	case map[string]any:
		return want == "object"
	case []any:
		return want == "array"
	case string:
		return want == "string"
	case bool:
		return want == "boolean"
	case float64:
		return want == "number" || want == "integer" && doc == math.Trunc(doc)
	}
	return false
}

// TestKeysThatAreData: an object with ever new keys does not make the map grow without end.
func TestKeysThatAreData(t *testing.T) {
	a := &api{runs: 2, steps: 400, answer: func(c call) answer {
		return body(`{"byId":{"%s":{"n":%d,"deep":{"%s":1}}},"k":1}`, uuid(c), c.step, uuid(c))
	}}
	m := a.judge(t)
	if n := len(m.Operations[0].Fields); n > 4*maxKeys+20 {
		t.Errorf("%d fields", n)
	}
	f := m.Operations[0].At("/body/byId/never-seen-before")
	if f == nil || f.Place != "/body/byId/*" || !f.Volatile() || !f.Holds.Optional {
		t.Errorf("a new key: %+v", f)
	}
	if m.Operations[0].At("/body/byId/new/n") == nil {
		t.Error("what is below a new key is not found")
	}
}

// TestFlat: what is kept of a place does not grow with the number of exchanges.
func TestFlat(t *testing.T) {
	a := &api{runs: 1, steps: 2000, answer: func(c call) answer {
		return body(`{"at":%d,"name":"n%d","id":"%s"}`, c.at.UnixMilli(), c.step, uuid(c))
	}}
	j := newJudge(exchange.Recording{Count: 2000}, []exchange.Run{{Number: 1}}, nil, nil, Options{})
	pieces := func(yield func(Piece, error) bool) {
		for s, err := range a.all() {
			if !yield(Piece{Operation: exchange.Operation{Method: "GET", Template: "/things/{id}"}, Step: s}, err) {
				return
			}
		}
	}
	for r := range j.ahead(pieces) {
		j.step(r)
	}
	for _, o := range j.operations {
		for place, x := range o.places {
			if v := x.values; len(v.distinct) > maxDistinct || len(v.long) > maxLong || len(v.drawn) > maxReservoir {
				t.Errorf("%s keeps %d values, %d numbers", place, len(v.distinct), len(v.drawn))
			}
		}
	}
	for _, o := range j.verdict().Operations {
		for _, f := range o.Fields {
			if len(f.Samples) > mapfile.MaxSamples || f.Judgement != mapfile.Drift && len(f.Fingerprints) > mapfile.MaxExamples {
				t.Errorf("%s: %d samples, %d fingerprints", f.Place, len(f.Samples), len(f.Fingerprints))
			}
		}
	}
}

// TestHoldsOfEveryObservation: whatever is stated is true of all that was seen.
func TestHoldsOfEveryObservation(t *testing.T) {
	a := rich()
	a.runs = 10
	m := a.judge(t)
	check := func(place exchange.Place, raw string) {
		f := m.Operations[0].At(place)
		if f == nil {
			t.Fatalf("no field %s", place)
		}
		v, h := notation.ScalarOf(raw), f.Holds
		if !strings.Contains("|"+h.Type+"|", "|"+v.Kind.String()+"|") {
			t.Errorf("%s: %s is no %s", place, raw, h.Type)
		}
		if h.Equal != nil && string(h.Equal) != raw {
			t.Errorf("%s: %s is not %s", place, raw, h.Equal)
		}
		if h.Pattern != "" && v.Kind == notation.String && !regexp.MustCompile(h.Pattern).MatchString(v.Text) {
			t.Errorf("%s: %s does not match %s", place, raw, h.Pattern)
		}
		if h.Min != "" && notation.Float(raw) < notation.Float(string(h.Min)) || h.Max != "" && notation.Float(raw) > notation.Float(string(h.Max)) {
			t.Errorf("%s: %s is outside %s..%s", place, raw, h.Min, h.Max)
		}
		if h.OneOf != nil && !slices.ContainsFunc(h.OneOf, func(one json.RawMessage) bool { return string(one) == raw }) {
			t.Errorf("%s: %s is none of %s", place, raw, h.OneOf)
		}
	}
	for s := range a.all() {
		walk(s.Exchange.Response, check)
		for _, o := range s.Observations {
			walk(o.Response, check)
		}
	}
}

func walk(r *exchange.Response, visit func(exchange.Place, string)) { compare.Walk(r, visit) }

// TestDiffOfItself: no map differs from itself, nor from what its file says.
func TestDiffOfItself(t *testing.T) {
	m := rich().judge(t)
	for name, other := range map[string]*mapfile.Map{"itself": m, "its file": decoded(t, encode(t, m, false))} {
		if got := mapfile.Diff(m, other).Changes; len(got) > 0 {
			t.Errorf("%s: %v", name, got)
		}
		if got := mapfile.Diff(other, m).Changes; len(got) > 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestDocumented: every code of evidence that the judgements of these tests use stands in docs/map.md.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/map.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range rich().judge(t).Operations {
		for _, f := range o.Fields {
			for _, code := range f.Evidence {
				kind, _, _ := strings.Cut(code, ":")
				if !bytes.Contains(page, []byte("`"+kind)) {
					t.Errorf("%s: %s is not documented", f.Place, code)
				}
			}
		}
	}
	for f := range notation.Formats() {
		if !bytes.Contains(page, []byte("`"+f.Name)) {
			t.Errorf("format %s is not documented", f.Name)
		}
	}
	for k := range reflect.TypeFor[mapfile.Holds]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[mapfile.Holds]().Field(k).Tag.Get("json"), ",")
		if !bytes.Contains(page, []byte("`"+name+"`")) {
			t.Errorf("member %s is not documented", name)
		}
	}
	for kind := range relation.Kinds() {
		if !bytes.Contains(page, []byte("`"+string(kind)+"`")) {
			t.Errorf("relation %s is not documented", kind)
		}
	}
}
