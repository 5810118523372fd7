package handset

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/suite/script"
)

func text(s string) script.TextPart     { return script.TextPart{Text: s} }
func variable(s string) script.TextPart { return script.TextPart{Variable: s} }

func TestHoles(t *testing.T) {
	for _, c := range []struct {
		sent  string
		parts []script.TextPart
		want  []Hole
	}{
		{"/items/4", []script.TextPart{text("/items/"), variable("id")}, []Hole{{7, 8, "id"}}},
		{"/items/44/parts/4", []script.TextPart{text("/items/"), variable("a"), text("/parts/"), variable("b")}, []Hole{{7, 9, "a"}, {16, 17, "b"}}},
		{"/a/a/a", []script.TextPart{variable("x"), text("/a")}, []Hole{{0, 4, "x"}}},
		{"/items/4", []script.TextPart{text("/things/"), variable("id")}, nil},
		{"45", []script.TextPart{variable("a"), variable("b")}, nil},
		{"/items/", []script.TextPart{text("/items/"), variable("id"), text("/")}, nil},
	} {
		got, ok := Holes(c.sent, c.parts)
		if !ok {
			got = nil
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %v: %s", c.sent, c.parts, diff)
		}
	}
}

// literals finds texts in double quotes, templates in backquotes, and numbers.
func literals(source string) []Literal {
	var out []Literal
	for _, at := range regexp.MustCompile("\"[^\"]*\"|`[^`]*`|\\d+").FindAllStringIndex(source, -1) {
		l := Literal{Start: at[0], End: at[1], From: at[0] + 1, To: at[1] - 1, Plain: true, Template: source[at[0]] == '`'}
		if source[at[0]] >= '0' && source[at[0]] <= '9' {
			l = Literal{Start: at[0], End: at[1], From: at[0], To: at[1], Number: true}
		}
		out = append(out, l)
	}
	return out
}

// A value is bound where it is clear from which literal it comes, and nowhere else.
func TestBind(t *testing.T) {
	words := Words{
		Number: func(v string) string { return "int(" + v + ")" },
		Text: func(source string, l Literal, holes []Hole) (string, bool) {
			return "`" + Replaced(source, l.From, l.To, holes, func(v string) string { return "${" + v + "}" }, strings.Clone) + "`", true
		},
	}
	for _, c := range []struct{ source, sent, before, want string }{
		{`get("/items/4")`, "/items/4", "/items/", "get(`/items/${id}`)"},
		{"get(`${base}/items/4`, 4)", "/items/4", "/items/", "get(`${base}/items/${id}`, 4)"},
		{`get("http://h:1/items/4")`, "/items/4", "/items/", "get(`http://h:1/items/${id}`)"},
		{`item(4)`, "/items/4", "/items/", "item(int(id))"},
		{`item("4")`, "/items/4", "/items/", "item(id)"},
		{`item(4, 4)`, "/items/4", "/items/", ""},
		{`item(ID)`, "/items/4", "/items/", ""},
		{`get("/items/4") + get("/items/4")`, "/items/4", "/items/", ""},
		{`send({"order": 4, "n": 40})`, `{"order": 4, "n": 40}`, `{"order": `, `send({"order": int(id), "n": 40})`},
	} {
		hole := Hole{len(c.before), len(c.before) + 1, "id"}
		edits, ok := Bind(c.source, literals(c.source), c.sent, []Hole{hole}, words)
		got := ""
		if ok {
			got = script.Apply(c.source, edits)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.source, got, c.want)
		}
	}
}

