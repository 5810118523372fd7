package lines

import (
	"cmp"
	"strings"

	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/mock/search/tree"
)

var (
	chainOf = lazy.Regexp(`\w+(?:\.\w{1,20}\(["']\w+["'][^()]{0,12}\)|\??\.\w+\b|\??\.?\[["']\w+["']\]|\??\.?\[\d+\]){2,6}\(?`)
	// Paths as they are given to functions: "price", "amount", and "price.amount".
	listedNames = lazy.Regexp(`["'][A-Za-z]\w{0,39}["'](?:\s*,\s*["'][A-Za-z]\w{0,39}["']){1,3}`)
	quotedPath  = lazy.Regexp(`["']/?([A-Za-z]\w{0,39}(?:[./][A-Za-z]\w{0,39}){1,4})["']`)
	linkOf      = lazy.Regexp(`\.\w{1,20}\(["'](\w+)["'][^()]{0,12}\)|\??\.(\w+)|\[["'](\w+)["']\]|\[(\d+)\]`)
	inQuotes    = lazy.Regexp(`["'](\w+)["']`)
)

// Chains are the members of members that a line names, by the names from the outer one on: some may be variables.
func Chains(line []byte) (out [][]string) {
	for _, m := range listedNames().FindAll(line, 10) {
		var path []string
		for _, q := range inQuotes().FindAllSubmatch(m, tree.MaxDepth) {
			path = append(path, string(q[1]))
		}
		out = append(out, path)
	}
	for _, m := range quotedPath().FindAllSubmatch(line, 10) {
		out = append(out, tree.Steps(string(m[1]), tree.MaxDepth))
	}
	for _, m := range chainOf().FindAll(line, 20) {
		text, called := strings.CutSuffix(string(m), "(")
		links := linkOf().FindAllStringSubmatch(text, tree.MaxDepth)
		if called && len(links) > 0 && !strings.HasSuffix(text, ")") {
			links = links[:len(links)-1]
		}
		path := make([]string, 0, len(links))
		for _, l := range links {
			path = append(path, cmp.Or(l[1], l[2], l[3], l[4]))
		}
		out = append(out, path)
	}
	return out
}
