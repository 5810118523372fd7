package write

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
	"github.com/tidwall/gjson"
)

// jvmChecks writes what is asserted of one answer.
type jvmChecks struct {
	*jvmClass
	step    Step
	res     string // the variable of the answer
	indent  int
	out     []string
	reads   bool      // whether anything is said of the answer
	pending []jvmLink // what REST-assured asserts, said in one chain
}

// say writes a statement.
func (c *jvmChecks) say(d jvmDoc) {
	c.flush()
	c.reads = true
	c.out = append(c.out, c.statement(d, c.indent)...)
}

// then has REST-assured assert.
func (c *jvmChecks) then(name string, args ...jvmDoc) {
	c.reads = true
	c.pending = append(c.pending, jvmLink{name, args})
}

func (c *jvmChecks) flush() {
	if len(c.pending) == 0 {
		return
	}
	links := append([]jvmLink{{name: "then"}}, c.pending...)
	c.pending = nil
	c.out = append(c.out, c.statement(c.chain(jvmWord(c.res), len(c.res) <= 4, links...), c.indent)...)
}

// all writes checks, those for answers of one status in a block of their own.
func (c *jvmChecks) all(checks []Check) {
	for i := 0; i < len(checks); {
		n := i + 1
		for n < len(checks) && checks[n].If == checks[i].If {
			n++
		}
		c.these(checks[i:n])
		i = n
	}
}

func (c *jvmChecks) these(checks []Check) {
	status := checks[0].If
	pad := strings.Repeat(" ", c.indent)
	if status != 0 {
		c.reads = true
		c.out = append(c.out, pad+"if ("+c.res+".statusCode() == "+strconv.Itoa(status)+") {")
		c.indent += 2
	}
	for _, check := range checks {
		c.one(check)
	}
	c.flush()
	if status != 0 {
		c.indent -= 2
		c.out = append(c.out, pad+"}")
	}
}

// one writes a check, with the reason why it asserts less than was recorded.
func (c *jvmChecks) one(k Check) {
	if k.Why != "" || k.Off != "" {
		c.flush()
	}
	if k.Why != "" {
		why := k.Why
		if k.Kind != CheckOutline && !strings.Contains(why, string(k.Place)) {
			why = string(k.Place) + ": " + why
		}
		c.out = append(c.out, c.comment(why, c.indent)...)
	}
	if k.Off != "" {
		c.out = append(c.out, c.comment(k.Off, c.indent)...)
	}
	switch k.Kind {
	case CheckStatus:
		c.status(k)
	case CheckHeader:
		c.header(k)
	case CheckOutline, CheckItems, CheckJSON:
		c.json(k)
	case CheckHolds:
		c.holds(k)
	case CheckEqual:
		how := "isText"
		if k.Suffix {
			how = "endsWith"
		}
		c.of(k.Place, "at", jvmLink{how, []jvmDoc{c.expression(k.Text, c.step.Base)}})
	default:
		c.whole(k)
	}
}

// whole writes a check of an answer as a whole.
func (c *jvmChecks) whole(k Check) {
	var l jvmLink
	switch k.Kind {
	case CheckCookie:
		l = jvmLink{"setsCookie", []jvmDoc{c.expression(k.Name, c.step.Base)}}
	case CheckEmpty:
		l = jvmLink{name: "isEmpty"}
	case CheckText:
		l = jvmLink{"hasText", []jvmDoc{c.expression(k.Text, c.step.Base)}}
	case CheckDigest:
		l = jvmLink{"hasDigest", []jvmDoc{jvmWord(strconv.Itoa(k.Length)), jvmWord(c.literal(k.SHA256))}}
	case CheckRelated:
		l = jvmLink{"isRelated", append([]jvmDoc{c.text(string(k.Relation)), c.text(string(k.Place))}, c.places(k.Of)...)}
	default:
		return
	}
	c.say(c.chain(c.answer(), false, l))
}

func (c *jvmChecks) answer() jvmDoc { return c.call(c.use("answer"), jvmWord(c.res)) }

