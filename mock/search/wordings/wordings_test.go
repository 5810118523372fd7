package wordings

import (
	"encoding/json"
	"fmt"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/mock/search/kind"
)

// short is what is told, in a line: places from the answer, from some object (~), from something missing (?).
func short(all []Told) string {
	var out []string
	for _, t := range all {
		p := strings.TrimPrefix(string(t.Place), "/body")
		p = []string{"", "~", "?"}[t.From] + strings.ReplaceAll(strings.TrimPrefix(p, "/"), "/", ".")
		if t.Kind != kind.Unknown {
			p += ":" + string(t.Kind)
		}
		if len(t.Values) > 0 {
			p += fmt.Sprint(t.Values)
		}
		if t.Fits != nil {
			p += fmt.Sprintf("=%v", t.Fits)
		}
		out = append(out, p)
	}
	return strings.Join(out, " ")
}

// Texts are those of the parsers, as they were printed: pydantic 2.14, msgspec, jsonschema 4.26, marshmallow, Node 20, zod 3.25
// and 4, Joi, Ajv 8, yup, Go 1.26, Jackson 2.17, Gson 2.14, Java 17.
func TestWordings(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"KeyError: 'rate'", "~rate"},
		{`{"e": "KeyError: \"rate\""}`, "~rate"},
		{"ERROR licence of 7: KeyError('licence')", "~licence"},
		{"  File \"a.py\", line 5, in a\n    return str(c.download.url), 1\n               ^^^^^^^^^^^^^^\nAttributeError: 'NoneType' object has no attribute 'url'", "~download.url"},
		{"    return r[\"manager\"][\"name\"]\n           ~~~~~~~~~~~~^^^^^^^^\nTypeError: 'NoneType' object is not subscriptable", "~manager.name"},
		{"    return [i.json().get(\"p\")[0][\"q\"] for i in r]\n            ~~~~~~~~~~~~~~~~~~~~^^^^^\nTypeError: 'NoneType' object is not subscriptable", "~p.*.q"},
		{`{"trace": ["    x = c.download.url", "        ^^^^^^^^^^^^^^", "AttributeError: 'NoneType' object has no attribute 'url'"]}`, "~download.url"},
		{"    return r[\"x\"]\n           ~^^^^^\nTypeError: 'NoneType' object is not subscriptable", ""},
		{"    return self.client.base\n           ^^^^^^^^^^^^^^^^\nAttributeError: 'NoneType' object has no attribute 'base'", "?base"},
		{"    short\n                      ^^^\nAttributeError: 'NoneType' object has no attribute 'base'", "?base"},
		{"AttributeError: 'NoneType' object has no attribute 'get'", ""},
		{"AttributeError: 'NoneType' object has no attribute 'rate'", "?rate"},
		{"AttributeError: 'types.SimpleNamespace' object has no attribute 'rate'", "~rate"},
		{"TypeError: D.__init__() missing 2 required positional arguments: 'rate' and 'base'", "~rate ~base"},
		{"2 validation errors for Quote\nrate\n  Field required [type=missing, input_value={}, input_type=dict]\n    For further information visit https://errors.pydantic.dev/2.14/v/missing\n" +
			"items.0.price\n  Input should be a valid number [type=float_type, input_value=[], input_type=list]\n", "rate items.*.price:number"},
		{"1 validation error for Quote\nkind\n  Input should be 'spot' or 'fixed' [type=literal_error, input_value='z', input_type=str]", "kind:string[spot fixed]"},
		{"1 validation error for Quote\naddress\n  Input should be a valid dictionary or instance of Address [type=model_type, input_value=[], input_type=list]", "address:object"},
		{`[{"type":"missing","loc":["address","city"],"msg":"Field required","input":{"zip":1.5},"url":"https://errors.pydantic.dev/2.14/v/missing"},` +
			`{"type":"int_from_float","loc":["address","zip"],"msg":"Input should be a valid integer, got a number with a fractional part","input":1.5},` +
			`{"type":"enum","loc":["items",0,"color"],"msg":"Input should be 'red' or 'blue'","input":"q","ctx":{"expected":"'red' or 'blue'"}}]`,
			"address.city address.zip:integer items.*.color:string[red blue]"},
		{`[{'type': 'missing', 'loc': ('rate',), 'msg': 'Field required', 'input': {}}, {'type': 'model_type', 'loc': ('address',), 'msg': 'Input should be a valid dictionary or instance of Address', 'input': []}]`,
			"rate address:object"},
		{"ValidationError: Object missing required field `city` - at `$.items[0]`", "items.*.city"},
		{"ValidationError: Object missing required field `rate`", "rate"},
		{"Expected `str`, got `int` - at `$.items[0].city`", "items.*.city:string"},
		{"'rate' is a required property\n\nFailed validating 'required' in schema:\n    {'type': 'object'}\n\nOn instance:\n    {}", "rate"},
		{"'a' is a required property\n\nFailed validating 'required' in schema['properties']['items']['items']:\n    {}\n\nOn instance['items'][0]:\n    {}", "items.*.a"},
		{"'x' is not of type 'number'\n\nFailed validating 'type' in schema['properties']['rate']:\n    {'type': 'number'}\n\nOn instance['rate']:\n    'x'", "rate:number"},
		{"'q' is not one of ['x', 'y']\n\nFailed validating\n\nOn instance['items'][0]['a']:\n    'q'", "items.*.a[x y]"},
		{"{'rate': ['Not a valid number.'], 'ok': ['Missing data for required field.']}", "~ok ~rate:number"},

		{"TypeError: Cannot read properties of undefined (reading 'zip')", "?zip"},
		{"TypeError: Cannot read properties of null (reading 'zip')", "?zip"},
		{`{"error":"Cannot read properties of undefined (reading 'zip')"}`, "?zip"},
		{"Cannot read properties of undefined (reading '0')", "?*"},
		{"Cannot read properties of undefined (reading 'map')", ""},
		{"Cannot destructure property 'rate' of 'd.quote' as it is undefined.", "~quote.rate"},
		{"d.items is not iterable", "~items:list"},
		{"undefined is not iterable (cannot read property Symbol(Symbol.iterator))", ""},
		{"{(intermediate value)}.items.map is not a function", "~items:list"},
		{"data.address.city.toUpperCase is not a function", "~address.city:string"},
		{"[\n  {\n    \"expected\": \"number\",\n    \"code\": \"invalid_type\",\n    \"path\": [\n      \"items\",\n      0,\n      \"price\"\n    ],\n" +
			"    \"message\": \"Invalid input: expected number, received undefined\"\n  },\n  {\n    \"code\": \"invalid_value\",\n    \"values\": [\n      \"a\",\n      \"b\"\n    ],\n" +
			"    \"path\": [\n      \"kind\"\n    ],\n    \"message\": \"Invalid option: expected one of \\\"a\\\"|\\\"b\\\"\"\n  }\n]", "items.*.price:number kind[a b]"},
		{`[{"code":"invalid_type","expected":"string","received":"undefined","path":["address","city"],"message":"Required"},` +
			`{"expected":"'a' | 'b'","received":"undefined","code":"invalid_type","path":["kind"],"message":"Required"},` +
			`{"received":"q","code":"invalid_enum_value","options":["a","b"],"path":["sort"],"message":"Invalid enum value. Expected 'a' | 'b', received 'q'"}]`,
			"address.city:string kind[a b] sort[a b]"},
		{`"items[0].a" is required`, "items.*.a"},
		{`"rate" must be a number`, "rate:number"},
		{`"k" must be one of [x, y]`, "k[x y]"},
		{"address.city is a required field", "address.city"},
		{"data must have required property 'rate'", "rate"},
		{"data/rate must be number, data/items/0 must have required property 'a'", "items.*.a rate:number"},
		{`[{"instancePath":"/rate","schemaPath":"#/properties/rate/type","keyword":"type","params":{"type":"number"},"message":"must be number"},` +
			`{"instancePath":"/items/0","schemaPath":"#","keyword":"required","params":{"missingProperty":"a"}},` +
			`{"instancePath":"/items/0/a","schemaPath":"#","keyword":"enum","params":{"allowedValues":["x","y"]}}]`, "items.*.a[x y] rate:number"},

		{"json: cannot unmarshal string into Go struct field Quote.rate of type float64", "rate:number"},
		{"json: cannot unmarshal string into Go struct field Item.items.price of type float64", "items.price:number"},
		{"json: cannot unmarshal object into Go struct field Quote.items of type []main.Item", "items:list"},
		{"json: cannot unmarshal number into Go struct field Quote.address of type main.Addr", "address:object"},
		{"json: cannot unmarshal number 1.5 into Go struct field Quote.n of type int", "n:integer"},
		{"json: cannot unmarshal array into Go value of type main.Quote", ""},

		{"UnrecognizedPropertyException: Unrecognized field \"zz\" (class T$Item), not marked as ignorable (2 known properties: \"price\", \"status\"])\n" +
			" at [Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: 1, column: 18] (through reference chain: T$Order[\"items\"]->java.util.ArrayList[0]->T$Item[\"zz\"])",
			"items.*.price items.*.status"},
		{"Cannot deserialize value of type `double` from String \"x\": not a valid `double` value (as String to convert)\n" +
			" at [Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: 1, column: 20] (through reference chain: T$Order[\"items\"]->java.util.ArrayList[0]->T$Item[\"price\"])",
			"items.*.price:number"},
		{"Cannot deserialize value of type `T$Status` from String \"q\": not one of the values accepted for Enum class: [CLOSED, ACTIVE]\n" +
			" at [Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: 1, column: 21] (through reference chain: T$Order[\"status\"])",
			"status:string[CLOSED ACTIVE]"},
		{"Cannot deserialize value of type `java.util.ArrayList<T$Item>` from Object value (token `JsonToken.START_OBJECT`)\n at [Source: (String)\"{\"; line: 1, column: 10] (through reference chain: T$Order[\"items\"])",
			"items:list"},
		{"Cannot construct instance of `T$Address` (although at least one Creator exists): no String-argument constructor/factory method to deserialize from String value ('x')\n" +
			" at [Source: REDACTED; line: 1, column: 12] (through reference chain: T$Order[\"address\"])", "address:object"},
		{"Cannot map `null` into type `int` (set DeserializationConfig.DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES to 'false' to allow)\n" +
			" at [Source: REDACTED; line: 1, column: 7] (through reference chain: T$Order[\"id\"])", "id:integer"},
		{"java.lang.IllegalArgumentException: No value for property 'rate' of `ObjectNode`", "~rate"},
		{`NullPointerException: Cannot read field "city" because "T.o.address" is null`, "~address ?city"},
		{`Cannot invoke "java.util.List.get(int)" because "this.items" is null`, "~items"},
		{`Cannot invoke "String.length()" because the return value of "Quote.getCity()" is null`, "~city"},
		{`Cannot invoke "String.length()" because the return value of "Quote.city()" is null`, "~city"},
		{`Cannot invoke "java.lang.Number.doubleValue()" because the return value of "java.util.Map.get(Object)" is null`, ""},
		{"IllegalStateException: Expected a double but was BEGIN_OBJECT at line 1 column 21 path $.items[0].price", "items.*.price:number"},
		{"IllegalStateException: Expected BEGIN_ARRAY but was BEGIN_OBJECT at line 1 column 11 path $.items", "items:list"},
		{`JSONObject["rate"] not found.`, "~rate"},
		{"1 validation error for Quote\naddress.city\n  Field required [type=missing, input_value={}, input_type=dict]\nKeyError: 'city'", "address.city"}, // whole, so not in part
		{"all is well", ""},
	} {
		if diff := cmp.Diff(tt.want, short(ReadErrors([]byte(tt.text)))); diff != "" {
			t.Errorf("%s\n%s", tt.text, diff)
		}
	}
}

