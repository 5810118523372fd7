package hurl

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/write/javascript"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// response is what an entry expects: the status, the captures, the asserts.
func (w *writer) response(s *plan.Step) string {
	b := &asserts{w: w, step: s}
	status := "*"
	var captures []string
	for _, c := range s.Checks {
		if c.Kind == plan.CheckStatus && len(c.Statuses) == 1 {
			status = strconv.Itoa(c.Statuses[0])
		}
	}
	for _, c := range s.Captures {
		captures = append(captures, w.capture(&c)...)
	}
	for i := range s.Checks {
		b.check(&s.Checks[i], status)
	}
	out := "HTTP " + status + "\n"
	if len(captures) > 0 {
		out += "[Captures]\n" + strings.Join(captures, "\n") + "\n"
	}
	if len(b.lines) > 0 {
		out += "[Asserts]\n" + strings.Join(b.lines, "\n") + "\n"
	}
	return out
}

// capture keeps a value, and what is made of it for where it is used. A capture that finds nothing fails its entry: of
// an answer of another status than the recorded one, too, as what comes after it needs the value.
func (w *writer) capture(c *plan.Capture) []string {
	name := w.names[c.Name]
	query := spot(c.Place)
	if query == "" {
		return []string{"# " + plan.Visible(name+": Hurl cannot take "+string(c.Place)+
			" out of an answer; the recorded value is used")}
	}
	var out []string
	if c.Find {
		out = append(out, "# "+plan.Visible(name+": the order of the list may differ; Hurl takes the value at this index"))
	}
	out = append(out, name+": "+query)
	for _, v := range escapeVariants() {
		if w.variants[name][v.escape] {
			out = append(out, name+v.suffix+": "+query+" "+v.filters)
		}
	}
	return out
}

// spot asks for a place that a value is taken from; "" where Hurl cannot.
func spot(place exchange.Place) string {
	path := place.Segments()
	if path[0] == "body" {
		if len(path) == 1 {
			return "body"
		}
		return "jsonpath " + quoted(jsonPath(place, "$"))
	}
	if path[0] != "header" || len(path) < 2 {
		return ""
	}
	query := "header " + quoted(path[1])
	rest := path[2:]
	begin := `^(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?://[^/?#]*)?`
	if path[1] == "link" {
		begin = `<(?:[A-Za-z][A-Za-z0-9+.-]*:)?(?://[^/?#>]*)?`
	}
	switch {
	case path[1] == "set-cookie" && len(rest) == 1:
		return "cookie " + quoted(rest[0])
	case path[1] == "set-cookie" && len(rest) == 2 && rest[1] == "unescaped":
		return "cookie " + quoted(rest[0]) + " urlDecode"
	case len(rest) == 0:
		return query
	case len(rest) == 2 && rest[0] == "path":
		if n, err := strconv.Atoi(rest[1]); err == nil && n >= 0 && n < 100 {
			return query + " regex " + regex(begin+`/(?:[^/?#>]*/){`+rest[1]+`}([^/?#>]+)`) + " urlDecode"
		}
	case len(rest) == 2 && rest[0] == "query":
		return query + " regex " + regex(begin+`[^?#>]*\?(?:[^#>]*&)?`+literal.QuoteRegexp(rest[1])+`=([^&#>]*)`) + " urlDecode"
	}
	return ""
}

// jsonPath is a place of the body as a JSONPath, from a root.
func jsonPath(place exchange.Place, root string) string {
	raw := strings.Split(string(place), "/")[2:]
	names := place.Segments()[1:]
	for i, s := range raw {
		switch {
		case s == exchange.Wildcard:
			root += "[*]"
		case s != "" && strings.Trim(s, "0123456789") == "" && len(s) < 10:
			root += "[" + s + "]"
		default:
			root += member(names[i])
		}
	}
	return root
}

// member is the step to a member.
func member(key string) string {
	for i, r := range key {
		if !(r == '_' || 'a' <= r|0x20 && r|0x20 <= 'z' || i > 0 && '0' <= r && r <= '9') {
			return "[" + pathQuote(key) + "]"
		}
	}
	if key == "" {
		return "['']"
	}
	return "." + key
}