func (c *jvmChecks) places(places []exchange.Place) []jvmDoc {
	out := make([]jvmDoc, len(places))
	for i, p := range places {
		out[i] = c.text(string(p))
	}
	return out
}

// of writes an assertion about the values at a place; how is at or each.
func (c *jvmChecks) of(place exchange.Place, how string, links ...jvmLink) {
	first := jvmLink{how, []jvmDoc{c.text(string(place))}}
	if place == exchange.PlaceBody && how == "at" {
		first = jvmLink{name: "body"}
	}
	c.say(c.chain(c.answer(), false, append([]jvmLink{first}, links...)...))
}

func (c *jvmChecks) status(k Check) {
	var all []jvmDoc
	for _, s := range k.Statuses {
		all = append(all, jvmWord(strconv.Itoa(s)))
	}
	switch len(all) {
	case 0:
	case 1:
		c.then("statusCode", all[0])
	default:
		c.then("statusCode", c.call(c.use("oneOf"), all...))
	}
}

// header writes the assertion of a header's lines. REST-assured looks at one of them.
func (c *jvmChecks) header(k Check) {
	segments := k.Place.Segments()
	name := c.text(segments[len(segments)-1])
	if len(k.Lines) == 1 {
		c.then("header", name, c.expression(k.Lines[0], c.step.Base))
		return
	}
	args := []jvmDoc{name}
	for _, l := range k.Lines {
		args = append(args, c.expression(l, c.step.Base))
	}
	c.say(c.chain(c.answer(), false, jvmLink{"hasHeader", args}))
}

// json writes the checks that compare parts of a JSON body.
func (c *jvmChecks) json(k Check) {
	var links []jvmLink
	if len(k.Masks) > 0 {
		links = append(links, jvmLink{"masking", c.places(k.Masks)})
	}
	if len(k.Absent) > 0 {
		links = append(links, jvmLink{"without", c.places(k.Absent)})
	}
	switch {
	case k.Kind == CheckJSON:
		links = append(links, jvmLink{"isJson", c.jvmLanguage.json(string(k.JSON))})
	case k.Kind == CheckItems && k.AsSet:
		links = append(links, jvmLink{"hasSetOf", c.jvmLanguage.json(string(k.JSON))})
	case k.Kind == CheckItems:
		links = append(links, jvmLink{"hasItems", c.jvmLanguage.json(string(k.JSON))})
	case len(k.Keys) > 0:
		keys := make([]jvmDoc, len(k.Keys))
		for i, key := range k.Keys {
			keys[i] = c.text(key)
		}
		links = append(links, jvmLink{"hasKeys", keys})
	default:
		size := jvmWord(strconv.Itoa(k.Length))
		links = append(links, jvmLink{"isType", []jvmDoc{jvmWord(c.literal("array"))}}, jvmLink{"hasLength", []jvmDoc{size, size}})
	}
	c.of(k.Place, "at", links...)
}

// aMember is a place that REST-assured has a plain path for, and aWord a text that no charset writes otherwise.
var (
	aMember = regexp.MustCompile(`^/body(/[a-zA-Z][a-zA-Z0-9_]*){1,4}$`)
	aWord   = regexp.MustCompile(`^"[ !#-\[\]-~]*"$`)
)

// holds writes what is true of the values at a place.
func (c *jvmChecks) holds(k Check) {
	h := k.Holds
	many := k.Optional || strings.Contains(string(k.Place), "/*") || strings.Contains(h.Type, "null|")
	values := h.OneOf
	if len(h.Equal) > 0 {
		values = append(values[:0:0], h.Equal)
	}
	if len(values) > 0 && !many && aMember.MatchString(string(k.Place)) && c.words(k.Place, values) {
		return
	}
	how := "at"
	if many {
		how = "each"
	}
	if links := c.statements(h, values); len(links) > 0 {
		c.of(k.Place, how, links...)
	}
}

