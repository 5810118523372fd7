package snapshot

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/expr"
)

// What is stored as it was is read to the same values, in the words of each tool; what is of no value of JSON, or
// cannot be told from another, is not read.
func TestReadValues(t *testing.T) {
	jest, amber := Jest, Amber
	for _, c := range []struct {
		by         func(string) (*Node, error)
		text, want string // "" where it is not read
	}{
		{jest, `"a"`, `"a"`},
		{jest, `"a "b" c"`, `"a \"b\" c"`},
		{jest, "\"a\nb\"", `"a\nb"`},
		{jest, `-1.5e-7`, `-1.5e-7`},
		{jest, `null`, `null`},
		{jest, "{}", `{}`},
		{jest, "[]", `[]`},
		{jest, "{\n  \"a\": \"x\",\n  \"b\": [\n    1,\n    true,\n  ],\n}", `{"a":"x","b":[1,true]}`},
		{jest, "{\n  \"a\": \"x\",\n\",\n  \"b\": {},\n}", `{"a":"x\",\n","b":{}}`},
		{jest, "{\n  \"a\": \"C:\\dir\",\n}", `{"a":"C:\\dir"}`},
		{jest, "Object {\n  \"a\\\"\": Array [\n    \"C:\\\\dir\",\n  ],\n}", `{"a\"":["C:\\dir"]}`},
		{jest, "Object {}", `{}`},
		{jest, `"a \"b\""`, ""}, // escaped or not, as the configuration says
		{jest, "undefined", ""},
		{jest, "{\n  \"a\": undefined,\n}", ""},
		{jest, "{\n  \"a\": [Function],\n}", ""},
		{jest, "2026-11-23T00:00:00.000Z", ""},
		{jest, "Map {\n  \"a\" => 1,\n}", ""},
		{jest, "NaN", ""},
		{jest, "-0", ""},
		{jest, "{\n \"a\": 1,\n}", ""},
		{jest, "{", ""},
		{jest, "Any<Date>", ""},
		{jest, strings.Repeat("[\n", 200), ""},
		{amber, `'a'`, `"a"`},
		{amber, `"it's"`, `"it's"`},
		{amber, `'a"b\'c \\ \t \x07 \u20ac'`, `"a\"b'c \\ \t \u0007 €"`},
		{amber, "'''\npl\nain\n'''", `"pl\nain"`},
		{amber, "dict({\n})", `{}`},
		{amber, "list([\n])", `[]`},
		{amber, "dict({\n  'a': list([\n    1,\n    None,\n  ]),\n  'b': False,\n})", `{"a":[1,null],"b":false}`},
		{amber, "dict({\n  'a': '''\n    x\n    \n    y\n\n  ''',\n})", `{"a":"x\n\ny\n"}`},
		{amber, "dict({\n  1: 2,\n})", ""},
		{amber, "tuple(\n  1,\n)", ""},
		{amber, "datetime.datetime(2026, 11, 23)", ""},
		{amber, "1j", ""},
		{amber, "'a", ""},
		{amber, `'\q'`, ""},
		{amber, `'\ud800'`, ""},
	} {
		got := ""
		if n, err := c.by(c.text); err == nil {
			x, _ := n.Literal()
			got, _ = expr.JSONText(x)
		}
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// A matcher in the place of a value says of others what the tool does.
func TestMatchersMean(t *testing.T) {
	for _, c := range []struct {
		by   func(string) (*Node, error)
		text string
		yes  string // JSON of a value that it admits
		no   string // of one that it does not
	}{
		{Jest, "Any<String>", `"a"`, `1`},
		{Jest, "Any<Number>", `1.5`, `true`},
		{Jest, "Any<Boolean>", `true`, `1`},
		{Jest, "Any<Object>", `{}`, `"a"`},
		{Jest, "ArrayContaining []", `[1]`, `{}`},
		{Jest, "ArrayContaining [\n  1,\n  \"a\",\n]", `["a", 2, 1]`, `["a", 2]`},
		{Jest, "ObjectContaining {\n  \"a\": 1,\n}", `{"a": 1, "b": 2}`, `{"b": 2}`},
		{Jest, `StringContaining "ell"`, `"hello"`, `"help"`},
		{Jest, `StringMatching /\^\[a-z\]\\d\+\$/`, `"x12"`, `"X12"`},
		{Jest, `StringMatching /\^\\/a\\/b\$/i`, `"/A/b"`, `"a/b"`},
		{Jest, "1795464557959343000", `1795464557959343090`, `1795464557959443090`},
		{Amber, "str", `"a"`, `1`},
		{Amber, "int", `1`, `1.5`},
		{Amber, "float", `1.5`, `"a"`},
		{Amber, "list", `[]`, `{}`},
		{Amber, "NoneType", `null`, `0`},
	} {
		n, err := c.by(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		subject := expr.Name{ID: "x"}
		for text, want := range map[string]bool{c.yes: true, c.no: false} {
			v, err := expr.ParseJSON([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if got := expr.HoldsOf(n.Means(subject), subject, v); got != want {
				t.Errorf("%s of %s: %v", c.text, text, got)
			}
		}
	}
	if got := JestPattern(`/^[a-z]\d+$/`); got != `StringMatching /\^\[a-z\]\\d\+\$/` {
		t.Errorf("a pattern is stored as %s", got)
	}
}

// An entry gets another name or content, or goes, and all else of its file stays byte for byte. What is not as its tool
// writes it is refused.
func TestFiles(t *testing.T) {
	jest := "// Jest Snapshot v1, https://goo.gl/fbAQLP\n\nexports[`a 1`] = `\n{\n  \"x\": \"\\`\\${y}\\\\\",\n}\n`;\n\nexports[`a 2`] = `1`;\n\nexports[`b \\` 1`] = `2`;\n"
	amber := "# serializer version: 1\n# name: a\n  dict({\n    'x': '''\n      y\n  \n    ''',\n  })\n# ---\n# name: a.1\n  1\n# ---\n# name: b\n  2\n# ---\n"
	for _, c := range []struct {
		read    func(string) (File, error)
		text    string
		content string // of the first entry
		last    string // the name of the last one
		gone    string // the file without the second one, and the first one another
	}{
		{ReadJest, jest, "{\n  \"x\": \"`${y}\\\",\n}", "b ` 1",
			"// Jest Snapshot v1, https://goo.gl/fbAQLP\n\nexports[`a 1`] = `\n[\n  \"\\`\",\n]\n`;\n\nexports[`\\${c} 1`] = `2`;\n"},
		{ReadAmber, amber, "dict({\n  'x': '''\n    y\n\n  ''',\n})", "b",
			"# serializer version: 1\n# name: a\n  [\n    \"`\",\n  ]\n# ---\n# name: ${c} 1\n  2\n# ---\n"},
	} {
		f, err := c.read(c.text)
		if err != nil || len(f.Entries) != 3 || f.Entries[0].Content != c.content || f.Entries[2].Name != c.last {
			t.Fatalf("%v: %+v", err, f.Entries)
		}
		same := map[int]Change{}
		for i, e := range f.Entries {
			if e.Broken {
				t.Errorf("%s is broken", e.Name)
			}
			same[i] = Change{Name: e.Name, Content: e.Content}
		}
		if got := f.With(same); got != c.text {
			t.Errorf("unchanged it is\n%s", got)
		}
		got := f.With(map[int]Change{0: {Name: f.Entries[0].Name, Content: "[\n  \"`\",\n]"}, 1: {Gone: true}, 2: {Name: "${c} 1", Content: "2"}})
		if got != c.gone {
			t.Errorf("changed it is\n%s", got)
		}
		without := f.With(map[int]Change{2: {Gone: true}})
		if again, err := c.read(without); err != nil || len(again.Entries) != 2 || strings.HasSuffix(without, "\n\n") {
			t.Errorf("without its last entry it is\n%s", without)
		}
		for _, damaged := range []string{strings.Replace(c.text, "\n", "\r\n", 1), c.text[1:], c.text[:len(c.text)-4]} {
			if f, err := c.read(damaged); err == nil && len(f.Entries) == 3 {
				t.Errorf("it reads\n%s", damaged)
			}
		}
	}
	if f, _ := ReadJest("// Jest Snapshot v1\n\nexports[`a 1`] = `\\n`;\n"); len(f.Entries) != 1 || !f.Entries[0].Broken {
		t.Errorf("what Jest would not write is taken for its own: %+v", f.Entries)
	}
}

// FuzzRead reads what is no snapshot, or a damaged one: what is read stands within the text, and a file is the same
// without changes.
func FuzzRead(f *testing.F) {
	f.Add("// Jest Snapshot v1\n\nexports[`a 1`] = `\n{\n  \"x\": Any<String>,\n  \"y\": ArrayContaining [\n    \"a\",\n  ],\n}\n`;\n")
	f.Add("# serializer version: 1\n# name: a\n  dict({\n    'x': str,\n    'y': '''\n      a\n    ''',\n  })\n# ---\n")
	f.Add("Object {\n  \"a\": StringMatching /\\^a\\$/i,\n}")
	f.Fuzz(func(t *testing.T, text string) {
		for _, read := range []func(string) (*Node, error){Jest, Amber} {
			n, err := read(text)
			if err != nil {
				continue
			}
			n.Walk(func(n *Node) {
				if n.Start < 0 || n.End < n.Start || n.End > len(text) || n.Next > len(text) {
					t.Fatalf("%+v of %d bytes", n, len(text))
				}
			})
			x := expr.Answer{Var: "r", Part: expr.JSON}
			if says, ok := Says(x, n); ok && len(says) > 0 {
				Form{Leaves: true, Can: func(*Node, []expr.Expr) bool { return true }}.Fit(x, n, expr.AllOf(says...))
			}
		}
		for _, read := range []func(string) (File, error){ReadJest, ReadAmber} {
			file, err := read(text)
			if err != nil {
				continue
			}
			same := map[int]Change{}
			for i, e := range file.Entries {
				same[i] = Change{Name: e.Name, Content: e.Content}
			}
			if file.With(same) != text {
				t.Fatalf("%q is not the same without changes", text)
			}
		}
	})
}

// A file of Jest's whose lines end as on Windows is read, and keeps its line ends.
func TestJestFileOfWindows(t *testing.T) {
	const text = "// Jest Snapshot v1, https://goo.gl/fbAQLP\n\nexports[`a 1`] = `\n{\n  \"id\": 1,\n}\n`;\n\nexports[`b 1`] = `2`;\n"
	windows := strings.ReplaceAll(text, "\n", "\r\n")
	f, err := ReadJest(windows)
	if err != nil || len(f.Entries) != 2 || f.Entries[0].Broken || f.Entries[0].Content != "{\n  \"id\": 1,\n}" {
		t.Fatalf("%v: %+v", err, f.Entries)
	}
	if got := f.With(nil); got != windows {
		t.Errorf("unchanged it is %q", got)
	}
	got := f.With(map[int]Change{0: {Name: "a 1", Content: "{\n  \"id\": Any<Number>,\n}"}})
	if want := strings.Replace(windows, "1,\r\n}", "Any<Number>,\r\n}", 1); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if _, err := ReadJest(windows + "\n"); err == nil {
		t.Error("mixed ends of lines are read")
	}
}
