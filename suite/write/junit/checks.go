package junit

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// checkWriter writes what is asserted of one answer.
type checkWriter struct {
	*class
	step    plan.Step
	res     string // the variable of the answer
	indent  int
	out     []string
	reads   bool   // whether anything is said of the answer
	pending []link // what REST-assured asserts, said in one chain
	common  doc    // what that chain begins with where it asserts what most answers have in common; nil else
}

// say writes a statement.
func (c *checkWriter) say(d doc) {
	c.flush()
	c.reads = true
	c.out = append(c.out, c.statement(d, c.indent)...)
}

// then has REST-assured assert.
func (c *checkWriter) then(name string, args ...doc) {
	c.reads = true
	c.pending = append(c.pending, link{name, args})
}

func (c *checkWriter) flush() {
	switch {
	case c.common != nil:
		c.out = append(c.out, c.statement(c.chain(c.common, c.pending...), c.indent)...)
	case len(c.pending) > 0:
		links := append([]link{{name: "then"}}, c.pending...)
		c.out = append(c.out, c.statement(c.chain(word(c.res), links...), c.indent)...)
	}
	c.pending, c.common = nil, nil
}

// statements writes what is kept and asserted of an answer.
func (c *checkWriter) statements(list []plan.Statement) {
	for _, s := range list {
		switch {
		case s.Keep != nil:
			how := "take"
			if s.Keep.Find {
				how = "find"
			}
			c.say(c.call(c.use(how), word(c.res), c.text(s.Keep.Name), c.text(string(s.Keep.Place))))
		case s.Gone != "":
			c.say(c.call(c.use("gone"), word(c.res), c.text(s.Gone)))
		case s.Assert != nil:
			c.check(s.Assert)
		case s.SkipUnless != 0:
			c.skipUnless(s.SkipUnless)
		case s.Only != 0:
			c.only(s)
		}
	}
	c.flush()
}

// skipUnless skips the rest of the test where the answer has another status.
func (c *checkWriter) skipUnless(status int) {
	c.flush()
	c.reads = true
	is := word(c.res + ".statusCode() == " + strconv.Itoa(status))
	c.out = append(c.out, c.statement(c.call(c.use("assumeTrue"), is, c.text(plan.NotMade)), c.indent)...)
}

// only writes what is asserted of answers of one status.
func (c *checkWriter) only(s plan.Statement) {
	c.flush()
	c.reads = true
	pad := strings.Repeat(" ", c.indent)
	c.out = append(c.out, pad+"if ("+c.res+".statusCode() == "+strconv.Itoa(s.Only)+") {")
	c.indent += 2
	c.statements(s.Then)
	c.indent -= 2
	c.out = append(c.out, pad+"}")
}

// check writes a check, with the reason why it asserts less than was recorded.
func (c *checkWriter) check(k *plan.Check) {
	comments := k.Comments()
	if len(comments) > 0 {
		c.flush()
	}
	for _, line := range comments {
		c.out = append(c.out, c.comment(line, c.indent)...)
	}
	switch k.Kind {
	case plan.CheckStatus:
		c.status(k)
	case plan.CheckCommon:
		c.inCommon(k)
	case plan.CheckHeader:
		c.header(k)
	case plan.CheckOutline, plan.CheckItems, plan.CheckJSON:
		c.json(k)
	case plan.CheckHolds:
		c.holds(k)
	case plan.CheckEqual:
		how := "isText"
		switch {
		case k.Extent == plan.Among:
			how = "someIsText"
		case k.Suffix:
			how = "endsWith"
		}
		c.of(k.Place, "at", link{how, []doc{c.expression(k.Text, c.step.Base)}})
	default:
		c.whole(k)
	}
}