// words has REST-assured assert that a member is one of some texts, and reports whether it can.
func (c *jvmChecks) words(place exchange.Place, values []json.RawMessage) bool {
	var texts []jvmDoc
	for _, v := range values {
		if !aWord.Match(v) {
			return false
		}
		texts = append(texts, c.text(gjson.ParseBytes(v).String()))
	}
	path := jvmWord(c.literal(strings.ReplaceAll(strings.TrimPrefix(string(place), "/body/"), "/", ".")))
	matcher := "oneOf"
	if len(texts) == 1 {
		matcher = "equalTo"
	}
	c.then("body", path, c.call(c.use(matcher), texts...))
	return true
}

// statements lists the assertions of what holds.
func (c *jvmChecks) statements(h mapfile.Holds, values []json.RawMessage) []jvmLink {
	if len(values) == 1 {
		return []jvmLink{{"isJson", c.jvmLanguage.json(string(values[0]))}}
	}
	if len(values) > 1 {
		args := make([]jvmDoc, len(values))
		for i, v := range values {
			args[i] = c.text(jvmJSONLine(string(v)))
		}
		return []jvmLink{{"isOneOf", args}}
	}
	var out []jvmLink
	only := "" // the one type beside null
	if rest := strings.TrimPrefix(h.Type, "null|"); !strings.Contains(rest, "|") {
		only = rest
	}
	text := c.textLinks(h)
	if h.Type != "" && (len(text) == 0 || only != "string" || text[0].name == "isNearClock") {
		out = append(out, jvmLink{"isType", []jvmDoc{c.text(h.Type)}})
	}
	var rest []jvmLink
	if len(text) > 0 && only == "" {
		return append(append(out, jvmLink{name: "ifText"}), text...)
	}
	rest = append(rest, text...)
	if only == "integer" || only == "number" {
		rest = append(rest, c.bounds(h)...)
	}
	if only == "array" || only == "string" && len(text) == 0 {
		rest = append(rest, c.lengths(h)...)
	}
	if len(rest) > 0 && strings.HasPrefix(h.Type, "null|") {
		out = append(out, jvmLink{name: "unlessNull"})
	}
	return append(out, rest...)
}

// textLinks says what a string, or a time in any form, looks like.
func (c *jvmChecks) textLinks(h mapfile.Holds) []jvmLink {
	var out []jvmLink
	switch {
	case h.Pattern != "":
		pattern := strings.TrimSuffix(strings.TrimPrefix(h.Pattern, "^"), "$")
		out = append(out, jvmLink{"matches", []jvmDoc{c.text(pattern)}})
	case notation.FormatPattern(h.Format) != "":
		out = append(out, jvmLink{"isFormat", []jvmDoc{c.text(h.Format)}})
	}
	if h.Echo == string(exchange.HeaderPlace("Host")) {
		out = append(out, jvmLink{"mentions", []jvmDoc{c.expression(Text{{Host: true}}, c.step.Base)}})
	}
	if h.Clock > 0 {
		out = append(out, jvmLink{"isNearClock", []jvmDoc{jvmWord(strconv.Itoa(h.Clock))}})
	}
	return out
}

func (c *jvmChecks) bounds(h mapfile.Holds) []jvmLink {
	var out []jvmLink
	if h.Min != "" {
		out = append(out, jvmLink{"isAtLeast", []jvmDoc{c.text(h.Min.String())}})
	}
	if h.Max != "" {
		out = append(out, jvmLink{"isAtMost", []jvmDoc{c.text(h.Max.String())}})
	}
	return out
}

func (c *jvmChecks) lengths(h mapfile.Holds) []jvmLink {
	number := func(n int) jvmDoc { return jvmWord(strconv.Itoa(n)) }
	switch {
	case h.MinLength != nil && h.MaxLength != nil:
		return []jvmLink{{"hasLength", []jvmDoc{number(*h.MinLength), number(*h.MaxLength)}}}
	case h.MinLength != nil:
		return []jvmLink{{"hasLength", []jvmDoc{number(*h.MinLength)}}}
	case h.MaxLength != nil:
		return []jvmLink{{"hasLength", []jvmDoc{number(0), number(*h.MaxLength)}}}
	}
	return nil
}
