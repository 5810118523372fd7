package search

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/flaketap/flaketap/exchange"
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
	maxTokens   = 200_000
	maxKin      = 12
	sameThing   = 40 // lines within which a name stands for one thing
	besideLines = 3  // behind a status, of which the names are taken
)

// tokenOf are the parts of a text in most languages: comments, strings, names, and signs.
var tokenOf = pattern(`"""(?s:.*?)"""|//[^\n]*|(?m:^[ \t]*#[^\n]*)|/\*(?s:.*?)\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|` +
	"`[^`\n]*`" + `|[A-Za-z_$][\w$]*|\d[\w.]*|=>|->|:=|[=!<>]==?|[\n{}()\[\],:;=|]`)

// frame is what an open bracket holds.
type frame struct {
	name                string // what it is assigned to
	elements            int
	keys, values, items []string
}

// addTables takes the tables of a text whose first line has a number.
func (w *Words) addTables(text string, line int) {
	var stack []*frame
	var statement []string
	used, names := map[string][]int{}, map[int]string{}
	// Behind the last end of a comment no comment ends, which each beginning of one would be read on for.
	end := strings.LastIndex(text, "*/") + 1
	text = text[:end] + strings.ReplaceAll(text[end:], "/*", "/ ")
	tokens := tokenOf().FindAllString(text, maxTokens)
	for i, t := range tokens {
		switch {
		case t == "\n":
			line++
			statement = statement[:0]
			continue
		case strings.HasPrefix(t, "//"), strings.HasPrefix(t, "/*"), strings.HasPrefix(t, `"""`),
			strings.HasPrefix(strings.TrimSpace(t), "#"):
			line += strings.Count(t, "\n")
			continue
		case strings.Contains("{[(", t):
			stack = append(stack, &frame{name: assigned(statement)})
		case strings.Contains("}])", t):
			if len(stack) == 0 {
				continue
			}
			f := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if w.addTable(f) && f.name != "" {
				names[len(w.kin.tables)-1] = f.name
			}
		case len(stack) > 0:
			stack[len(stack)-1].take(t, around(tokens, i, -1), around(tokens, i, 1))
		}
		if looksUp(tokens, i) {
			used[t] = append(used[t], line)
		}
		statement = append(statement, t)
	}
	for i, name := range names {
		if by, chosen := strings.CutPrefix(name, branches); chosen {
			w.kin.tables[i].by = wordKey(by)
		} else {
			w.kin.tables[i].at = used[name]
		}
	}
}

// around is the token before or behind another one, but for ends of lines.
func around(tokens []string, i, step int) string {
	for i += step; i >= 0 && i < len(tokens); i += step {
		if tokens[i] != "\n" && !strings.HasPrefix(tokens[i], "//") {
			return tokens[i]
		}
	}
	return ""
}

// take takes a token that stands right in a bracket.
func (f *frame) take(t, before, behind string) {
	if t == "," || f.elements == 0 {
		f.elements++
	}
	text, is := quotedText(t)
	if !is {
		return
	}
	ends := strings.Contains(",}])", behind)
	switch {
	case (behind == ":" || behind == "=>" || behind == "->" || before == "case") && before != "?":
		f.keys = append(f.keys, text)
	case before == ":" && ends:
		f.values = append(f.values, text)
	case strings.Contains("{[(,", before) && ends:
		f.items = append(f.items, text)
	}
}

// quotedText is the text of a string that may be a value.
func quotedText(t string) (text string, is bool) {
	if len(t) < 3 || len(t) > 42 || !strings.Contains("\"'`", t[:1]) {
		return "", false
	}
	text = t[1 : len(t)-1]
	return text, !strings.ContainsAny(text, "\\{}<>%$\n")
}

// branching are the words by which languages begin a choice by the value of something.
var branching = []string{"switch", "match", "when"}

// branches stands before the name of a thing by which is chosen.
const branches = "by "

// looksUp reports whether something that is not known before is looked up in what a token names.
func looksUp(tokens []string, i int) bool {
	if i > 0 && tokens[i-1] == "in" {
		return true
	}
	if i+2 >= len(tokens) || !slices.Contains(looking, tokens[i+1]) {
		return false
	}
	_, known := quotedText(tokens[i+2])
	return tokens[i+1] != "[" || !known
}

