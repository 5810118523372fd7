package search

import (
	"bytes"
	"math"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/lines"
	"github.com/flaketap/flaketap/mock/search/records"
	"github.com/flaketap/flaketap/mock/search/tree"
)

// Words are what the texts of an API's own files hold that may be names of fields, or values: what stands in quotes
// first, then names after a dot, each in the order in which it stands there. The zero value has none.
type Words struct {
	quoted, members []string
	numbers         []float64
	pairs           map[string]nearWords // what a name is compared with, by its key
	compared        []string             // texts that something is compared with
	chains          []exchange.Place     // members of members
	kinds           map[string]kind.Kind // of names that are declared with a type
	uses            map[string]kind.Kind // of names that stand on a line that speaks of one type
	seen            map[string]bool
	lines           map[string][]int     // of names, texts, numbers, and segments of paths, by their keys
	strong          map[string][]int     // those of names, but for fields of structs that are compared with no text
	own             map[string]string    // what a name in JSON is called in the source, by its key
	line            int                  // of the next file; files are far from each other
	found           map[string]nearWords // what was asked for so far, by path and name
	kin             kin
	lookups         []lookup
	headed          []headValues // of them, once they were asked for
	records         []records.Record
	nearby          map[string][]records.Record // what was asked for of them so far, by path
}

// nearWords are those that stand near a name, the nearest first.
type nearWords struct {
	texts   []string
	numbers []float64
}

// maxWords bounds how many words there are of each kind.
const maxWords = 150

var (
	inQuotes = lazy.Regexp("[\"'`]([A-Za-z][A-Za-z0-9_-]{0,39})[\"'`]")
	inTag    = lazy.Regexp(`json:"([A-Za-z][\w-]{0,39})`)
	member   = lazy.Regexp(`\.([A-Za-z][A-Za-z0-9_]{1,39})\b`)
	// How a line compares something.
	comparison = lazy.Regexp(`[=!<>]=|[<>] ?[\d"']|\bcase\b|\bin\b|\bequals\b|\bis\b`)
	segment    = lazy.Regexp(`/([A-Za-z][\w.-]{1,39})`)
)

// Add takes the words of a file.
func (w *Words) Add(text []byte) {
	w.open()
	from := w.line
	w.addTables(string(text), from+1)
	for _, r := range records.OfGo(text) {
		w.addRecord(r, from)
	}
	for line := range bytes.Lines(text) {
		w.line++
		if len(line) > 2000 { // of what was packed, words are no names
			continue
		}
		tags := inTag().FindAllSubmatch(line, 20)
		w.quoted = w.add(w.quoted, tags)
		quoted := inQuotes().FindAllSubmatch(line, 40)
		w.quoted = w.add(w.quoted, quoted)
		w.addCompared(string(line))
		w.addLookups(string(line))
		compared := len(quoted) > 0 && comparison().Match(line)
		members := member().FindAllSubmatch(line, 40)
		for _, m := range members {
			if m[1][0] >= 'a' {
				w.members = w.add(w.members, [][][]byte{m})
				continue
			}
			key := lines.Key(string(m[1])) // a field of a struct is no name in JSON
			w.stands(key)
			if compared {
				lines.Note(w.strong, key, w.line)
			}
		}
		w.addSegments(string(line))
		for _, n := range lines.Renamed(line) {
			w.own[lines.Key(n.Name)] = lines.Key(n.Own)
		}
		for _, n := range lines.Numbers(line) {
			w.addNumber(n)
		}
		w.addPairs(string(line))
		for _, path := range lines.Chains(line) {
			w.addChain(path)
		}
		w.addUses(line, quoted[:min(10, len(quoted))])
		w.addReadings(string(line), tags)
		w.kin.statuses.Add(string(line), w.line, slices.Concat(quoted, members[:min(20, len(members))]))
		for _, n := range lines.Declared(line) {
			w.declare(n.Name, n.Kind)
		}
	}
	w.addOwned(from)
	w.line += 1000
}

// open makes the maps of words that have none.
func (w *Words) open() {
	if w.seen == nil {
		w.seen, w.lines, w.kinds = map[string]bool{}, map[string][]int{}, map[string]kind.Kind{}
		w.uses, w.own, w.strong = map[string]kind.Kind{}, map[string]string{}, map[string][]int{}
		w.pairs = map[string]nearWords{}
	}
}

// stands notes that a word stands in the line that is read.
func (w *Words) stands(key string) { lines.Note(w.lines, key, w.line) }

func (w *Words) add(list []string, found [][][]byte) []string {
	for _, m := range found {
		list = w.addWord(list, string(m[1]))
	}
	return list
}

