package search

import (
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/lines"
	"github.com/flaketap/flaketap/mock/search/readings"
	"github.com/flaketap/flaketap/mock/search/statuses"
	"github.com/flaketap/flaketap/mock/search/tables"
)

// kin is what stands together in the API's files: words that one construct lists (a table, a list, a switch), names
// that are read of one thing, and those that are read where a status is looked at. Once one of them is known to matter,
// the others are likely to.
type kin struct {
	tables   []table
	reads    readings.Readings
	statuses statuses.Statuses
	peers    map[string][]string // what was asked for so far
}

// table is one construct that lists words.
type table struct {
	words []string
	by    string // the key of the name by which it chooses
	at    []int  // lines that look something up in it, by its name
}

// Bounds of what stands together.
const (
	maxTable  = 40 // words
	maxTables = 200
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

// addReadings takes what a line reads of what, and the members of structs, by their tags.
func (w *Words) addReadings(line string, tags [][][]byte) {
	w.kin.reads.Begin(line)
	for _, m := range tags {
		w.kin.reads.AddMember(string(m[1]), w.line)
	}
	w.kin.reads.AddLine(line, w.line)
}

// addOwned takes members of members by what is read of a thing that has the name of a member itself, or, where that is
// the name of a list, of one of its elements; from a line on.
func (w *Words) addOwned(from int) {
	for _, r := range w.kin.reads.All {
		if r.Line <= from || !w.seen[r.Name] || r.Of == r.Name {
			continue
		}
		of := strings.TrimRight(r.Of, "_")
		if w.seen[of] {
			w.addChain([]string{of, r.Name})
		}
		if w.seen[of+"s"] {
			w.addChain([]string{of + "s", exchange.Wildcard, r.Name})
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
	out = w.kin.reads.Peers(name, func(name string) bool { return w.seen[name] })
	if w.kin.peers == nil {
		w.kin.peers = map[string][]string{}
	}
	w.kin.peers[name] = out
	return out
}

// speakOf reports whether the files speak of a status; all are spoken of where none is.
func (w *Words) speakOf(status int) bool { return w == nil || w.kin.statuses.Has(status) }