// looking are the signs and words behind the name of a table by which languages look something up in it.
var looking = []string{
	"[", "get", "has", "includes", "include", "contains", "containsKey", "Contains", "ContainsKey", "indexOf", "getOrDefault",
}

// assigned is the name that a statement assigns something to, or by which it chooses; "" where it does neither.
func assigned(statement []string) (name string) {
	for i, t := range statement {
		switch {
		case slices.Contains(branching, t):
			for _, t := range slices.Backward(statement[i+1:]) {
				if identifier().MatchString(t) {
					return branches + t
				}
			}
			return ""
		case t == "=" || t == ":=":
			return name
		case t == ":" && name != "":
			return name // of a type
		case identifier().MatchString(t):
			name = t
		}
	}
	return ""
}

var identifier = pattern(`^[A-Za-z_$][\w$]*$`)

// addTable takes what a bracket held where it lists words, and reports whether something can be looked up there.
func (w *Words) addTable(f *frame) (named bool) {
	add := func(words []string) bool {
		if len(words) < 2 || len(words) > maxTable || len(w.kin.tables) >= maxTables {
			return false
		}
		w.kin.tables = append(w.kin.tables, table{words: words})
		return true
	}
	add(f.values) // one does not look up by them
	if len(f.keys) > 0 {
		return add(f.keys)
	}
	return len(f.items) >= f.elements-1 && add(f.items) // a comma may stand behind the last one
}

// keys are those of a name, and of what it is called in the source.
func (w *Words) keys(name string) []string {
	key := wordKey(name)
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
	near := nearest(all, nearBy, func(i int) int {
		t := w.kin.tables[i]
		if t.by != "" && slices.Contains(keys, t.by) {
			return 0
		}
		return min(between(w.strong[keys[0]], t.at), between(w.strong[keys[1]], t.at))
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
var readingOf = pattern(`([A-Za-z_]\w*)(?:\??\.?\[\s*|\??\.\w+\(\s*|,\s*)["']([A-Za-z][\w-]{0,39})["']|\b([A-Za-z_]\w*)\??\.([a-z]\w*)\b(\(?)`)

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

// statusNamed are the statuses that languages have names for (RFC 9110, section 15), by the key of the name.
var statusNamed = sync.OnceValue(func() map[string]int {
	return map[string]int{
		"ok": 200, "created": 201, "accepted": 202, "nocontent": 204, "movedpermanently": 301, "found": 302,
		"seeother": 303, "notmodified": 304, "temporaryredirect": 307, "permanentredirect": 308, "badrequest": 400,
		"unauthorized": 401, "paymentrequired": 402, "forbidden": 403, "notfound": 404, "methodnotallowed": 405,
		"notacceptable": 406, "requesttimeout": 408, "conflict": 409, "gone": 410, "preconditionfailed": 412,
		"unsupportedmediatype": 415, "unprocessableentity": 422, "unprocessablecontent": 422, "locked": 423,
		"tooearly": 425, "toomanyrequests": 429, "internalservererror": 500, "notimplemented": 501, "badgateway": 502,
		"serviceunavailable": 503, "gatewaytimeout": 504,
	}
})

// aStatus is a number that may be a status, or the name of one: http.StatusConflict, HttpStatus.CONFLICT.
var aStatus = pattern(`\b([1-5]\d\d)\b|\b(?:\w*Status|HTTP|codes|StatusCodes)[._]?([A-Za-z_]{2,40})\b`)

// addStatuses takes the statuses that a line speaks of, and the names behind those, in quotes or after a dot.
func (w *Words) addStatuses(line string, names [][][]byte) {
	for _, m := range aStatus().FindAllStringSubmatch(line, 10) {
		status, _ := strconv.Atoi(m[1])
		if m[2] != "" {
			status = statusNamed()[wordKey(m[2])]
		}
		if status != 0 {
			w.kin.statuses[status] = append(w.kin.statuses[status], w.line)
		}
	}
	for status, lines := range w.kin.statuses {
		if at := lines[len(lines)-1]; w.line-at > besideLines {
			continue
		}
		for _, m := range names {
			name := string(m[1])
			if statusNamed()[wordKey(strings.TrimPrefix(name, "Status"))] != 0 {
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