// Of more texts than are read the same ones are each time.
func TestReadErrorsOfManyTexts(t *testing.T) {
	said := map[string]string{}
	for i := range 80 {
		said[fmt.Sprint("at", i)] = fmt.Sprintf(`JSONObject["field%d"] not found.`, i)
	}
	text, err := json.Marshal(map[string]any{"errors": said})
	if err != nil {
		t.Fatal(err)
	}
	want := short(ReadErrors(text))
	for range 3 {
		if diff := cmp.Diff(want, short(ReadErrors(text))); diff != "" || want == "" {
			t.Fatalf("%q: %s", want, diff)
		}
	}
}

// What pydantic 2.14 says, in the forms in which people log it and answer with it.
func TestPydantic(t *testing.T) {
	const url = "\n    For further information visit https://errors.pydantic.dev/2.14/v/missing\n"
	for _, tt := range []struct{ text, want string }{
		{"ERROR record 7: 2 validation errors for Record\ntitle\n  String should have at least 3 characters [type=string_too_short, input_value='', input_type=str]" + url +
			"contributors\n  Input should be a valid array [type=list_type, input_value='x', input_type=str]" + url, "title:string=xxx contributors:list"},
		{"1 validation error for Record\npublication.year\n  Input should be greater than or equal to 1400 [type=greater_than_equal, input_value=1, input_type=int]", "publication.year:number=1400"},
		{"1 validation error for Record\nshare\n  Input should be less than 1 [type=less_than, input_value=1, input_type=int]", "share:number=0"},
		{"1 validation error for Record\npack\n  Input should be a multiple of 6 [type=multiple_of, input_value=1, input_type=int]", "pack:number=6"},
		{"1 validation error for Page\nhits.0.isbn\n  String should match pattern '^\\d{10,13}$' [type=string_pattern_mismatch, input_value='x', input_type=str]", "hits.*.isbn:string=1111111111"},
		{"1 validation error for Page\nrows\n  List should have at least 2 items after validation, not 0 [type=too_short, input_value=[], input_type=list]", "rows:list=[map[] map[]]"},
		{"1 validation error for list[Loan]\n  Input should be a valid array [type=list_type, input_value={}, input_type=dict]", ":list"},
		{"1 validation error for Loan\n  Input should be an object [type=model_type, input_value=[], input_type=list]", ":object"},
		{"1 validation error for Loan\ndue\n  Input should be a valid date or datetime, input is too short [type=date_from_datetime_parsing, input_value='x', input_type=str]", "due:string=2999-01-01"},
		{"1 validation error for Loan\nat\n  Input should be a valid datetime or date, input is too short [type=datetime_from_date_parsing, input_value='x', input_type=str]", "at:string=2999-01-01T00:00:00Z"},
		{"1 validation error for Loan\ncover\n  URL input should be a string or URL [type=url_type, input_value=1, input_type=int]", "cover:string=https://example.com/"},
		{"1 validation error for Loan\nfee\n  Decimal input should be an integer, float, string or Decimal object [type=decimal_type, input_value=[], input_type=list]", "fee:number"},
		{"1 validation error for Loan\nid\n  Value error, no such branch [type=value_error, input_value='x', input_type=str]", "id"},
		{"1 validation error for Loan\nid\n  Extra inputs are not permitted [type=extra_forbidden, input_value='x', input_type=str]", ""},
		{"1 validation error for Pet\npet\n  Unable to extract tag using discriminator 'kind' [type=union_tag_not_found, input_value={}, input_type=dict]", "pet.kind:string"},
		{"1 validation error for Pet\npet\n  Input tag 'x' found using 'kind' does not match any of the expected tags: 'cat', 'dog' [type=union_tag_invalid, input_value={}, input_type=dict]", "pet.kind:string[cat dog]"},
		{`{"details": [{"type":"missing","loc":["name"],"msg":"Field required"},{"type":"greater_than_equal","loc":["owed"],"msg":"Input should be greater than or equal to 2"},` +
			`{"type":"literal_error","loc":["category"],"msg":"Input should be 'adult' or 'child'"}]}`, "name owed:number=2 category:string[adult child]"},
		{`{'type': 'string_pattern_mismatch', 'loc': ('id',), 'msg': "String should match pattern '^[\\w-]+$'"}`, "id:string=x"},
		{`{"errors": [{"field": "items.0.price", "message": "Input should be a valid number, unable to parse string as a number"}]}`, "items.*.price:number"},
		{"ERROR loans of M204: 0.due: Field required", "*.due"},
		{"ERROR loans of M204: 0/state: Input should be 'lent' or 'lost'; 0/fee: Input should be a valid decimal", "*.state:string[lent lost] *.fee:number"},
		{"ERROR checkout: download -> url: Input should be a valid URL, empty host", "download.url:string=https://example.com/"},
		{"WARNING ('items', 0, 'price'): Input should be a valid integer, got a number with a fractional part", "items.*.price:integer"},
		{"invalid: {'due': 'Field required', 'kind': \"Input should be 'a' or 'b'\"}", "due kind:string[a b]"},
		{"ERROR loans of M204: : Input should be a valid array", ":list"},
		{`[{"type":"list_type","loc":[],"msg":"Input should be a valid array"}]`, ":list"},
		{"ERROR: Field required", ""},
	} {
		if diff := cmp.Diff(tt.want, short(ReadErrors([]byte(tt.text)))); diff != "" {
			t.Errorf("%s\n%s", tt.text, diff)
		}
	}
}

