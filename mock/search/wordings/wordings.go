package wordings

import (
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/tree"
)

// one is a field that a text names, in the form that most readers below return.
func one(from From, path string, k kind.Kind, values ...any) []Told {
	return []Told{{Place: placeOf(path), From: from, Kind: k, Values: values}}
}

// fields reads names, as 'rate' and 'base', as fields of an object.
func fields(from From, names string, k kind.Kind) (out []Told) {
	for _, v := range listed(names) {
		if name, is := v.(string); is {
			out = append(out, Told{Place: exchange.PlaceBody.Key(name), From: from, Kind: k})
		}
	}
	return out
}

// named has the first text captured be a path from where places begin; typed has the second one be a type.
func named(from From) func([]string) []Told {
	return func(m []string) []Told { return one(from, m[1], kind.Unknown) }
}

func typed(from From) func([]string) []Told {
	return func(m []string) []Told { return one(from, m[1], kind.Named(m[2])) }
}

// methods are what only values of one kind have, in JavaScript and Python.
var methods = map[string]kind.Kind{
	"map": kind.List, "filter": kind.List, "forEach": kind.List, "reduce": kind.List, "some": kind.List, "every": kind.List, "find": kind.List, "flatMap": kind.List, "push": kind.List, "sort": kind.List, "findIndex": kind.List,
	"join": kind.List, "append": kind.List, "toUpperCase": kind.String, "toLowerCase": kind.String, "trim": kind.String, "split": kind.String, "startsWith": kind.String, "endsWith": kind.String,
	"charAt": kind.String, "substring": kind.String, "replace": kind.String, "padStart": kind.String, "localeCompare": kind.String, "match": kind.String, "upper": kind.String, "lower": kind.String, "strip": kind.String,
	"startswith": kind.String, "endswith": kind.String, "encode": kind.String, "toFixed": kind.Number, "toPrecision": kind.Number, "get": kind.Object, "items": kind.Object, "keys": kind.Object, "values": kind.Object,
	"slice": kind.Unknown, "length": kind.Unknown, "includes": kind.Unknown, "indexOf": kind.Unknown, "concat": kind.Unknown, "toString": kind.Unknown, "then": kind.Unknown, "Symbol(Symbol.iterator)": kind.Unknown,
	"hasOwnProperty": kind.Unknown, "constructor": kind.Unknown, "valueOf": kind.Unknown, "at": kind.Unknown, "headers": kind.Unknown, "statusCode": kind.Unknown,
}

// missing reads the name of a member of something that is not there; one that all values of a type have names no field.
func missing(m []string) []Told {
	if _, method := methods[m[1]]; method {
		return nil
	}
	return one(Missing, m[1], kind.Unknown)
}

// called reads the path to a method that a value does not have: x.items.map.
func called(m []string) []Told {
	path := placeOf(m[1]).Segments()[1:]
	last := len(path) - 1
	k, known := methods[path[last]]
	if !known || last < 1 {
		return nil
	}
	p := exchange.PlaceBody
	for _, s := range path[max(1, last-3):last] { // the first is a variable, or what stands for a value
		p = tree.Below(p, s)
	}
	if p == exchange.PlaceBody {
		return nil
	}
	return []Told{{Place: p, From: Inner, Kind: k}}
}

// afterVariable reads a path whose first name is a variable: data.items.
func afterVariable(k kind.Kind) func(m []string) []Told {
	return func(m []string) []Told {
		_, path, within := strings.Cut(m[1], ".")
		if !within {
			return nil
		}
		return one(Inner, path, k)
	}
}

// shouldBe reads what pydantic says a value should be.
func shouldBe(path, what string) []Told {
	what = strings.TrimPrefix(strings.TrimPrefix(what, "a valid "), "an ")
	if strings.HasPrefix(what, "'") || strings.HasPrefix(what, `"`) {
		return one(Root, path, kind.Unknown, listed(what)...)
	}
	word := what
	if i := strings.IndexFunc(what, func(r rune) bool { return r == ' ' || r == ',' }); i >= 0 {
		word = what[:i]
	}
	return one(Root, path, kind.Named(word))
}

// issue reads an issue of zod as JSON: what is said before the path, the path, and behind it.
func issue(before, path, behind string) []Told {
	said := before + behind
	p := placeOf(strings.Join(strings.FieldsFunc(path, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }), "."))
	if p == exchange.PlaceBody {
		return nil
	}
	t := Told{Place: p, From: Root}
	if m := expected().FindStringSubmatch(said); m != nil {
		t.Kind = kind.Named(m[1])
		if strings.HasPrefix(m[1], "'") {
			t.Values = listed(strings.ReplaceAll(m[1], "|", ","))
		}
	}
	if m := allowed().FindStringSubmatch(said); m != nil {
		t.Values = listed(m[1])
	}
	return []Told{t}
}