// pathQuote is a text as a literal of JSONPath.
func pathQuote(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		switch {
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

func quoted(s string) string { return `"` + literal.Hurl(s, '"') + `"` }

// regex is a regular expression as Hurl has it, between slashes.
func regex(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern) && pattern[i+1] != '/':
			b.WriteString(pattern[i : i+2])
			i++
		case c == '/':
			b.WriteString(`\/`)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\\': // an escaped slash
		default:
			b.WriteByte(c)
		}
	}
	return "/" + b.String() + "/"
}

// asserts writes the asserts of one answer.
type asserts struct {
	w     *writer
	step  *plan.Step
	lines []string
}

func (b *asserts) line(format string, args ...any) {
	b.lines = append(b.lines, fmt.Sprintf(format, args...))
}

func (b *asserts) comment(text string) {
	if text != "" {
		b.lines = append(b.lines, "# "+plan.Visible(text))
	}
}

// nothing asserts that a filter finds nothing.
func (b *asserts) nothing(path string) { b.line("jsonpath %s not exists", quoted(path)) }

// check writes one assertion, and why it is no stronger.
func (b *asserts) check(c *plan.Check, status string) {
	for _, line := range c.Comments() {
		b.comment(line)
	}
	switch {
	case !javascript.Asserts(c):
	case c.Kind == plan.CheckStatus && status == "*":
		var any []string
		for _, n := range c.Statuses {
			any = append(any, strconv.Itoa(n))
		}
		b.line("status toString matches /^(?:%s)$/", strings.Join(any, "|"))
	case c.If != 0 && status != strconv.Itoa(c.If):
		b.comment(fmt.Sprintf("%s: Hurl has no assert for answers of status %d alone", c.Place, c.If))
	default:
		b.assertion(c)
	}
}

func (b *asserts) assertion(c *plan.Check) {
	switch c.Kind {
	case plan.CheckHeader:
		query := "header " + quoted(c.Place.Segments()[1])
		if len(c.Lines) == 1 {
			b.line("%s == \"%s\"", query, b.w.text(c.Lines[0], '"'))
			return
		}
		b.line("%s count == %d", query, len(c.Lines))
		for i, l := range c.Lines {
			b.line("%s nth %d == \"%s\"", query, i, b.w.text(l, '"'))
		}
	case plan.CheckCookie:
		b.line("cookie \"%s\" exists", b.w.text(c.Name, '"'))
	case plan.CheckEmpty:
		b.line("bytes count == 0")
	case plan.CheckText:
		b.line("body == \"%s\"", b.w.text(c.Text, '"'))
	case plan.CheckDigest:
		b.line("bytes count == %d", c.Length)
		b.line("sha256 == hex,%s;", c.SHA256)
	case plan.CheckJSON:
		b.json(c)
	case plan.CheckOutline:
		for _, k := range c.Keys {
			b.line("jsonpath %s exists", quoted("$"+member(k)))
		}
		if len(c.Keys) == 0 {
			b.line("jsonpath \"$\" count == %d", c.Length)
		}
	case plan.CheckHolds:
		b.holds(c)
	case plan.CheckItems:
		b.items(c)
	case plan.CheckEqual:
		if c.Extent == plan.Among {
			b.some(c)
			return
		}
		predicate := "=="
		if c.Suffix {
			predicate = "endsWith"
		}
		query, many := b.query(c.Place)
		if query == "" {
			b.comment(string(c.Place) + ": Hurl has no assert for this")
		} else if !many {
			if strings.HasPrefix(query, "jsonpath") {
				query += " toString"
			}
			b.line("%s %s \"%s\"", query, predicate, b.w.text(c.Text, '"'))
		}
	case plan.CheckRelated:
		b.related(c)
	case plan.CheckHash:
		b.comment(fmt.Sprintf("%s: Hurl cannot compute its %s", c.Place, c.Hash))
	}
}

// query asks for a place; many is set where that may be several values. It is "" where Hurl cannot ask for it.
func (b *asserts) query(place exchange.Place) (query string, many bool) {
	if text, marker, ok := place.Text(); ok && marker == exchange.PartJWT {
		return b.tokenQuery(text, place)
	}
	switch {
	case place == exchange.PlaceBody:
		return "body", false
	case place.Root() == "header":
		return "header " + quoted(place.Segments()[1]), false
	case place.Root() == "body":
		path := jsonPath(place, "$")
		return "jsonpath " + quoted(path), strings.Contains(path, "[*]")
	}
	return "", false
}

