package search

import (
	"cmp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/mock/search/lines"
	"github.com/flaketap/flaketap/mock/search/tree"
)

// nearBy is within how many lines of a name what it is compared with stands, for the most part.
const nearBy = 12

// near are values that stand near a name in the files, the nearest first: texts, and numbers. Those are nearer that
// stand near what else is known of the endpoint, too.
func (w *Words) near(e Endpoint, name string, limit int) (texts []string, numbers []float64) {
	if w == nil {
		return nil, nil
	}
	key := e.Path + " " + name
	all, known := w.found[key]
	if !known {
		anchors := w.anchors(e)
		pairedTexts, pairedNumbers := w.paired(name)
		from := func(key string) int { return w.distance(name, key) + min(lines.Between(anchors, w.lines[key]), 80)/16 }
		all.texts = lines.Nearest(w.Values(), nearBy+20, func(word string) int {
			key := lines.Key(word)
			switch {
			case slices.Contains(pairedTexts, word):
				return -nearBy + min(lines.Between(anchors, w.lines[key]), 80)/8
			case key == lines.Key(name) || w.distance(name, key) > nearBy:
				return lines.Nowhere
			case slices.Contains(w.compared, word):
				return from(key) - nearBy
			}
			return from(key)
		})
		all.numbers = lines.Nearest(w.numbers, nearBy+20, func(n float64) int {
			switch {
			case slices.Contains(pairedNumbers, n):
				return 0
			case lines.IsStatus(n):
				return from(lines.NumberKey(n)) + nearBy
			}
			return from(lines.NumberKey(n))
		})
		if w.found == nil {
			w.found = map[string]nearWords{}
		}
		w.found[key] = all
	}
	return all.texts[:min(limit, len(all.texts))], all.numbers[:min(limit, len(all.numbers))]
}

// anchors are the lines that speak of the path of an endpoint.
func (w *Words) anchors(e Endpoint) []int {
	for _, s := range slices.Backward(strings.Split(e.Path, "/")) {
		if at := w.lines["/"+lines.Key(s)]; s != "{}" && len(at) > 0 {
			return at
		}
	}
	return nil
}

// distance is how many lines lie between a name, or what it is called in the source, and what has a key, where they are
// nearest. Where a field of a struct of that name is compared with no text, it may be another one.
func (w *Words) distance(name, key string) int {
	least := lines.Nowhere
	for _, n := range w.keys(name) {
		least = min(least, lines.Between(w.strong[n], w.lines[key]), 2+2*lines.Between(w.lines[n], w.lines[key]))
	}
	return least
}

// fromPath is how far a name stands from the path of an endpoint.
func (w *Words) fromPath(e Endpoint, name string) int {
	if w == nil {
		return lines.Nowhere
	}
	return lines.Between(w.anchors(e), w.strong[lines.Key(name)])
}

// around are the names, those first that stand near the path of an endpoint, or near fields of its answer.
func (w *Words) around(e Endpoint, fields []field) []string {
	if w == nil {
		return nil
	}
	anchors := w.anchors(e)
	far := map[string]int{}
	all := w.Names()
	for _, word := range all {
		key := lines.Key(word)
		far[word] = lines.Between(anchors, w.lines[key])
		for _, f := range fields {
			far[word] = min(far[word], 2*w.distance(tree.Name(f.place), key))
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(far[a], far[b]) })
	return all
}