var (
	expected = lazy.Regexp(`"expected":\s*"([^"]{1,80})"`)
	allowed  = lazy.Regexp(`"(?:options|values|allowedValues)":\s*\[([^\]]*)\]`)
)

const chain = `\(through reference chain: ([^)]{1,600})\)`

var link = lazy.Regexp(`\["([^"]{1,80})"\]|\[(\d+)\]`)

// chained reads a reference chain of Jackson: Order["items"]->java.util.ArrayList[0]->Item["price"].
func chained(text string) exchange.Place {
	p := exchange.PlaceBody
	for _, m := range link().FindAllStringSubmatch(text, tree.MaxDepth) {
		p = tree.Below(p, m[1]+m[2])
	}
	return p
}

func jackson(text string, k kind.Kind, values ...any) []Told {
	return []Told{{Place: chained(text), From: Root, Kind: k, Values: values}}
}

// unrecognized reads what Jackson lists as known properties, beside the one that the chain ends in.
func unrecognized(m []string) (out []Told) {
	at := chained(m[2]).Parent()
	if at == "" {
		at = exchange.PlaceBody
	}
	for _, v := range listed(m[1]) {
		if name, is := v.(string); is {
			out = append(out, Told{Place: at.Key(name), From: Root})
		}
	}
	return out
}

// goField reads a field of a struct in Go's words: the name of a type, and the path without elements of lists.
func goField(m []string) []Told {
	_, path, _ := strings.Cut(m[1], ".")
	return one(Root, path, classKind(m[2]))
}

// behindNames are errors whose words stand behind a name of any length.
var behindNames = []behindName{
	{wording{"node", lazy.Regexp(`([\w.\[\])}]+) is not a function$`), called}, " is not a function"},
	{wording{"node", lazy.Regexp(`([\w.]+) is not iterable$`), afterVariable(kind.List)}, " is not iterable"},
}