// tokenQuery asks for what the header or the claims of a JSON web token hold.
func (b *asserts) tokenQuery(token, place exchange.Place) (query string, many bool) {
	query, many = b.query(token)
	path := strings.Split(strings.TrimPrefix(string(place), string(token.Part(exchange.PartJWT))), "/")
	nth := map[string]string{"header": "0", "claims": "1"}[path[1]]
	if nth == "" || many || query == "" {
		return "", many
	}
	inner := "$"
	if len(path) > 2 {
		inner = jsonPath(exchange.Place("/body/"+strings.Join(path[2:], "/")), "$")
	}
	return query + ` split "." nth ` + nth + ` base64UrlSafeDecode decode "utf-8" jsonpath ` + quoted(inner), false
}

// json asserts a JSON body value by value: what it has, and that it has no more.
func (b *asserts) json(c *plan.Check) {
	n := plan.ReadNode(c.JSON)
	if n == nil || halfPairs(string(c.JSON)) {
		b.comment("The body: Hurl cannot read JSON with half a surrogate pair")
		return
	}
	b.tree(n, "", "$", c)
}

// halfPairs reports whether a JSON text has escapes of half a surrogate pair.
func halfPairs(raw string) bool {
	units := literal.JSONUnits(raw)
	for i := 0; i < len(units); i++ {
		r := rune(units[i])
		if !utf16.IsSurrogate(r) {
			continue
		}
		if i+1 >= len(units) || utf16.DecodeRune(r, rune(units[i+1])) == '\ufffd' {
			return true
		}
		i++
	}
	return false
}

func (b *asserts) tree(n *plan.Node, place exchange.Place, path string, c *plan.Check) {
	query := "jsonpath " + quoted(path)
	masks := plan.PlaceSet(c.Masks)
	switch {
	case n.Raw == `"`+plan.Masked+`"` && masks.Has(place):
		b.line("%s exists", query)
	case n.Raw == "[":
		if !slices.ContainsFunc(c.Absent, func(p exchange.Place) bool { return p.Parent().Matches(place) }) {
			b.line("%s count == %d", query, len(n.Kids))
		}
		for i, k := range n.Kids {
			b.tree(k, place.Index(i), path+"["+strconv.Itoa(i)+"]", c)
		}
	case n.Raw == "{":
		members := map[string]int{}
		for i, k := range n.Keys {
			members[k] = i // the last of several counts
		}
		switch {
		case slices.ContainsFunc(c.Absent, func(p exchange.Place) bool {
			return p.Parent() == place ||
				p.Parent().Matches(place)
		}):
		case len(members) == 0:
			b.line("%s isObject", query)
			if path != "$" {
				b.nothing(path + "[*]")
			}
		default:
			b.nothing("$[?count(" + path + "[*]) != " + strconv.Itoa(len(members)) + "]")
		}
		for i, k := range n.Kids {
			if members[n.Keys[i]] == i {
				b.tree(k, place.Key(n.Keys[i]), path+member(n.Keys[i]), c)
			}
		}
	default:
		if value, ok := literalOf(n); ok {
			b.line("%s == %s", query, value)
		} else {
			b.line("%s isNumber", query)
		}
	}
}

// literalOf is a scalar as the value of a predicate; ok is false for a number that Hurl cannot write.
func literalOf(n *plan.Node) (string, bool) {
	switch n.Kind() {
	case "string":
		return `"` + literal.Hurl(string(utf16.Decode(literal.JSONUnits(n.Raw))), '"') + `"`, true
	case "integer", "number":
		if !aJSONNumber.MatchString(n.Raw) || n.Raw == "-0" {
			return "", false
		}
	}
	return n.Raw, true
}

// pathValue is a scalar as a literal of JSONPath.
func pathValue(raw json.RawMessage) (string, bool) {
	n := scalarNode(raw)
	switch {
	case n == nil || halfPairs(string(raw)):
		return "", false
	case n.Kind() == "string":
		return pathQuote(string(utf16.Decode(literal.JSONUnits(n.Raw)))), true
	case (n.Kind() == "integer" || n.Kind() == "number") && (!aJSONNumber.MatchString(n.Raw) || len(n.Raw) > 15):
		return "", false
	}
	return n.Raw, true
}

