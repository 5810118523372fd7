package search

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/mock/search/lines"
	"github.com/flaketap/flaketap/mock/search/tables"
)

// kin is what stands together in the API's files: words that one construct lists (a table, a list, a switch), names
// that are read of one thing, and those that are read where a status is looked at. Once one of them is known to matter,
// the others are likely to.
type kin struct {
	tables   []table
	reads    []reading
	structs  int                 // how many there were
	statuses map[int][]int       // lines that speak of them
	beside   map[int][]string    // names that are read where a status is looked at
	peers    map[string][]string // what was asked for so far
}

// table is one construct that lists words.
type table struct {
	words []string
	by    string // the key of the name by which it chooses
	at    []int  // lines that look something up in it, by its name
}

// reading is a name that is read of a thing, which is told by its own name, in a line.
type reading struct {
	of, name string
	line     int
}

// Bounds of what stands together.
const (
	maxTable    = 40 // words
	maxTables   = 200
	maxReadings = 2000
	maxKin      = 12
	sameThing   = 40 // lines within which a name stands for one thing
	besideLines = 3  // behind a status, of which the names are taken
)

// addTables takes the tables of a text whose first line has a number.
func (w *Words) addTables(text string, line int) {
	for _, t := range tables.Read(text, line) {
		if len(w.kin.tables) < maxTables {
			w.kin.tables = append(w.kin.tables, table{words: t.Words, by: lines.Key(t.By), at: t.At})
		}
	}
}

// keys are those of a name, and of what it is called in the source.
func (w *Words) keys(name string) []string {
	key := lines.Key(name)
	return []string{key, w.own[key]}
}

// paired are what a name, or what it is called in the source, is compared with.
func (w *Words) paired(name string) (texts []string, numbers []float64) {
	for _, key := range w.keys(name) {
		texts = append(texts, w.pairs[key].texts...)
		numbers = append(numbers, w.pairs[key].numbers...)
	}
	return texts, numbers
}

// sisters are the words that one construct lists with a word, or that the same name is compared with.
func (w *Words) sisters(word string) (out []string) {
	if w == nil {
		return nil
	}
	add := func(words []string) {
		if !slices.Contains(words, word) {
			return
		}
		for _, o := range words {
			if o != word && !slices.Contains(out, o) && len(out) < maxTable {
				out = append(out, o)
			}
		}
	}
	for _, t := range w.kin.tables {
		add(t.words)
	}
	for _, key := range slices.Sorted(maps.Keys(w.pairs)) {
		add(w.pairs[key].texts)
	}
	return out
}

// lookedUp are the words of the tables that are named where a name stands, the nearest first.
func (w *Words) lookedUp(name string) (out []string) {
	if w == nil {
		return nil
	}
	keys := w.keys(name)
	all := make([]int, len(w.kin.tables))
	for i := range all {
		all[i] = i
	}
	near := lines.Nearest(all, nearBy, func(i int) int {
		t := w.kin.tables[i]
		if t.by != "" && slices.Contains(keys, t.by) {
			return 0
		}
		return min(lines.Between(w.strong[keys[0]], t.at), lines.Between(w.strong[keys[1]], t.at))
	})
	for _, i := range near {
		for _, word := range w.kin.tables[i].words {
			if !slices.Contains(out, word) && len(out) < maxTable {
				out = append(out, word)
			}
		}
	}
	return out
}

// How a line reads a name of something: thing["name"], thing.get("name"), read(thing, "name"), thing.name.
var readingOf = lazy.Regexp(`([A-Za-z_]\w*)(?:\??\.?\[\s*|\??\.\w+\(\s*|,\s*)["']([A-Za-z][\w-]{0,39})["']|\b([A-Za-z_]\w*)\??\.([a-z]\w*)\b(\(?)`)

// addReadings takes what a line reads of what, and the members of structs, by their tags.
func (w *Words) addReadings(line string, tags [][][]byte) {
	if strings.Contains(line, "struct {") {
		w.kin.structs++
	}
	for _, m := range tags {
		w.kin.addMember(string(m[1]), w.line)
	}
	for _, m := range readingOf().FindAllStringSubmatch(line, 20) {
		if m[5] == "" { // a method is no member
			w.kin.add(reading{m[1] + m[3], m[2] + m[4], w.line})
		}
	}
}

// addMember takes a member of the struct that is read.
func (k *kin) addMember(name string, line int) {
	k.add(reading{fmt.Sprint("struct ", k.structs), name, line})
}

func (k *kin) add(r reading) {
	if len(k.reads) < maxReadings {
		k.reads = append(k.reads, r)
	}
}

// addOwned takes members of members by what is read of a thing that has the name of a member itself, or, where that is
// the name of a list, of one of its elements; from a line on.
func (w *Words) addOwned(from int) {
	for _, r := range w.kin.reads {
		if r.line <= from || !w.seen[r.name] || r.of == r.name {
			continue
		}
		of := strings.TrimRight(r.of, "_")
		if w.seen[of] {
			w.addChain([]string{of, r.name})
		}
		if w.seen[of+"s"] {
			w.addChain([]string{of + "s", exchange.Wildcard, r.name})
		}
	}
}

// peers are the names that are read of what a name is read of, the nearest first.
func (w *Words) peers(name string) (out []string) {
	if w == nil {
		return nil
	}
	if out, known := w.kin.peers[name]; known {
		return out
	}
	far := map[string]int{}
	for _, r := range w.kin.reads {
		if r.name != name {
			continue
		}
		for _, o := range w.kin.reads {
			d := max(o.line-r.line, r.line-o.line)
			if o.of != r.of || o.name == name || d > sameThing || !w.seen[o.name] {
				continue
			}
			if before, known := far[o.name]; !known || d < before {
				far[o.name] = d
			}
		}
	}
	out = slices.SortedFunc(maps.Keys(far), func(a, b string) int {
		return cmp.Or(cmp.Compare(far[a], far[b]), cmp.Compare(a, b))
	})
	out = out[:min(len(out), maxKin)]
	if w.kin.peers == nil {
		w.kin.peers = map[string][]string{}
	}
	w.kin.peers[name] = out
	return out
}

// addStatuses takes the statuses that a line speaks of, and the names behind those, in quotes or after a dot.
func (w *Words) addStatuses(line string, names [][][]byte) {
	for _, status := range lines.Statuses(line) {
		w.kin.statuses[status] = append(w.kin.statuses[status], w.line)
	}
	for status, all := range w.kin.statuses {
		if at := all[len(all)-1]; w.line-at > besideLines {
			continue
		}
		for _, m := range names {
			name := string(m[1])
			if lines.NamesStatus(name) {
				continue
			}
			if all := w.kin.beside[status]; !slices.Contains(all, name) && len(all) < maxKin {
				w.kin.beside[status] = append(all, name)
			}
		}
	}
}

// speakOf reports whether the files speak of a status; all are spoken of where none is.
func (w *Words) speakOf(status int) bool {
	return w == nil || len(w.kin.statuses) == 0 || len(w.kin.statuses[status]) > 0
}