func TestJSON(t *testing.T) {
	got, ok := JSON([]script.TextPart{text(`{"b": `), variable("n"), text(`, "a": ["x`), variable("s"), text(`", null, 1.50]}`)})
	want := Item{Kind: Object, Keys: []string{"b", "a"}, Items: []Item{
		{Kind: Number, Parts: []script.TextPart{variable("n")}},
		{Kind: Array, Items: []Item{
			{Kind: Text, Parts: []script.TextPart{text("x"), variable("s")}},
			{Kind: Word, Parts: []script.TextPart{text("null")}}, {Kind: Number, Parts: []script.TextPart{text("1.50")}},
		}},
	}}
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Error(ok, diff)
	}
	for _, body := range []string{"", "1", `"x"`, "{", "{} {}", `{"a": 904830267140000}`, strings.Repeat("[", 1000) + strings.Repeat("]", 1000)} {
		if x, ok := JSON([]script.TextPart{text(body)}); ok {
			t.Errorf("%s: %v", body, x)
		}
	}
	form, ok := Form([]script.TextPart{text("a=b+c&d="), variable("n")})
	if diff := cmp.Diff(Item{Kind: Object, Keys: []string{"a", "d"}, Items: []Item{{Parts: []script.TextPart{text("b c")}},
		{Parts: []script.TextPart{variable("n")}}}}, form); !ok || diff != "" {
		t.Error(ok, diff)
	}
	if _, ok := Form([]script.TextPart{text("a=1&a=2")}); ok {
		t.Error("a field with two values is read")
	}
}

func TestMount(t *testing.T) {
	for _, c := range []struct {
		content, sent, base, mount string
		template, ok               bool
	}{
		{"/items/4", "/items/4", "", "", false, true},
		{"/items/4", "/api/items/4?x=1", "", "/api", false, true},
		{"http://h:1/items", "/items", "http://h:1", "", false, true},
		{"{BASE}/items/{id}", "/api/items/4", "{BASE}", "/api", true, true},
		{"{ITEMS}", "/items", "{ITEMS}", "/items", true, true},
		{"{BASE}{path}", "/items", "", "", true, false},
		{"items/4", "/items/4", "", "", false, false},
	} {
		base, path, ok := SplitURL(c.content, "{", c.template)
		mount := ""
		if ok && path != "" {
			mount, ok = Mount(c.sent, path, "{")
		} else if ok {
			mount = c.sent
		}
		if ok != c.ok || ok && (base != c.base || mount != c.mount) {
			t.Errorf("%s: %q %q %v", c.content, base, mount, ok)
		}
	}
}

func TestBelowMount(t *testing.T) {
	for _, c := range []struct {
		target, mount, want string
		ok                  bool
	}{
		{"/items/4", "", "/items/4", true}, {"/api/items", "/api", "/items", true}, {"/api?x=1", "/api", "?x=1", true},
		{"/api", "/api", "", true}, {"/apis", "/api", "", false}, {"/items", "/api", "", false},
	} {
		given := []script.TextPart{text(c.target), variable("id")}
		got, ok := BelowMount(given, c.mount)
		if ok != c.ok || ok && (got[0].Text != c.want || got[1].Variable != "id") || given[0].Text != c.target {
			t.Errorf("%s below %q: %v %v", c.target, c.mount, got, ok)
		}
	}
	if _, ok := BelowMount(nil, ""); ok {
		t.Error("nothing is a target")
	}
}

// Whatever the literals and the body, nothing panics.
func FuzzBind(f *testing.F) {
	f.Add("get(`${base}/items/4`)", "/items/4", "/items/", "{\"a\": 1}")
	f.Fuzz(func(_ *testing.T, source, sent, before, body string) {
		parts := []script.TextPart{text(before), variable("id"), text(body)}
		if holes, ok := Holes(sent, parts); ok {
			Bind(source, literals(source), sent, holes, Words{Number: strings.Clone,
				Text: func(s string, l Literal, h []Hole) (string, bool) {
					return Replaced(s, l.From, l.To, h, strings.Clone, strings.Clone), true
				}})
		}
		JSON(parts)
		Form(parts)
		if _, path, ok := SplitURL(source, "${", true); ok {
			Mount(sent, path, "{")
		}
	})
}
