package wordings

import (
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/mock/search/kind"
)

// message is how the messages of pydantic 2 begin; by it they are known where they stand alone beside a path, as people
// log them. One that a validator of the API's own gives is known by its type alone.
const message = `(?:[Ff]ield required|Input (?:should|tag)|(?:String|List|Set|Tuple|Dictionary|Data|Value|Date|Bytes) should|(?:Decimal|URL|UUID) input should|` +
	`Datetimes? provided|Unable to (?:extract tag|parse)|JSON input|value is not a valid email)`

// pydanticWordings are the errors of pydantic: as its error prints them, as JSON or Python's objects, and line by line.
var pydanticWordings = []wording{
	{"pydantic", lazy.Regexp(`(?m)^([\w.-]+)\n\s+([^\n]{1,400}?) ?\[type=(\w+), input_value`), func(m []string) []Told {
		if m[3] == "extra_forbidden" {
			return nil
		}
		return says(m[1], m[2])
	}},
	{"pydantic", lazy.Regexp(`(?m)^([\w.-]+)\n\s+(` + message + `[^\[\n]{0,400})`), func(m []string) []Told { return says(m[1], m[2]) }},
	{"pydantic", lazy.Regexp(`(?m)\d validation errors? for [^\n]{1,200}\n  (Input should be [^\[\n]{1,100})`), func(m []string) []Told { return says("", m[1]) }},
	{"pydantic", lazy.Regexp(`(?m)^([\w.-]+(?: -> [\w.-]+)+)\n\s+field required`),
		func(m []string) []Told { return one(Root, strings.ReplaceAll(m[1], " -> ", "."), kind.Unknown) }},
	{"pydantic", lazy.Regexp(`['"]loc['"]:\s*[\[(]([^\])]{0,300})[\])],\s*['"]msg['"]:\s*("(?:[^"\\]|\\.){1,400}"|'(?:[^'\\]|\\.){1,400}')`),
		func(m []string) []Told { return says(steps(m[1]), m[2][1:len(m[2])-1]) }},
	{"pydantic", lazy.Regexp(`['"](?:field|path|location|loc|name|key)['"]:\s*['"]([\w./-]{1,200})['"],\s*['"](?:msg|message|error|detail|reason|problem)['"]:\s*["'](` + message + `(?:[^"\\\n]|\\.){0,400})`),
		func(m []string) []Told { return says(m[1], m[2]) }},
	{"pydantic", lazy.Regexp(`(?m)^[^\n]*[:=,-]>? ['"]?` + message + `[^\n]*$`), inLine},
}

// beside are a path, as it is or as a list, and the message that stands beside it.
var beside = lazy.Regexp(`(?:[\[(]([^\[\]()\n]{0,200})[\])]|([\w-]{1,80}(?:(?:\.|/| -> | > )[\w-]{1,80}){0,9})|:)['"]?\s?(?::|=|-|,|->|=>)\s['"]?(` + message + `)`)

// labels are what stands before a message and is no path.
var labels = lazy.Regexp(`(?i)^(?:msg|message|errors?|details?|warn|warning|info|debug|critical)$`)

// inLine reads paths with their messages out of a line, as people write them: items.0.price: Field required.
func inLine(m []string) (out []Told) {
	line := m[0]
	found := beside().FindAllStringSubmatchIndex(line, maxTold)
	for i, at := range found {
		end := len(line)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		text, _, _ := strings.Cut(line[at[6]:end], ";")
		text = strings.TrimRight(text, " ,}])")
		for _, quote := range []string{"'", `"`} {
			if strings.Count(text, quote)%2 == 1 {
				text = strings.TrimSuffix(text, quote)
			}
		}
		path := ""
		if at[2] >= 0 {
			path = steps(line[at[2]:at[3]])
		} else if at[4] >= 0 {
			path = line[at[4]:at[5]]
		}
		if labels().MatchString(path) {
			continue
		}
		out = append(out, says(strings.NewReplacer(" -> ", ".", " > ", ".").Replace(path), text)...)
	}
	return out
}