// Values that JSON cannot have are not told: what was found could not be written.
func TestNoValuesOutsideOfJSON(t *testing.T) {
	for text, want := range map[string]string{
		"1 validation error for R\nfee\n  Input should be less than " + strings.Repeat("9", 320) + " [type=less_than, input_value=1, input_type=int]": "fee:number",
		"1 validation error for R\nfee\n  Input should be 'a', NaN or 2 [type=literal_error, input_value=1, input_type=int]":                          "fee:string[a NaN 2]",
		"0 is not one of [inf, -Infinity, 1e400, 1]\n\nOn instance['a']:\n    0":                                                                      "a[inf -Infinity 1e400 1]",
	} {
		all := ReadErrors([]byte(text))
		if diff := cmp.Diff(want, short(all)); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
		if _, err := json.Marshal(all); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
}

func TestMatching(t *testing.T) {
	for pattern, want := range map[string]string{
		`^[A-Z]{2}\d{3}$`: "XX111", `^(cat|dog)-\w+$`: "cat-x", `\d{4}-\d{2}`: "1111-11", `^[^x]$`: "1", `^a?b*c$`: "bc", `^$`: "",
		`^\w{300}$`: "", `(?=x)y`: "", `[`: "", `^x\by$`: "", `^(?:a{100}){100}$`: "",
	} {
		if got, _ := matching(pattern); got != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}

func FuzzReadErrors(f *testing.F) {
	f.Add([]byte(`{"a": [1, "KeyError: 'x'", null]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if all := ReadErrors(text); len(all) > maxTold {
			t.Errorf("%d fields are told", len(all))
		}
	})
}

// No text costs more than its length: where a name of any length stands first, only what stands right before the words
// of the error is read, and of a long word without them nothing is.
func TestLongWordsAreCheap(t *testing.T) {
	for _, list := range [][]wording{pydanticWordings, tracebacks, wordings, sentences} {
		for _, w := range list {
			re, err := syntax.Parse(w.re().String(), syntax.Perl)
			if err != nil {
				t.Fatal(err)
			}
			for re.Op == syntax.OpConcat || re.Op == syntax.OpCapture {
				re = re.Sub[0]
			}
			if re.Op == syntax.OpRepeat {
				t.Errorf("%s: each byte of a word may be the first one of %s", w.language, w.re())
			}
		}
	}
	word := strings.Repeat("a", 64<<10)
	for text, want := range map[string]int{word: 0, word + " is not a function": 1, strings.Repeat(word[:300]+" is not a function", 200): 200, strings.Repeat(" is not a function", 3000): 3000} {
		pieces, read := endings(text, " is not a function"), 0
		for _, p := range pieces {
			read += len(p)
			if len(p) > longestName+len(" is not a function") {
				t.Errorf("%d bytes are read for one name", len(p))
			}
		}
		if len(pieces) != want || read > len(text) {
			t.Errorf("of %d bytes %d are read, in %d pieces, want %d", len(text), read, len(pieces), want)
		}
	}
}