// items asserts that an array has its elements, in any order: for each, that so many elements are like it.
func (b *asserts) items(c *plan.Check) {
	n := plan.ReadNode(c.JSON)
	path := jsonPath(c.Place, "$")
	if n == nil || n.Raw != "[" || strings.Contains(path, "[*]") || c.Place.Root() != "body" {
		b.comment(string(c.Place) + ": Hurl has no assert for these elements")
		return
	}
	if c.Extent == plan.Whole {
		b.line("jsonpath %s count == %d", quoted(path), len(n.Kids))
	}
	counts := map[string]int{}
	var all [][]string
	for i, k := range n.Kids {
		parts := likeness(k, exchange.Place("").Index(i), "@", c)
		if len(parts) == 0 {
			return
		}
		all = append(all, parts)
	}
	var likes []string
	for _, parts := range all {
		like := strings.Join(parts, " && ")
		if counts[like] > 0 {
			continue
		}
		likes = append(likes, like)
		for _, other := range all { // an element that has more members is like this one, too
			if !slices.ContainsFunc(parts, func(p string) bool { return !slices.Contains(other, p) }) {
				counts[like]++
			}
		}
	}
	if c.Extent == plan.AsSet && len(likes) > 0 {
		b.nothing(path + "[?!((" + strings.Join(likes, ") || (") + "))]")
	}
	for _, like := range likes {
		switch c.Extent {
		case plan.AsSet:
			b.line("jsonpath %s exists", quoted(path+"[?"+like+"]"))
		case plan.Among:
			b.nothing("$[?count(" + path + "[?" + like + "]) < " + strconv.Itoa(counts[like]) + "]")
		default:
			b.nothing("$[?count(" + path + "[?" + like + "]) != " + strconv.Itoa(counts[like]) + "]")
		}
	}
}

// likeness lists the conditions of JSONPath that an element is true of: all of its scalars, but for what is masked.
func likeness(n *plan.Node, place exchange.Place, path string, c *plan.Check) []string {
	var all []string
	var visit func(n *plan.Node, place exchange.Place, path string)
	visit = func(n *plan.Node, place exchange.Place, path string) {
		switch {
		case plan.PlaceSet(c.Masks).Has(place) || plan.PlaceSet(c.Absent).Has(place):
		case n.Raw == "{":
			for i, k := range n.Kids {
				visit(k, place.Key(n.Keys[i]), path+member(n.Keys[i]))
			}
		case n.Raw == "[":
			for i, k := range n.Kids {
				visit(k, place.Index(i), path+"["+strconv.Itoa(i)+"]")
			}
		default:
			if value, ok := pathValue(json.RawMessage(n.Raw)); ok {
				all = append(all, path+" == "+value)
			}
		}
	}
	visit(n, place, path)
	return all
}

// some asserts that an element has a text at a place.
func (b *asserts) some(c *plan.Check) {
	i := lastWildcard(c.Place)
	if i < 0 || c.Place.Root() != "body" || slices.ContainsFunc(c.Text, plan.Piece.IsLiteral) {
		b.comment(string(c.Place) + ": Hurl has no assert for this")
		return
	}
	value := b.w.text(c.Text, '"')
	if c.Holds.Type == "string" {
		value = "'" + value + "'"
	}
	list, of := jsonPath(c.Place[:i], "$"), jsonPath(exchange.PlaceBody+c.Place[i+2:], "@")
	b.line("jsonpath \"%s[?%s == %s]\" exists", literal.Hurl(list, '"'), literal.Hurl(of, '"'), value)
}

// lastWildcard is where the last wildcard of a place begins, with its slash; -1 where there is none.
func lastWildcard(place exchange.Place) int {
	for i := len(place); i > 0; i = strings.LastIndex(string(place[:i]), "/") {
		if strings.HasPrefix(string(place[i:]), "/*") && (len(place) == i+2 || place[i+2] == '/') {
			return i
		}
	}
	return -1
}