// whole writes a check of an answer as a whole.
func (c *checkWriter) whole(k *plan.Check) {
	var l link
	switch k.Kind {
	case plan.CheckCookie:
		l = link{"setsCookie", []doc{c.expression(k.Name, c.step.Base)}}
	case plan.CheckEmpty:
		l = link{name: "isEmpty"}
	case plan.CheckText:
		l = link{"hasText", []doc{c.expression(k.Text, c.step.Base)}}
	case plan.CheckDigest:
		l = link{"hasDigest", []doc{word(strconv.Itoa(k.Length)), word(c.literal(k.SHA256))}}
	case plan.CheckRelated:
		args := []doc{c.text(string(k.Relation)), c.text(string(k.Place))}
		for _, t := range k.Operands() {
			args = append(args, c.expression(t, c.step.Base))
		}
		l = link{"isRelated", args}
	case plan.CheckHash:
		l = link{"hasDigestOf", []doc{c.text(string(k.Place)), c.text(string(k.Hash)),
			c.expression(k.Operands()[0], c.step.Base), word(strconv.Itoa(k.Length))}}
	default:
		return
	}
	c.say(c.chain(c.answer(), l))
}

func (c *checkWriter) answer() doc { return c.call(c.use("answer"), word(c.res)) }

func (c *checkWriter) places(places []exchange.Place) []doc {
	out := make([]doc, len(places))
	for i, p := range places {
		out[i] = c.text(string(p))
	}
	return out
}

// of writes an assertion about the values at a place; how is at or each.
func (c *checkWriter) of(place exchange.Place, how string, links ...link) {
	first := link{how, []doc{c.text(string(place))}}
	if place == exchange.PlaceBody && how == "at" {
		first = link{name: "body"}
	}
	c.say(c.chain(c.answer(), append([]link{first}, links...)...))
}

