package js

import (
	"path"
	"slices"
	"strings"
)

// Imported lists the names that a file imports, by import … from "module" or const … = require("module").
func Imported(tokens []Token) map[string]string {
	out := map[string]string{}
	for i, t := range tokens {
		if t.Kind != JsString {
			continue
		}
		at, begin := i-1, "import"
		if i >= 3 && tokens[i-1].Is("(") && tokens[i-2].Is("require") && tokens[i-3].Is("=") {
			at, begin = i-4, ""
		} else if i < 1 || !tokens[i-1].Is("from") {
			continue
		}
		for n := 0; at >= 0 && n < 100 && !tokens[at].Is(begin); at, n = at-1, n+1 {
			if begin == "" && (tokens[at].Is("const") || tokens[at].Is("let") || tokens[at].Is("var")) {
				break
			}
			if tokens[at].Kind == Word {
				out[tokens[at].Text] = strings.TrimPrefix(t.Text, "node:")
			}
		}
	}
	return out
}

// Endings are what the name of an imported file may end in, in the place of what it is written with: nothing, mostly.
// file is the one that imports it, with slashes.
func Endings(file, name string) [][2]string {
	own := path.Ext(file)
	out := [][2]string{{"", ""}}
	if written := path.Ext(name); written == ".js" || written == ".mjs" || written == ".cjs" { // as TypeScript has it
		out = append(out, [2]string{written, strings.Replace(written, "js", "ts", 1)})
	}
	kinds := []string{".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"}
	if i := slices.Index(kinds, own); i >= 0 {
		kinds = append([]string{own}, slices.Delete(kinds, i, i+1)...)
	}
	for _, kind := range append(kinds, ".json", "/index.js", "/index.ts") {
		out = append(out, [2]string{"", kind})
	}
	return out
}

// Calls reports whether a file calls a function of a name, and not only methods that are called so.
func Calls(tokens []Token, name string) bool {
	for i := 0; i+1 < len(tokens); i++ {
		if tokens[i].Is(name) && tokens[i+1].Is("(") && (i == 0 || !tokens[i-1].Is(".")) {
			return true
		}
	}
	return false
}
