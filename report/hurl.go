package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Hurl writes an entry for each operation and status, with asserts of what holds of its volatile places; with
// [FormOptions].All of the stable ones too. {{host}} and the parameters of paths are variables; request bodies and
// headers are the user's to add. What holds of every element of an array is a comment: Hurl has no assert for that.
func Hurl(w io.Writer, m *mapfile.Map, o FormOptions) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, "# What holds of volatile places. Variables: host, as http://127.0.0.1:8080, and the parameters of the paths.\n")
	for _, op := range m.Operations {
		if !o.speaks(op) {
			continue
		}
		name := plainComment(op.Operation.String() + " " + status(op.Status))
		if op.Status == 0 || !methodLike(op.Method) || !strings.HasPrefix(op.Template, "/") {
			fmt.Fprintf(out, "\n# %s: no request that Hurl can send, or no answer\n", name)
			continue
		}
		fmt.Fprintf(out, "\n# %s\n%s %s\n", name, op.Method, hurlURL(op))
		expects := status(op.Status)
		if f := op.At(exchange.PlaceStatus); f != nil && unsettled(f) {
			expects = "*"
		}
		fmt.Fprintf(out, "HTTP %s\n", expects)
		if lines := hurlAsserts(op, o); len(lines) > 0 {
			fmt.Fprintf(out, "[Asserts]\n%s\n", strings.Join(lines, "\n"))
		}
	}
	return out.Flush()
}

// hurlURL writes the URL of an operation, its parameters as variables. Whatever may not stand in a URL is escaped.
func hurlURL(op *mapfile.Operation) string {
	host := "{{host}}"
	if op.Host != "" {
		host = "http://" + hurlPath(op.Host)
	}
	rest := op.Template
	var b strings.Builder
	for rest != "" {
		at := parameter.FindStringIndex(rest)
		if at == nil {
			b.WriteString(hurlPath(rest))
			break
		}
		b.WriteString(hurlPath(rest[:at[0]]) + "{{" + hurlVariable(rest[at[0]+1:at[1]-1]) + "}}")
		rest = rest[at[1]:]
	}
	return host + b.String()
}

func hurlPath(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c > ' ' && c < 0x7f && !strings.ContainsRune("\"#<>\\^`{|}", rune(c)) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// hurlVariable makes a name of a variable of that of a parameter.
func hurlVariable(s string) string {
	name := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, s)
	if strings.Trim(name, "0123456789_-") == "" {
		name = "p" + name
	}
	return name
}

// hurlAsserts are the lines of the section of asserts.
func hurlAsserts(op *mapfile.Operation, o FormOptions) []string {
	var out []string
	status := op.At(exchange.PlaceStatus)
	statusMoves := status != nil && unsettled(status) // what an answer with another one holds is not known
	for _, f := range op.Fields {
		if f.Apart() || !f.Volatile() && !o.All {
			continue
		}
		query, many := hurlQuery(op, f.Place)
		if query == "" {
			continue
		}
		lines := hurlPredicates(query, expected(f))
		if statusMoves || many || f.Holds.Optional || belowVolatile(op, f.Place) || len(lines) == 0 {
			lines = []string{plainComment(fmt.Sprintf("# %s: %s", query, strings.Join(statements(&f.Holds, maxValue), ", ")))}
		}
		out = append(out, lines...)
	}
	return out
}

// belowVolatile reports whether a place is within something that moves, or is ignored.
func belowVolatile(op *mapfile.Operation, place exchange.Place) bool {
	for p := place.Parent(); p != ""; p = p.Parent() {
		if f := op.At(p); f != nil && unsettled(f) {
			return true
		}
	}
	return false
}

// hurlQuery returns what asks for a place; many is set where that may be many values. The status has its own line.
func hurlQuery(op *mapfile.Operation, place exchange.Place) (query string, many bool) {
	if name, ok := headerName(place); ok {
		return "header " + hurlString(name), false
	}
	way, ok := wayTo(place)
	switch {
	case !ok:
		return "", false
	case len(way) == 0 && formOf(op) == textBody:
		return "body", false
	case !inJSON(op, place):
		return "", false
	}
	return "jsonpath " + hurlString(jsonPath(way)), strings.Contains(string(place), "/*")
}

// hurlString writes a text in double quotes. Braces are escaped, as two of them begin a variable.
func hurlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for s != "" {
		piece, size := visible(s)
		switch r := []rune(s[:size])[0]; {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '{' || r == '}' || piece != s[:size]:
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteString(piece)
		}
		s = s[size:]
	}
	b.WriteByte('"')
	return b.String()
}

// hurlPredicates are the asserts about one value; none where nothing can be said of it.
func hurlPredicates(query string, e expectation) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, query+" "+fmt.Sprintf(format, args...)) }
	kind := e.only()
	switch {
	case e.nullable, kind == "" && len(e.values) == 0:
		add("exists")
	case len(e.values) == 1:
		if s, ok := textOf(e.values[0]); ok {
			add("== %s", hurlString(s))
		} else {
			add("== %s", e.values[0])
		}
	case len(e.values) > 1 && anyOf(e.values) != "":
		add("matches %s", slashed(anyOf(e.values)))
	case kind == "number" && e.integer:
		add("isInteger")
	case kind == "number":
		add("isNumber")
	case kind == "boolean":
		add("isBoolean")
	case kind == "string" && e.pattern != "":
		add("matches %s", slashed(e.pattern))
	case kind == "string" && strings.HasPrefix(query, "jsonpath"):
		add("isString")
	case kind == "array":
		add("isCollection")
	default:
		add("exists")
	}
	if kind == "number" && !e.nullable && len(e.values) == 0 {
		if e.min != "" {
			add(">= %s", e.min)
		}
		if e.max != "" {
			add("<= %s", e.max)
		}
	}
	if kind == "array" && !e.nullable {
		if e.length[0] != nil && *e.length[0] > 0 {
			add("count >= %d", *e.length[0])
		}
		if e.length[1] != nil {
			add("count <= %d", *e.length[1])
		}
	}
	return out
}