// wordings are the errors that are understood. Their texts are those of the parsers themselves, see TestWordings.
var wordings = []wording{
	{"python", lazy.Regexp(`KeyError(?:: |\()\\?['"]([\w.-]+)`), named(Inner)},
	{"python", lazy.Regexp(`'(?:NoneType|str|int|float|list)' object has no attribute '(\w+)'`), missing},
	{"python", lazy.Regexp(`'([\w.]*[A-Z]\w*)' object has no attribute '(\w+)'`), lacked},
	{"python", lazy.Regexp(`missing \d+ required (?:positional|keyword-only) arguments?: ([^\n]{1,400})`),
		func(m []string) []Told { return fields(Inner, m[1], kind.Unknown) }},
	{"msgspec", lazy.Regexp("missing required field `(\\w+)`(?: - at `\\$([^`]*)`)?"), func(m []string) []Told { return one(Root, m[2]+"."+m[1], kind.Unknown) }},
	{"msgspec", lazy.Regexp("Expected `(\\w+)[^`]*`, got `[^`]*` - at `\\$([^`]+)`"), func(m []string) []Told { return one(Root, m[2], kind.Named(m[1])) }},
	{"jsonschema", lazy.Regexp(`(?s)'([\w.-]+)' is a required property(?:.*?On instance([^:\n]*):)?`),
		func(m []string) []Told { return one(Root, m[2]+"."+m[1], kind.Unknown) }},
	{"jsonschema", lazy.Regexp(`(?s)is not of type '(\w+)'.*?On instance([^:\n]+):`), func(m []string) []Told { return one(Root, m[2], kind.Named(m[1])) }},
	{"jsonschema", lazy.Regexp(`(?s)is not one of \[([^\]]{1,300})\].*?On instance([^:\n]+):`),
		func(m []string) []Told { return one(Root, m[2], kind.Unknown, listed(m[1])...) }},
	{"marshmallow", lazy.Regexp(`['"]([\w.-]+)['"]:\s*\[['"]Missing data for required field`), named(Inner)},
	{"marshmallow", lazy.Regexp(`['"]([\w.-]+)['"]:\s*\[['"]Not a valid (\w+)`), typed(Inner)},

	{"node", lazy.Regexp(`Cannot read propert(?:ies|y) of (?:undefined|null) \(reading \\?['"]([^'"\\]+)`), missing},
	{"node", lazy.Regexp(`Cannot read property '([^']+)' of (?:undefined|null)`), missing},
	{"node", lazy.Regexp(`Cannot destructure property '(\w+)' of '(?:\w+\.)?([\w.]+)' as it is`),
		func(m []string) []Told { return one(Inner, m[2]+"."+m[1], kind.Unknown) }},
	{"zod", lazy.Regexp(`\{((?:[^{}\[\]]|\[[^\]]*\])*?)"path":\s*\[([^\]]{0,300})\]([^{}]*)`),
		func(m []string) []Told { return issue(m[1], m[2], m[3]) }},
	{"joi, yup", lazy.Regexp(`"?([\w.\[\]-]+)"? is (?:a )?required(?: field)?\b`), named(Root)},
	{"joi, yup", lazy.Regexp("\"?([\\w.\\[\\]-]+)\"? must be an? [`]?(\\w+)"), typed(Root)},
	{"joi", lazy.Regexp(`"([\w.\[\]-]+)" must be (?:one of )?\[([^\]]{1,300})\]`), func(m []string) []Told { return one(Root, m[1], kind.Unknown, listed(m[2])...) }},
	{"ajv", lazy.Regexp(`(?:data|response|body)?((?:/[\w.-]+)*) must have required property '([\w.-]+)'`),
		func(m []string) []Told { return one(Root, m[1]+"/"+m[2], kind.Unknown) }},
	{"ajv", lazy.Regexp(`(?:data|response|body)((?:/[\w.-]+)+) must be (number|string|integer|boolean|array|object)`), typed(Root)},
	{"ajv", lazy.Regexp(`"instancePath":"([^"]*)"[^{}]*"keyword":"required","params":\{"missingProperty":"([^"]+)"`),
		func(m []string) []Told { return one(Root, m[1]+"/"+m[2], kind.Unknown) }},
	{"ajv", lazy.Regexp(`"instancePath":"([^"]+)"[^{}]*"keyword":"type","params":\{"type":"(\w+)"`), typed(Root)},
	{"ajv", lazy.Regexp(`"instancePath":"([^"]+)"[^{}]*"keyword":"enum","params":\{"allowedValues":\[([^\]]{1,300})\]`),
		func(m []string) []Told { return one(Root, m[1], kind.Unknown, listed(m[2])...) }},

	{"go", lazy.Regexp(`json: cannot unmarshal [^\n]{1,80}? into Go struct field ([\w.\[\]-]+) of type ([\w.\[\]*/]+)`), goField},
	{"go", lazy.Regexp(`cannot unmarshal JSON \w+ into Go (\S+) within "([^"]+)"`), func(m []string) []Told { return one(Root, m[2], classKind(m[1])) }},
	{"go validator", lazy.Regexp(`Field validation for '(\w+)' failed`), func(m []string) []Told { return one(Inner, strings.ToLower(m[1][:1])+m[1][1:], kind.Unknown) }},

	{"jackson", lazy.Regexp(`Unrecognized field [^\n]{1,200}?known properties: ([^\]]*)\](?:[^(]|\([^t])*` + chain), unrecognized},
	{"jackson", lazy.Regexp(`accepted for Enum class: \[([^\]]{1,600})\](?:[^\n]*\n)?(?:[^(\n]|\([^t\n])*` + chain),
		func(m []string) []Told { return jackson(m[2], kind.String, listed(m[1])...) }},
	{"jackson", lazy.Regexp("Cannot (?:deserialize value|map `null` into|construct instance)(?: of)?(?: type)? `([^`]+)`(?:[^\\n]*\\n)?(?:[^(\\n]|\\([^t\\n]|\\(t[^h])*" + chain),
		func(m []string) []Told { return jackson(m[2], classKind(m[1])) }},
	{"jackson", lazy.Regexp(`(?:Missing required|Null value for) creator property '([\w.-]+)'`), named(Inner)},
	{"jackson", lazy.Regexp(`No value for property '([\w.-]+)'`), named(Inner)},
	{"gson, moshi", lazy.Regexp(`Expected (?:an? )?(\w+) but was \w+ at (?:line \d+ column \d+ )?path \$([\w.\[\]-]+)`),
		func(m []string) []Told { return one(Root, m[2], kind.Named(strings.ToLower(m[1]))) }},
	{"gson", lazy.Regexp(`Expected (BEGIN_\w+) but was \w+ at (?:line \d+ column \d+ )?path \$([\w.\[\]-]+)`),
		func(m []string) []Told { return one(Root, m[2], kind.Named(m[1])) }},
	{"moshi", lazy.Regexp(`Required value '(\w+)' missing at \$([\w.\[\]-]*)`), func(m []string) []Told { return one(Root, m[2]+"."+m[1], kind.Unknown) }},
	{"kotlinx", lazy.Regexp(`Field '(\w+)' is required for type [^\n]*? missing(?: at path: \$([\w.\[\]-]*))?`),
		func(m []string) []Told { return one(Root, m[2]+"."+m[1], kind.Unknown) }},
	{"java", lazy.Regexp(`Cannot (?:invoke "[^"]{1,200}"|read (?:field|the array length)[^\n]{0,80}?|load[^\n]{0,40}?) because "(?:this\.|<local\d+>\.|\w+\.)+(\w+)" is null`), named(Inner)},
	{"java", lazy.Regexp(`because the return value of "[\w.$]*?\.(?:get([A-Z]\w*)|(\w+))\(\)" is null`), getter},
	{"java", lazy.Regexp(`Cannot read field "(\w+)" because`), missing},
	{"org.json", lazy.Regexp(`JSONObject\["([\w.-]+)"\] (?:not found|is not an? (\w+))`), func(m []string) []Told { return one(Inner, m[1], kind.Named(strings.ToLower(m[2]))) }},
	{"kotlin", lazy.Regexp(`parameter specified as non-null is null: [^\n]*?parameter (\w+)`), named(Inner)},

	{"any", lazy.Regexp(`is not valid JSON|Unexpected (?:token|end|non-whitespace)|JSONDecodeError|Expecting value|Unterminated string|invalid character|MalformedJson|JsonEOF`), noField},

	{"c#", lazy.Regexp(`could not be converted to ([\w.]+)[^\n]*?Path: \$([\w.\[\]'-]+)`), func(m []string) []Told { return one(Root, m[2], classKind(m[1])) }},
	{"rust", lazy.Regexp("missing field `(\\w+)`"), named(Inner)},
	{"ruby", lazy.Regexp(`key not found: [:"](\w+)`), named(Inner)},
	{"php", lazy.Regexp(`Undefined (?:array key|property|index):? "?(?:\w+::\$)?(\w+)`), named(Inner)},
}

