package lines

import (
	"cmp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/lazy"
)

// Lookup is a header of an answer that a line looks up by its name.
type Lookup struct {
	Header   string
	Name     string   // what the line assigns it to, as the source writes it; "" where it does not
	Compared []string // what stands compared with something in the line: texts, and numbers with those beside them
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

// Lookups are the headers that a line looks up, ten at most, without those that are of requests alone.
func Lookups(line string) (out []Lookup) {
	if !strings.Contains(line, "eader") && !strings.Contains(line, "firstValue") {
		return nil
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
			out = append(out, lookup(name, before, behind))
		}
	}
	return out
}

// statement is how many bytes of a line, before a header, are taken to belong to its statement.
const statement = 200

// lookup is one, with what stands before and behind it in its line.
func lookup(header, before, behind string) Lookup {
	before = before[max(0, len(before)-statement):]
	l := Lookup{Header: header, Compared: compared(behind)}
	if all := assignedTo().FindAllStringSubmatch(before+"x", -1); len(all) > 0 {
		l.Name = all[len(all)-1][1]
	}
	if len(l.Compared) == 0 {
		l.Compared = compared(before)
	}
	return l
}
