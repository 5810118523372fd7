package prettier_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/js/prettier"
)

// How a file is spelled is read off it, and what is written is spelled so.
func TestSpelling(t *testing.T) {
	const said = `expect(a.some(x => x.b === "c\"d")).toEqual({"e": "f", "g-h": 'i', j: (k) => k}, "it's", "\d")`
	for _, tt := range []struct {
		name, file, want string
		spelling         prettier.Spelling
	}{
		{"double quotes", "f((x) => x, { a: \"b\" });\n",
			`expect(a.some((x) => x.b === 'c"d')).toEqual({e: "f", "g-h": "i", j: (k) => k}, "it's", "\d")`, prettier.Spelling{}},
		{"single quotes and bare parameters", "f(x => x, {a: 'b'}, async (y) => y, z => z)",
			`expect(a.some(x => x.b === 'c"d')).toEqual({e: 'f', 'g-h': 'i', j: k => k}, "it's", '\d')`,
			prettier.Spelling{Single: true, Bare: true, Tight: true}},
		{"no commas behind the last arguments", "f(\n  1,\n  2\n);\n[\n  1,\n]\n", "", prettier.Spelling{Commas: prettier.CommaES5}},
		{"no commas", "f(\n  1,\n  2\n);\n[\n  1,\n  2\n]\n", "", prettier.Spelling{Commas: prettier.CommaNone}},
		{"a block is no object", "if (\n  a\n) {\n  b, c;\n}\n", "", prettier.Spelling{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tokens, err := js.Tokens("", tt.file)
			if err != nil {
				t.Fatal(err)
			}
			spelling := prettier.SpellingOf(tt.file, js.Layout(tt.file, tokens))
			if spelling != tt.spelling {
				t.Errorf("it is spelled %+v, want %+v", spelling, tt.spelling)
			}
			said, want := said, tt.want
			if tokens, err = js.Tokens("", said); err != nil {
				t.Fatal(err)
			}
			if got := spelling.Spelled(said, js.Layout(said, tokens)); want != "" && got != want {
				t.Errorf("written as\n%s, want\n%s", got, want)
			}
		})
	}
}

// However it is spelled, a source has the same tokens, but for the brackets around a parameter; and spelled once more it
// stays.
func FuzzSpelled(f *testing.F) {
	for _, s := range []string{`f("it's", 'a\"b', "\\", '\'', "\u0041")`, `({"a": 1, "b-c": x => x, d: async (y) => y})`,
		`a ? "b" : 'c'`, `f("'\"", '\'"')`, `() => { return(x) => 1 }`} {
		f.Add(s, true, false)
		f.Add(s, false, true)
	}
	texts := func(source string) (out []string, tokens []js.Token, ok bool) {
		tokens, err := js.Tokens("", source)
		for _, t := range tokens {
			if !t.Is("(") && !t.Is(")") {
				out = append(out, t.Text)
			}
		}
		return out, tokens, err == nil
	}
	f.Fuzz(func(t *testing.T, source string, single, bare bool) {
		before, tokens, ok := texts(source)
		if !ok {
			t.Skip()
		}
		by := prettier.Spelling{Single: single, Bare: bare}
		text := by.Spelled(source, js.Layout(source, tokens))
		after, tokens, ok := texts(text)
		if !ok || !slices.Equal(before, after) {
			t.Fatalf("%s becomes %s", source, text)
		}
		if again := by.Spelled(text, js.Layout(text, tokens)); again != text {
			t.Errorf("%s becomes %s, and then %s", source, text, again)
		}
	})
}

// How long lines may be is taken from the nearest settings, in each form that they have.
func TestWidthSet(t *testing.T) {
	files := map[string]string{
		"a/package.json":          `{"name": "a", "printWidth": 7, "prettier": {"semi": false, "printWidth": 90}}`,
		"a/b/package.json":        `{"name": "b"}`,
		"c/.prettierrc":           "semi: false\nprintWidth: 100\n",
		"c/d/prettier.config.mjs": `export default { singleQuote: true };`,
	}
	read := func(path string) (string, bool) {
		text, ok := files[path]
		return text, ok
	}
	for file, want := range map[string]int{"a/b/x.test.js": 90, "c/x.test.js": 100, "c/d/x.test.js": 80, "e/x.test.js": 0} {
		if got, ok := prettier.WidthSet(file, read); got != want || ok != (want > 0) {
			t.Errorf("%s: %d, %t, want %d", file, got, ok, want)
		}
	}
}

// Settings are looked for in no more than some folders, all of which lie above the file.
func TestWidthSetEnds(t *testing.T) {
	for file, want := range map[string]string{"a/b../x.js": "a/b.. a .", "../y/x.js": "../y ..", "/x.js": "/",
		"1/2/3/4/5/6/7/8/9/x.js": "1/2/3/4/5/6/7/8/9 1/2/3/4/5/6/7/8 1/2/3/4/5/6/7 1/2/3/4/5/6 1/2/3/4/5 1/2/3/4 1/2/3 1/2"} {
		var asked []string
		_, found := prettier.WidthSet(file, func(at string) (string, bool) {
			asked = append(asked, path.Dir(at))
			return "", false
		})
		if got := strings.Join(slices.Compact(asked), " "); found || got != want {
			t.Errorf("%s: looked in %s, want %s", file, got, want)
		}
	}
}