// steps is a list of names and numbers, as 'items', 0, "price", as a path.
func steps(list string) string {
	return strings.Join(strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(`,'" `, r) }), ".")
}

var (
	bound  = lazy.Regexp(`^Input should be (greater|less) than( or equal to)? (-?\d+(?:\.\d+)?)$|^Input should be a (multiple) of()( \d+(?:\.\d+)?)$`)
	length = lazy.Regexp(`^(String|List|Set|Tuple|Data|Value) should have at (least|most) (\d{1,4}) `)
	match  = lazy.Regexp(`^String should match pattern '(.{1,300})'$`)
	tagged = lazy.Regexp(`^(?:Unable to extract tag using discriminator|Input tag '.*' found using) '?(\w+)'?(?:.*expected tags: (.*))?$`)
)

// says reads what a message of pydantic says of the field at a path.
func says(path, text string) []Told {
	text = strings.TrimSpace(strings.ReplaceAll(text, `\\`, `\`))
	if path != "" && placeOf(path) == placeOf("") {
		return nil
	}
	t := Told{Place: placeOf(path), From: Root}
	if m := tagged().FindStringSubmatch(text); m != nil {
		t.Place, t.Kind, t.Values = t.Place.Key(m[1]), kind.String, listed(m[2])
		return []Told{t}
	}
	if what, is := strings.CutPrefix(text, "Input should be "); is && bound().FindString(text) == "" {
		if as := shouldBe(path, what); len(as) > 0 {
			t = as[0]
		}
		if len(t.Values) > 0 {
			t.Kind = kind.Of(t.Values[0])
		}
	}
	if t.Fits == nil {
		t.Kind, t.Fits = fits(text, t.Kind)
	}
	if path == "" && t.Kind == kind.Unknown {
		return nil
	}
	return []Told{t}
}

// fits is a value that a message asks for, and its kind.
func fits(text string, k kind.Kind) (kind.Kind, any) {
	if m := bound().FindStringSubmatch(text); m != nil {
		n, ok := number(strings.TrimSpace(m[3] + m[6]))
		switch {
		case !ok:
			return kind.Number, nil
		case m[1] == "greater" && m[2] == "":
			n++
		case m[1] == "less" && m[2] == "":
			n--
		}
		return kind.Number, n
	}
	if m := length().FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[3])
		if m[2] == "most" {
			n = min(n, 1)
		}
		if m[1] == "String" {
			return kind.String, strings.Repeat("x", n)
		}
		elements := slices.Repeat([]any{map[string]any{}}, min(n, 10))
		return kind.List, elements
	}
	if m := match().FindStringSubmatch(text); m != nil {
		if s, ok := matching(m[1]); ok {
			return kind.String, s
		}
		return kind.String, nil
	}
	for _, f := range forms {
		if strings.Contains(text, f.says) {
			return kind.String, f.text
		}
	}
	if strings.HasPrefix(text, "Decimal input") {
		return kind.Number, nil
	}
	return k, nil
}

// forms are texts in the forms that parsers want, by what their messages say of them; the first that is said counts.
var forms = []struct{ says, text string }{
	{"valid datetime", "2999-01-01T00:00:00Z"}, {"timezone", "2999-01-01T00:00:00Z"}, {"Date should be in the past", "2001-01-01"},
	{"should be in the past", "2001-01-01T00:00:00Z"}, {"Date should be in the future", "2999-01-01"}, {"should be in the future", "2999-01-01T00:00:00Z"},
	{"valid date", "2999-01-01"}, {"zero time", "2999-01-01"}, {"valid timedelta", "PT1H"}, {"valid time", "12:00:00"},
	{"valid URL", "https://example.com/"}, {"URL input", "https://example.com/"}, {"URL scheme should be", "https://example.com/"},
	{"valid UUID", "00000000-0000-4000-8000-000000000000"}, {"UUID input", "00000000-0000-4000-8000-000000000000"},
	{"valid email", "a@example.com"}, {"valid IPv6", "2001:db8::1"}, {"valid IPv", "192.0.2.1"},
}