func (w *Words) addWord(list []string, word string) []string {
	w.stands(lines.Key(word))
	lines.Note(w.strong, lines.Key(word), w.line)
	if !w.seen[word] && len(list) < maxWords {
		w.seen[word] = true
		list = append(list, word)
	}
	return list
}

// addSegments takes the segments of paths.
func (w *Words) addSegments(text string) {
	for _, m := range segment().FindAllStringSubmatch(text, 10) {
		w.stands("/" + lines.Key(m[1]))
	}
}

// declare notes the type with which a name is declared first.
func (w *Words) declare(name string, k kind.Kind) {
	if _, known := w.kinds[name]; !known && k != kind.Unknown && len(w.kinds) < 10*maxWords {
		w.kinds[name] = k
	}
}

// addCompared takes texts that something is compared with.
func (w *Words) addCompared(line string) {
	for _, text := range lines.Texts(line) {
		w.stands(lines.Key(text))
		if !slices.Contains(w.compared, text) && len(w.compared) < maxWords {
			w.compared = append(w.compared, text)
		}
	}
}

// addPairs takes what names are compared with.
func (w *Words) addPairs(line string) {
	for _, p := range lines.Pairs(line) {
		key := lines.Key(p.Name)
		pair := w.pairs[key]
		switch {
		case len(pair.texts)+len(pair.numbers) > lines.MaxPlaces:
			continue
		case p.Number != 0 && !slices.Contains(pair.numbers, p.Number):
			pair.numbers = append(pair.numbers, p.Number)
		case p.Text != "" && !slices.Contains(pair.texts, p.Text):
			pair.texts = append(pair.texts, p.Text)
		}
		w.pairs[key] = pair
	}
}

func (w *Words) addNumber(n float64) {
	if n == 0 || n == 1 || math.IsNaN(n) || math.IsInf(n, 0) {
		return
	}
	if !slices.Contains(w.numbers, n) && len(w.numbers) < maxWords {
		w.numbers = append(w.numbers, n)
	}
	w.stands(lines.NumberKey(n))
}

// addUses notes the type of names in quotes where their line says one.
func (w *Words) addUses(line []byte, names [][][]byte) {
	if len(names) == 0 {
		return
	}
	said := lines.Kind(line)
	if said == kind.Unknown {
		return
	}
	for _, m := range names {
		name := string(m[1])
		if w.uses[name] == kind.Unknown && kind.Named(name) == kind.Unknown && len(w.uses) < 10*maxWords {
			w.uses[name] = said
		}
	}
}

// addChain takes the members of members that a line names: the whole of it, and without its first names, which may be
// variables.
func (w *Words) addChain(path []string) {
	for ; len(path) >= 2; path = path[1:] {
		p := exchange.PlaceBody
		for _, s := range path {
			p = tree.Below(p, s)
		}
		if !slices.Contains(w.chains, p) && len(w.chains) < maxWords {
			w.chains = append(w.chains, p)
		}
	}
}

// Names may be the names of fields.
func (w *Words) Names() []string {
	if w == nil {
		return nil
	}
	return slices.Concat(w.quoted, w.members)
}

// Values may be values that the API compares with.
func (w *Words) Values() []string {
	if w == nil {
		return nil
	}
	var out []string
	for _, v := range slices.Concat(w.compared, w.quoted) {
		if !slices.Contains(out, v) && !slices.Contains(ofHTTP, v) {
			out = append(out, v)
		}
	}
	return out
}

// ofHTTP are texts that are compared with what a request has, and those that it is made with.
var ofHTTP = []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "Content-Type", "Content-Length", "Accept", "Authorization", "utf-8", "Retry-After", "User-Agent", "Bearer"}

// places may be fields: the names, of the answer itself.
func (w *Words) places() (out []exchange.Place) {
	for _, name := range w.Names() {
		out = append(out, exchange.PlaceBody.Key(name))
	}
	return out
}

// nested may be fields within fields.
func (w *Words) nested() []exchange.Place {
	if w == nil {
		return nil
	}
	return w.chains
}

// kindOf is the type with which a name is declared, or which fields of such a name have in most services.
func (w *Words) kindOf(name string) kind.Kind {
	if w != nil {
		if k := w.uses[name]; k != kind.Unknown {
			return k
		}
		if k := w.kinds[name]; k != kind.Unknown {
			if usual := kind.Usual(name); usual != kind.Unknown && usual != k && (usual != kind.Number || k != kind.Integer) {
				return kind.Unknown // it is declared so for something else, perhaps
			}
			return k
		}
	}
	return kind.Usual(name)
}
