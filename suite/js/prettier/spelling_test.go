package prettier_test

import (
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
