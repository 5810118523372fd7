package search

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/mock/search/lines"
)

// lookup is a header that the API's files look up by its name.
type lookup struct {
	name     string
	lines    []int
	vars     []string // keys of the names in the source that hold it
	compared []string // what stands compared with something in its lines
}

// addLookups takes the headers that a line looks up.
func (w *Words) addLookups(line string) {
	for _, found := range lines.Lookups(line) {
		i := slices.IndexFunc(w.lookups, func(l lookup) bool { return strings.EqualFold(l.name, found.Header) })
		if i < 0 {
			if len(w.lookups) >= maxWords {
				continue
			}
			i = len(w.lookups)
			w.lookups = append(w.lookups, lookup{name: found.Header})
		}
		l := &w.lookups[i]
		if len(l.lines) >= lines.MaxPlaces {
			continue
		}
		l.lines = append(l.lines, w.line)
		if found.Name != "" {
			l.vars = append(l.vars, lines.Key(found.Name))
		}
		for _, text := range found.Compared {
			if len(l.compared) < maxCompared && !slices.Contains(l.compared, text) {
				l.compared = append(l.compared, text)
			}
		}
	}
}

// headerText is what may be the value of a header field (RFC 9110 §5.5) and be compared with it as a whole.
var headerText = lazy.Regexp(`^[!-~](?:[ -~]*[!-~])?$`)

// comparedWith are the texts that the files compare a header with, or look it up in, in its lines or by the name of
// what holds it.
func (w *Words) comparedWith(l lookup) []string {
	out := slices.Clone(l.compared)
	for _, name := range append(slices.Clone(l.vars), lines.Key(l.name)) {
		pair := w.pairs[name]
		out = append(out, pair.texts...)
		for _, n := range pair.numbers {
			out = append(out, lines.Neighbors(n)...)
		}
	}
	for _, t := range w.kin.tables {
		if t.by != "" && slices.Contains(l.vars, t.by) || lines.Between(l.lines, t.at) == 0 {
			out = append(out, t.words...)
		}
	}
	for _, text := range l.compared { // a list that stands in the line has the others
		out = append(out, w.sisters(text)...)
	}
	return slices.DeleteFunc(out, func(text string) bool {
		return strings.EqualFold(text, l.name) || !headerText().MatchString(text)
	})
}

// Bounds of the headers that are tried.
const (
	maxHeaders = 8
	perHeader  = 3 // values
)

// plainHeaders are values of headers that may be anything.
var plainHeaders = []string{"0", "1", "true"}

// headValues is a header, and what it is tried with.
type headValues struct {
	name     string
	values   []string
	compared bool // the files compare it with some of them
	failing  int  // the status of the failure with which it is tried
}

// headers are those that the files look up, as far as they are tried: first those that are compared with something.
func (w *Words) headers() []headValues {
	if w == nil || len(w.lookups) == 0 {
		return nil
	}
	if w.headed == nil {
		w.headed = w.headersOf()
	}
	return w.headed
}

func (w *Words) headersOf() (out []headValues) {
	for _, l := range w.lookups {
		compared := w.comparedWith(l)
		h := headValues{name: l.name, compared: len(compared) > 0,
			failing: w.kin.statuses.Failing(l.lines, nearBy, 429)}
		for _, v := range append(compared, plainHeaders...) {
			if len(h.values) < perHeader && !slices.Contains(h.values, v) {
				h.values = append(h.values, v)
			}
		}
		out = append(out, h)
	}
	slices.SortStableFunc(out, func(a, b headValues) int {
		switch {
		case a.compared == b.compared:
			return 0
		case a.compared:
			return -1
		}
		return 1
	})
	return out[:min(len(out), maxHeaders)]
}
