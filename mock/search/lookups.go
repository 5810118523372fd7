package search

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/lazy"
)

// lookup is a header that the API's files look up by its name.
type lookup struct {
	name     string
	lines    []int
	vars     []string // keys of the names in the source that hold it
	compared []string // what stands compared with something in its lines
}

var (
	// How languages look a header up: headers.get("x"), headers["x"], Header.Get("x"), getHeader("x"), header("x"),
	// firstValue("x"), "x" in headers.
	lookupOf = lazy.Regexp(`(@|\w+(?:\(\))?\??\.)?` + // what has the headers
		`(?:(\w*[Hh]eaders?(?:Field|Line)?)(?:\(\))?` +
		`(?:\??\.(?:[Gg]et\w*|has|first\w*|[Vv]alues|all\w*|contains\w*|TryGetValues)\(|\??\.?\[|(\())|\.firstValue\()` +
		"\\s*[\"'`]([A-Za-z][A-Za-z0-9-]{1,39})[\"'`]" +
		`\s*(\]\s*=[^=]|,)?` + // what tells that it is set
		`|["']([A-Za-z][A-Za-z0-9-]{1,39})["']\s+(?:not\s+)?in\s+(\w+(?:\(\))?\??\.)?([\w.]*headers\b)`)
	// incomingOf is what has the headers of a request that comes in, or is sent: a parameter by an annotation, too.
	incomingOf = lazy.Regexp(`(?i)^(?:@|self\b|\w*req(?:uest)?\b)|request_?headers?`)
	// assignedTo is the name to which a line assigns what follows.
	assignedTo = lazy.Regexp(`([A-Za-z_]\w*)(?:\s*:[^=:]{1,30})?\s*:?=\s*[^=\s]`)
	// comparedNumber is a number with which something is compared.
	comparedNumber = lazy.Regexp(`(?:[=!]==?|[<>]=?)\s*(\d{1,9})\b`)
	// headerText is what may be the value of a header field (RFC 9110 §5.5) and be compared with it as a whole.
	headerText = lazy.Regexp(`^[!-~](?:[ -~]*[!-~])?$`)
)

// notTried are headers, in small letters, that the transport sets, that requests alone have, and that are tried by
// themselves (headers.go, changes.go); notBegun is how others begin of requests alone.
var (
	notTried = []string{"connection", "content-encoding", "content-length", "content-type", "date", "expect", "host",
		"keep-alive", "server", "te", "trailer", "transfer-encoding", "upgrade",
		"authorization", "cookie", "forwarded", "from", "origin", "proxy-authorization", "range", "referer",
		"traceparent", "tracestate", "user-agent", "x-api-key", "x-real-ip", "x-requested-with",
		"etag", "link", "retry-after"}
	notBegun = []string{"accept", "if-", "sec-", "x-forwarded-"}
)

// isTried reports whether a header may be one of an answer, and is tried by nothing else.
func isTried(name string) bool {
	name = strings.ToLower(name)
	return !slices.Contains(notTried, name) &&
		!slices.ContainsFunc(notBegun, func(begin string) bool { return strings.HasPrefix(name, begin) })
}

// addLookups takes the headers that a line looks up.
func (w *Words) addLookups(line string) {
	if !strings.Contains(line, "eader") && !strings.Contains(line, "firstValue") {
		return
	}
	all := lookupOf().FindAllStringSubmatchIndex(line, 10)
	from := 0 // behind the one before
	for i, at := range all {
		part := func(i int) string { return line[max(at[2*i], 0):max(at[2*i+1], 0)] }
		name, then, to := cmp.Or(part(4), part(6)), part(5), len(line)
		if i+1 < len(all) {
			to = all[i+1][0]
		}
		before, behind := line[from:at[0]], line[at[1]:to]
		from = at[1]
		sets := strings.HasPrefix(then, "]") || then == "," && part(3) != ""
		incoming := incomingOf().MatchString(part(1)+part(2)) || incomingOf().MatchString(part(7)+part(8))
		if !sets && !incoming && isTried(name) {
			w.addLookup(name, before, behind)
		}
	}
}

// addLookup takes a header by its name, and what stands before and behind it in its line.
func (w *Words) addLookup(name, before, behind string) {
	i := slices.IndexFunc(w.lookups, func(l lookup) bool { return strings.EqualFold(l.name, name) })
	if i < 0 {
		if len(w.lookups) >= maxWords {
			return
		}
		i = len(w.lookups)
		w.lookups = append(w.lookups, lookup{name: name})
	}
	l := &w.lookups[i]
	if len(l.lines) >= maxLines {
		return
	}
	l.lines = append(l.lines, w.line)
	if all := assignedTo().FindAllStringSubmatch(before+"x", 10); len(all) > 0 {
		l.vars = append(l.vars, wordKey(all[len(all)-1][1]))
	}
	found := comparedIn(behind)
	if len(found) == 0 {
		found = comparedIn(before)
	}
	l.compared = append(l.compared, found...)
}

// comparedIn are the texts, and the numbers, that a part of a line compares something with.
func comparedIn(part string) (out []string) {
	for _, m := range comparedText().FindAllStringSubmatch(part, 10) {
		out = append(out, m[1]+m[2])
	}
	for _, m := range comparedNumber().FindAllStringSubmatch(part, 10) {
		n, _ := strconv.ParseFloat(m[1], 64) // it is digits
		out = append(out, withNeighbors(n)...)
	}
	return out
}

// withNeighbors are the texts of a number and of those beside it; none of a status, which something else is compared
// with.
func withNeighbors(n float64) (out []string) {
	if slices.Contains(statuses, n) {
		return nil
	}
	for _, v := range []float64{n, n - 1, n + 1} {
		out = append(out, strconv.FormatFloat(v, 'f', -1, 64))
	}
	return out
}

// comparedWith are the texts that the files compare a header with, or look it up in, in its lines or by the name of
// what holds it.
func (w *Words) comparedWith(l lookup) []string {
	out := slices.Clone(l.compared)
	for _, name := range append(slices.Clone(l.vars), wordKey(l.name)) {
		pair := w.pairs[name]
		out = append(out, pair.texts...)
		for _, n := range pair.numbers {
			out = append(out, withNeighbors(n)...)
		}
	}
	for _, t := range w.kin.tables {
		if t.by != "" && slices.Contains(l.vars, t.by) || between(l.lines, t.at) == 0 {
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
		h := headValues{name: l.name, compared: len(compared) > 0, failing: w.failingBy(l)}
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

// failingBy is the status of a failure that stands nearest to where a header is looked up; 429 where none is near.
func (w *Words) failingBy(l lookup) int {
	status, far := 429, nearBy
	for _, s := range slices.Sorted(maps.Keys(w.kin.statuses)) {
		if d := between(l.lines, w.kin.statuses[s]); s >= 400 && d < far {
			status, far = s, d
		}
	}
	return status
}
