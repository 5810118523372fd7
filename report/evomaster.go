package report

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// EvoMaster writes the section of an em.yaml with the names of volatile fields, which EvoMaster's tests assert nothing
// of (fieldsToSkipInAssertions, from version 6.1.1). EvoMaster knows names alone, in whatever case, at any depth and in
// any operation; a comment says which operations each name comes from, and another which names cannot be said: the list
// has commas between them. Of statuses and headers EvoMaster asserts nothing that could be skipped.
func EvoMaster(w io.Writer, m *mapfile.Map, _ FormOptions) error {
	names, unsaid := map[string]*noise{}, map[string]*noise{}
	for _, op := range m.Operations {
		for _, f := range op.Fields {
			way, ok := wayTo(f.Place)
			if !ok || !unsettled(f) || !inJSON(op, f.Place) {
				continue
			}
			for len(way) > 0 && way[len(way)-1].each {
				way = way[:len(way)-1] // of an element there is no assertion but by the name of the array
			}
			if len(way) == 0 {
				continue
			}
			name := way[len(way)-1].key
			if name == "" || strings.Contains(name, ",") || strings.TrimSpace(name) != name {
				note(unsaid, name, op, f)
			} else {
				note(names, strings.ToLower(name), op, f)
			}
		}
	}
	out := bufio.NewWriter(w)
	fmt.Fprint(out, "# Volatile fields, for em.yaml: merge with its section \"configs\".\n")
	comment := func(what string, all map[string]*noise) {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			fmt.Fprintf(out, "# %s%s: %s\n", what, plainComment(quoteJSON(name)), plainComment(all[name].from()))
		}
	}
	comment("", names)
	comment("not in the list, which cannot say it: ", unsaid)
	fmt.Fprintf(out, "configs:\n  fieldsToSkipInAssertions: %s\n",
		yamlString(strings.Join(slices.Sorted(maps.Keys(names)), ",")))
	return out.Flush()
}