func (c *checkWriter) status(k *plan.Check) {
	var all []doc
	for _, s := range k.Statuses {
		all = append(all, word(strconv.Itoa(s)))
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
func (c *checkWriter) header(k *plan.Check) {
	segments := k.Place.Segments()
	name := c.text(segments[len(segments)-1])
	if len(k.Lines) == 1 {
		c.then("header", name, c.expression(k.Lines[0], c.step.Base))
		return
	}
	args := []doc{name}
	for _, l := range k.Lines {
		args = append(args, c.expression(l, c.step.Base))
	}
	c.say(c.chain(c.answer(), link{"hasHeader", args}))
}

// json writes the checks that compare parts of a JSON body.
func (c *checkWriter) json(k *plan.Check) {
	var links []link
	if len(k.Masks) > 0 {
		links = append(links, link{"masking", c.places(k.Masks)})
	}
	if len(k.Absent) > 0 {
		links = append(links, link{"without", c.places(k.Absent)})
	}
	switch {
	case k.Kind == plan.CheckJSON:
		links = append(links, link{"isJson", c.language.json(string(k.JSON))})
	case k.Kind == plan.CheckItems:
		how := map[plan.Extent]string{plan.Whole: "hasItems", plan.AsSet: "hasSetOf", plan.Among: "hasAmongItems"}[k.Extent]
		links = append(links, link{how, c.language.json(string(k.JSON))})
	case len(k.Keys) > 0:
		keys := make([]doc, len(k.Keys))
		for i, key := range k.Keys {
			keys[i] = c.text(key)
		}
		links = append(links, link{"hasKeys", keys})
	default:
		size := word(strconv.Itoa(k.Length))
		links = append(links, link{"isType", []doc{word(c.literal("array"))}}, link{"hasLength", []doc{size, size}})
	}
	c.of(k.Place, "at", links...)
}

// aMember is a place that REST-assured has a plain path for, and aWord a text that no charset writes otherwise.
var (
	aMember = regexp.MustCompile(`^/body(/[a-zA-Z][a-zA-Z0-9_]*){1,4}$`)
	aWord   = regexp.MustCompile(`^"[ !#-\[\]-~]*"$`)
)

// holds writes what is true of the values at a place.
func (c *checkWriter) holds(k *plan.Check) {
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
	links := c.assertions(h, values)
	if k.Near != nil {
		links = append(links, link{"isNear", []doc{word(long(k.Near.After)), word(strconv.Itoa(k.Near.Within))}})
	}
	if len(links) > 0 {
		c.of(k.Place, how, links...)
	}
}

// words has REST-assured assert that a member is one of some texts, and reports whether it can.
func (c *checkWriter) words(place exchange.Place, values []json.RawMessage) bool {
	var texts []doc
	for _, v := range values {
		if !aWord.Match(v) {
			return false
		}
		texts = append(texts, c.text(gjson.ParseBytes(v).String()))
	}
	path := word(c.literal(strings.ReplaceAll(strings.TrimPrefix(string(place), "/body/"), "/", ".")))
	matcher := "oneOf"
	if len(texts) == 1 {
		matcher = "equalTo"
	}
	c.then("body", path, c.call(c.use(matcher), texts...))
	return true
}

// assertions lists the assertions of what holds.
func (c *checkWriter) assertions(h mapfile.Holds, values []json.RawMessage) []link {
	if len(values) == 1 {
		return []link{{"isJson", c.language.json(string(values[0]))}}
	}
	if len(values) > 1 {
		args := make([]doc, len(values))
		for i, v := range values {
			args[i] = c.text(jsonLine(string(v)))
		}
		return []link{{"isOneOf", args}}
	}
	var out []link
	only := "" // the one type beside null
	if rest := strings.TrimPrefix(h.Type, "null|"); !strings.Contains(rest, "|") {
		only = rest
	}
	text := c.textLinks(h)
	if h.Type != "" && (len(text) == 0 || only != "string" || text[0].name == "isNearClock") {
		out = append(out, link{"isType", []doc{c.text(h.Type)}})
	}
	var rest []link
	if len(text) > 0 && only == "" {
		return append(append(out, link{name: "ifText"}), text...)
	}
	rest = append(rest, text...)
	if only == "integer" || only == "number" {
		rest = append(rest, c.bounds(h)...)
	}
	if only == "array" || only == "string" && len(text) == 0 {
		rest = append(rest, c.lengths(h)...)
	}
	if len(rest) > 0 && strings.HasPrefix(h.Type, "null|") {
		out = append(out, link{name: "unlessNull"})
	}
	return append(out, rest...)
}

// textLinks says what a string, or a time in any form, looks like.
func (c *checkWriter) textLinks(h mapfile.Holds) []link {
	var out []link
	switch {
	case h.Pattern != "":
		pattern := strings.TrimSuffix(strings.TrimPrefix(h.Pattern, "^"), "$")
		out = append(out, link{"matches", []doc{c.text(pattern)}})
	case notation.FormatPattern(h.Format) != "":
		out = append(out, link{"isFormat", []doc{c.text(h.Format)}})
	}
	if h.Echo == string(exchange.HeaderPlace("Host")) {
		out = append(out, link{"mentions", []doc{c.expression(plan.Text{{Host: true}}, c.step.Base)}})
	}
	return out
}

func (c *checkWriter) bounds(h mapfile.Holds) []link {
	var out []link
	if h.Min != "" {
		out = append(out, link{"isAtLeast", []doc{c.text(h.Min.String())}})
	}
	if h.Max != "" {
		out = append(out, link{"isAtMost", []doc{c.text(h.Max.String())}})
	}
	return out
}

func (c *checkWriter) lengths(h mapfile.Holds) []link {
	number := func(n int) doc { return word(strconv.Itoa(n)) }
	switch {
	case h.MinLength != nil && h.MaxLength != nil:
		return []link{{"hasLength", []doc{number(*h.MinLength), number(*h.MaxLength)}}}
	case h.MinLength != nil:
		return []link{{"hasLength", []doc{number(*h.MinLength)}}}
	case h.MaxLength != nil:
		return []link{{"hasLength", []doc{number(0), number(*h.MaxLength)}}}
	}
	return nil
}

// long writes a number of seconds, which may be more than an int of these languages holds: those since 1900.
func long(n int) string {
	text := strconv.Itoa(n)
	if n != int(int32(n)) {
		text += "L"
	}
	return text
}