// sentences are errors in an API's own words, which are read where no parser's are.
var sentences = []wording{
	{"any", lazy.Regexp(`(?i)\b(?:no|missing|lacks?|without(?: an?)?|invalid|bad|unexpected|unknown|wrong|malformed|unreadable|unusable|odd|strange|impossible|illegal|incomplete|empty|negative) (?:(?:the |a )?(?:required )?(?:field|property|key|value|attribute|member)s?:? )?[\\'"` + "`" + `]*([A-Za-z_][\w.\[\]-]{1,60})`), plainWords},
	{"any", lazy.Regexp(`(?i)(?:field|property|key|attribute|member) [\\'"` + "`" + `]*([\w.\[\]-]{2,60})`), plainWords},
	{"any", lazy.Regexp(`(?i)[\\'"` + "`" + `]?\b([A-Za-z_][\w.\[\]-]{1,60})[\\'"` + "`" + `]* (?:is|was|are) (?:missing|required|absent|not set|not found|invalid|not an? |no |unknown|empty|null|undefined|negative)`), plainWords},
}

// lacked reads an attribute that an object of some class lacks, which names a field.
func lacked(m []string) []Told {
	if m[1] == "NoneType" || strings.HasPrefix(m[2], "_") {
		return nil
	}
	return one(Inner, m[2], kind.Unknown)
}

// getter reads a getter, or an accessor of a record, whose value is null.
func getter(m []string) []Told {
	name := m[2]
	if m[1] != "" {
		name = strings.ToLower(m[1][:1]) + m[1][1:]
	}
	return one(Inner, name, kind.Unknown)
}

// fillers of sentences, which name no field.
var stopWords = lazy.Regexp(`(?i)^(?:the|an?|such|json|answer|response|reply|body|data|value|field|property|key|content|from|of|in|for|to|is|was|and|or|not|at|by|it|this|that|route|` +
	`service|server|request|error|format|character|token\.|input|input\.|more|longer|one|yet|other|errors?|further)$`)

// plainWords reads a name out of a sentence.
func plainWords(m []string) []Told {
	name := strings.TrimRight(m[1], ".-")
	if stopWords().MatchString(name) {
		return nil
	}
	return []Told{{Place: placeOf(name), From: Inner, Plain: true}}
}

// noField reads an error of a text that is no JSON, which tells no field.
func noField([]string) []Told { return nil }
