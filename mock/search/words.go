package search

import (
	"bytes"
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Words are what the texts of an API's own files hold that may be names of fields, or values: what stands in quotes
// first, then names after a dot, each in the order in which it stands there. The zero value has none.
type Words struct {
	quoted, members []string
	numbers         []float64
	chains          []exchange.Place // members of members
	kinds           map[string]Kind  // of names that are declared with a type
	uses            map[string]Kind  // of names that stand on a line that speaks of one type
	seen            map[string]bool
	lines           map[string][]int // of quoted, members, and numbers
	line            int              // of the next file; files are far from each other
}

// maxWords bounds how many words there are of each kind.
const maxWords = 150

var (
	inQuotes = pattern("[\"'`]([A-Za-z][A-Za-z0-9_-]{0,39})[\"'`]")
	inTag    = pattern(`json:"([A-Za-z][\w-]{0,39})`)
	member   = pattern(`\.([a-z][A-Za-z0-9_]{1,39})\b`)
	number   = pattern(`(?:^|[^\w.])(\d{1,9}(?:\.\d{1,6})?)(?:[^\w.]|$)`)
	chainOf  = pattern(`\w+(?:\??\.\w+\b|\??\.?\[["']\w+["']\]|\??\.?\[\d+\]|\.get\(["']\w+["'][^()]{0,12}\)){2,6}\(?`)
	// Paths as they are given to functions: "price", "amount", and "price.amount".
	listedNames = pattern(`["'][A-Za-z]\w{0,39}["'](?:\s*,\s*["'][A-Za-z]\w{0,39}["']){1,3}`)
	quotedPath  = pattern(`["']/?([A-Za-z]\w{0,39}(?:[./][A-Za-z]\w{0,39}){1,4})["']`)
	linkOf      = pattern(`\.get\(["'](\w+)["'][^()]{0,12}\)|\??\.(\w+)|\[["'](\w+)["']\]|\[(\d+)\]`)
	// How languages declare the type of a name.
	declared = []struct {
		re         func() *regexp.Regexp
		name, kind int
	}{
		{pattern("\\w+\\s+([\\w.\\[\\]*{}]+)\\s+`[^`]*json:\"([\\w-]+)"), 2, 1},
		{pattern(`\b(\w+)\??:\s*(?:Optional\[|Nullable<)?(float|int|str|bool|number|string|boolean|Double|Int|Long|String|Boolean|BigDecimal|(?:[Ll]ist|Array|dict|Map|Record)\b)`), 1, 2},
		{pattern(`\b(double|int|long|float|boolean|String|BigDecimal|Integer|Double|Long|Boolean|List<[\w<>]+>|Map<[\w<>, ]+>|\w+\[\])\s+(\w+)\s*[,;)=]`), 2, 1},
	}
)

// Add takes the words of a file.
func (w *Words) Add(text []byte) {
	if w.seen == nil {
		w.seen, w.lines, w.kinds = map[string]bool{}, map[string][]int{}, map[string]Kind{}
		w.uses = map[string]Kind{}
	}
	for line := range bytes.Lines(text) {
		w.line++
		if len(line) > 2000 { // of what was packed, words are no names
			continue
		}
		w.quoted = w.add(w.quoted, inTag().FindAllSubmatch(line, 20))
		w.quoted = w.add(w.quoted, inQuotes().FindAllSubmatch(line, 40))
		w.members = w.add(w.members, member().FindAllSubmatch(line, 40))
		w.addNumbers(line)
		w.addChains(line)
		w.addUses(line)
		for _, d := range declared {
			for _, m := range d.re().FindAllSubmatch(line, 20) {
				name, kind := string(m[d.name]), KindNamed(string(m[d.kind]))
				if _, known := w.kinds[name]; !known && kind != Unknown && len(w.kinds) < 10*maxWords {
					w.kinds[name] = kind
				}
			}
		}
	}
	w.line += 1000
}

func (w *Words) add(list []string, found [][][]byte) []string {
	for _, m := range found {
		word := string(m[1])
		if len(w.lines[word]) < 50 {
			w.lines[word] = append(w.lines[word], w.line)
		}
		if !w.seen[word] && len(list) < maxWords {
			w.seen[word] = true
			list = append(list, word)
		}
	}
	return list
}

func (w *Words) addNumbers(line []byte) {
	for _, m := range number().FindAllSubmatch(line, 20) {
		n, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil || n == 0 || n == 1 {
			continue
		}
		if !slices.Contains(w.numbers, n) && len(w.numbers) < maxWords {
			w.numbers = append(w.numbers, n)
		}
		if key := numberKey(n); len(w.lines[key]) < 50 {
			w.lines[key] = append(w.lines[key], w.line)
		}
	}
}

func numberKey(n float64) string { return "#" + strconv.FormatFloat(n, 'g', -1, 64) }

// typing are words that say of what type a value is that is read, or checked, on the same line.
var typing = pattern(`\b(?:(str|string|text|String|getString|asText|GetString|isString|optString)|(int|float|number|double|long|Number|getDouble|getInt|getLong|asDouble|asInt|float64|Double|Integer|isFinite|isInteger|parseFloat)|` +
	`(bool|boolean|flag|Boolean|asBoolean|getBoolean)|(list|List|array|isArray|getArray|Array)|(dict|Map|object|getObject|getJSONObject|record))\b`)

// addUses notes the type of a name in quotes where the line says one.
func (w *Words) addUses(line []byte) {
	names := inQuotes().FindAllSubmatch(line, 10)
	found := typing().FindAllSubmatch(line, 10)
	if len(names) == 0 || len(found) == 0 {
		return
	}
	kind := Unknown
	for _, m := range found {
		for i, k := range []Kind{String, Number, Boolean, List, Object} {
			if len(m[i+1]) == 0 {
				continue
			}
			if kind != Unknown && kind != k {
				return
			}
			kind = k
		}
	}
	for _, m := range names {
		if name := string(m[1]); w.uses[name] == Unknown && KindNamed(name) == Unknown && len(w.uses) < 10*maxWords {
			w.uses[name] = kind
		}
	}
}

// addChains takes the members of members that a line names: the whole of each, and without its first names, which may
// be variables.
func (w *Words) addChains(line []byte) {
	for _, m := range listedNames().FindAll(line, 10) {
		var path []string
		for _, q := range inQuotes().FindAllSubmatch(m, maxDepth) {
			path = append(path, string(q[1]))
		}
		w.addChain(path)
	}
	for _, m := range quotedPath().FindAllSubmatch(line, 10) {
		w.addChain(step().FindAllString(string(m[1]), maxDepth))
	}
	for _, m := range chainOf().FindAll(line, 20) {
		text, called := strings.CutSuffix(string(m), "(")
		links := linkOf().FindAllStringSubmatch(text, maxDepth)
		if called && len(links) > 0 && !strings.HasSuffix(text, ")") {
			links = links[:len(links)-1]
		}
		path := make([]string, 0, len(links))
		for _, l := range links {
			path = append(path, cmp.Or(l[1], l[2], l[3], l[4]))
		}
		w.addChain(path)
	}
}

func (w *Words) addChain(path []string) {
	for ; len(path) >= 2; path = path[1:] {
		p := exchange.PlaceBody
		for _, s := range path {
			p = below(p, s)
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
	return w.quoted
}

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
func (w *Words) kindOf(name string) Kind {
	if w != nil {
		if k, known := w.kinds[name]; known {
			return k
		}
		if k, known := w.uses[name]; known {
			return k
		}
	}
	return usualKind(name)
}

// nearBy is within how many lines of a name what it is compared with stands, for the most part.
const nearBy = 12

// near are values that stand near a name in the files, the nearest first: texts, and numbers with their neighbors.
func (w *Words) near(name string, limit int) (texts []string, numbers []float64) {
	if w == nil {
		return nil, nil
	}
	distances := map[string]int{}
	for _, word := range w.quoted {
		if d := w.distance(name, word); word != name && d <= nearBy {
			distances[word] = d
		}
	}
	byDistance := func(a, b string) int { return cmp.Or(cmp.Compare(distances[a], distances[b]), strings.Compare(a, b)) }
	texts = slices.SortedFunc(maps.Keys(distances), byDistance)
	far := map[float64]int{}
	for _, n := range w.numbers {
		if d := w.distance(name, numberKey(n)); d <= nearBy {
			far[n] = d
		}
	}
	numbers = slices.SortedFunc(maps.Keys(far), func(a, b float64) int {
		return cmp.Or(cmp.Compare(far[a], far[b]), cmp.Compare(a, b))
	})
	return texts[:min(limit, len(texts))], numbers[:min(limit, len(numbers))]
}

// distance is how many lines lie between two words where they are nearest.
func (w *Words) distance(a, b string) int {
	least := 1 << 30
	for _, x := range w.lines[a] {
		for _, y := range w.lines[b] {
			d := y - x
			if d < 0 {
				d = 1 - d // what is compared with a name stands behind it, for the most part
			}
			least = min(least, d)
		}
	}
	return least
}

// endings are how names of fields of a kind end, or the whole of them.
var endings = []struct {
	kind  Kind
	names []string
}{
	{Boolean, []string{"active", "enabled", "available", "ok", "success", "valid", "has_more", "hasmore", "more", "verified", "approved", "allowed", "open", "closed", "expired", "blocked"}},
	{Number, []string{"rate", "price", "amount", "total", "count", "quantity", "qty", "score", "left", "free", "stock", "limit", "balance", "size", "number",
		"weight", "temperature", "temp", "percent", "lat", "lon", "days", "hours", "minutes", "seconds", "expires_in", "version", "cost", "fee", "tax", "age", "page", "pages", "points"}},
	{List, []string{"items", "results", "data", "list", "tags", "lines", "entries", "rows", "records", "errors", "orders", "products", "users"}},
	{String, []string{"status", "state", "token", "id", "name", "code", "currency", "reason", "message", "type", "kind", "city", "country", "url", "key", "ref", "reference",
		"description", "text", "title", "email", "phone", "zone", "category", "level", "cursor", "next", "basis", "unit"}},
}

// usualKind is the kind that a field of a name has in most services; Unknown where the name tells nothing.
func usualKind(name string) Kind {
	low := strings.ToLower(name)
	if strings.HasPrefix(low, "is_") || strings.HasPrefix(low, "has_") || len(name) > 2 && strings.HasPrefix(name, "is") && name[2] < 'a' {
		return Boolean
	}
	for _, e := range endings {
		for _, end := range e.names {
			if low == end || strings.HasSuffix(low, "_"+end) || strings.HasSuffix(name, strings.ToUpper(end[:1])+end[1:]) {
				return e.kind
			}
		}
	}
	return Unknown
}
