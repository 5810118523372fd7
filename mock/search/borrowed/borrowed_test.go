package borrowed

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/wordings"
)

// Names are tried once in each object of each endpoint.
func TestNames(t *testing.T) {
	var n Names
	n.AddMembers(map[string]any{"fee": nil, "loans": []any{map[string]any{"due": "x"}}})
	n.Add("fee", "position")
	want := []exchange.Place{"/body/fee", "/body/loans", "/body/due", "/body/position"}
	if diff := cmp.Diff(want, n.Below("GET a", "/body")); diff != "" {
		t.Error(diff)
	}
	n.Try("GET a", want[:3])
	if diff := cmp.Diff(want[3:], n.Below("GET a", "/body")); diff != "" {
		t.Error(diff)
	}
	for at, got := range map[string][]exchange.Place{"another endpoint": n.Below("GET b", "/body"), "another object": n.Below("GET a", "/body/loan")} {
		if len(got) != 4 {
			t.Errorf("%s: left are %s", at, got)
		}
	}
}

func TestObjects(t *testing.T) {
	of := []any{map[string]any{"id": 1.0, "at": map[string]any{}, "tags": []any{"x"}}}
	if diff := cmp.Diff([]exchange.Place{"/body/*", "/body/*/at"}, Objects(of)); diff != "" {
		t.Error(diff)
	}
}

// What parsers say, in their words, of an answer with names of which some are fields.
func TestRefused(t *testing.T) {
	places := []exchange.Place{"/body/items/*/fee", "/body/items/*/tags", "/body/items/*/odd"}
	v := Value("")
	answer := map[string]any{"id": 1.0, "items": []any{map[string]any{"fee": v, "tags": v, "odd": v}}}
	fee := wordings.Told{Place: places[0], Kind: kind.Number}
	for text, want := range map[string][]wordings.Told{
		"items.0.fee\n  Input should be a valid number [type=float_type, input_value=[[]], input_type=list]\n" +
			"items.0.tags.0\n  Input should be a valid string [type=string_type, input_value=[], input_type=list]\n": {fee,
			{Place: places[1], Kind: kind.List}, {Place: places[1].Each(), Kind: kind.String}},
		"items.0.odd\n  Extra inputs are not permitted [type=extra_forbidden, input_value=[[]], input_type=list]\n":                                                                nil,
		`{"type": "extra_forbidden", "loc": ["items", 0, "odd"], "msg": "Extra inputs are not permitted"}`:                                                                         nil,
		"id\n  Input should be a valid string [type=string_type, input_value=1, input_type=int]\n":                                                                                 nil,
		"json: cannot unmarshal array into Go struct field Order.items.fee of type float64":                                                                                        {fee},
		"Cannot deserialize value of type `double` from Array value (token `JsonToken.START_ARRAY`)\n (through reference chain: O[\"items\"]->java.util.ArrayList[0]->I[\"fee\"])": {fee},
		"items.0.fee.due\n  Input should be a valid number [type=float_type, input_value=[], input_type=list]\n":                                                                   nil,
		"odd is invalid": nil,
	} {
		if diff := cmp.Diff(want, Refused(answer, wordings.ReadErrors([]byte(text)), places)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}
