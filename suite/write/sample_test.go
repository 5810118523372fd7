package write

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/relation"
)

// lit, bound and secret are texts of one piece.
func lit(s string) Text    { return Text{{Literal: s}} }
func bound(s string) Piece { return Piece{Bound: s} }

const sampleToken = "secret:0123456789ab"

// samplePlan is a plan that has each kind of all that plans have, for the tests of writers.
func samplePlan() Plan {
	number := func(n int) *int { return &n }
	return Plan{
		Target: "http://127.0.0.1:8080",
		Bound: []Value{
			{Name: "token", Recorded: Text{{Secret: sampleToken}}, From: "POST /login /body/token"},
			{Name: "orderId", Recorded: lit("17"), From: "POST /orders /body/id"},
			{Name: "etag", Recorded: lit(`"v1"`), From: "POST /orders /header/etag"},
		},
		Secrets: map[string]string{sampleToken: "s3cr3t", "secret:aaaaaaaaaaaa": "cGFzcw==", "secret:bbbbbbbbbbbb": "sesame"},
		Codings: []string{"br", "gzip"},
		Tests: []Test{
			{
				Name: "post_orders_gives_201", About: []string{"POST /orders gives 201", `it's "quoted" \ and */ $ended`}, Group: "orders",
				Steps: []Step{sampleLogin(), {
					Role: Tested, Seq: 2, Title: "POST /orders", Method: "POST",
					Target: Text{{Literal: "/orders?by="}, {Bound: "token", Escape: InQuery}},
					Headers: []Header{
						{"Authorization", Text{{Literal: "Bearer "}, bound("token")}}, {"Content-Type", lit("application/json")}, {"X-Odd", lit("a\tb é")},
					},
					Body: &Body{Text: Text{
						{Literal: "{\"ref\": "}, {Bound: "orderId", Escape: AsJSON}, {Literal: ", \"note\": \"<"}, {Bound: "etag", Escape: InJSON}, {Literal: ">\", \"$x\": \"`${y}` é\\n\"}"},
					}, Chunked: true},
					Captures: []Capture{{Name: "orderId", Place: "/body/id"}, {Name: "etag", Place: "/header/etag"}},
					Checks: []Check{
						{Kind: CheckStatus, Statuses: []int{201}},
						{Kind: CheckHeader, Place: "/header/content-type", Lines: []Text{lit("application/json")}},
						{Kind: CheckHeader, Place: "/header/x-twice", Lines: []Text{lit("a"), {{Literal: "b "}, {Secret: sampleToken}}}},
						{Kind: CheckCookie, Place: "/header/set-cookie", Name: lit("sid")},
						{Kind: CheckEqual, Place: "/header/location", Why: "State, moved in 9 of 10", Text: Text{{Literal: "http://"}, {Host: true}, {Literal: "/orders/"}, bound("orderId")}},
						{Kind: CheckEqual, Place: "/header/x-end", Why: "State, moved in 9 of 10", Text: Text{{Literal: "/"}, bound("orderId")}, Suffix: true},
						{
							Kind: CheckJSON, Place: exchange.PlaceBody,
							JSON:   json.RawMessage(`{"id":"<volatile>","big":9007199254740993,"price":12.10,"a/b~":[true,null,"é"],"lines":[{"n":1,"at":"<volatile>"}],"":{}}`),
							Masks:  []exchange.Place{"/id", "/lines/*/at"},
							Absent: []exchange.Place{"/hint"},
						},
						{Kind: CheckEqual, Place: "/body/id", Why: "State, moved in 9 of 10", Text: Text{bound("orderId")}},
						{Kind: CheckHolds, Place: "/body/lines/*/at", Why: "Time, moved in 10 of 10", Optional: true, Holds: mapfile.Holds{Type: "string", Format: "rfc3339", Clock: 60}},
						{Kind: CheckHolds, Place: "/body/hint", Why: "Rand, moved in 3 of 10", Optional: true, Holds: mapfile.Holds{Type: "null|string", Pattern: `^a\d+\.b"$`}},
						{Kind: CheckRelated, Place: "/body/total", Relation: relation.Sum, Of: []exchange.Place{"/body/net", "/body/tax"}},
					},
				}, {
					Role: CleanUp, Seq: 9, Title: "DELETE /orders/{id}", Method: "DELETE",
					Target:  Text{{Literal: "/orders/"}, {Bound: "orderId", Escape: InPath}},
					Headers: []Header{{"Authorization", Text{{Literal: "Bearer "}, bound("token")}}},
				}},
			},
			{
				Name: "get_report_gives_200", About: []string{"GET /report gives 200"}, Group: "report",
				Steps: []Step{{
					Role: Tested, Seq: 3, Title: "GET /report", Method: "GET", Target: lit("/report?q=%27a%20b%27"), Base: "http://127.0.0.1:9090",
					Checks: []Check{
						{Kind: CheckStatus, Statuses: []int{200, 503}, Why: "Rand, moved in 4 of 10"},
						{Kind: CheckOutline, Place: exchange.PlaceBody, Keys: []string{"a", "b'c"}, Why: "The body is too large to be asserted in full.", If: 200},
						{Kind: CheckItems, Place: "/body/tags", Why: "Unord, moved in 8 of 10", JSON: json.RawMessage(`[{"t":"x","at":"<volatile>"},{"t":"y","at":"<volatile>"}]`), Masks: []exchange.Place{"/*/at"}, If: 200},
						{Kind: CheckItems, Place: "/body/set", JSON: json.RawMessage(`["x","y"]`), AsSet: true, If: 200},
						{Kind: CheckHolds, Place: "/body/n", Holds: mapfile.Holds{Type: "integer", Min: "0", Max: "12.5"}, Why: "Rand, moved in 4 of 10", If: 200},
						{Kind: CheckHolds, Place: "/body/list", Holds: mapfile.Holds{Type: "array", MinLength: number(1), MaxLength: number(3)}, If: 200},
						{Kind: CheckHolds, Place: "/body/one", Holds: mapfile.Holds{OneOf: []json.RawMessage{json.RawMessage(`"a"`), json.RawMessage(`null`)}}, If: 200},
						{Kind: CheckHolds, Place: "/body/same", Holds: mapfile.Holds{Equal: json.RawMessage(`"a"`)}, If: 200},
						{Kind: CheckHolds, Place: "/body/link", Holds: mapfile.Holds{Type: "string", Echo: "/header/host"}, If: 200},
						{Kind: CheckHolds, Place: "/body/off", Why: `Flaky value of field /body/off: "a" vs. "b"`, Off: `/body/off == "a"`, Optional: true, If: 200},
					},
				}},
			},
			{
				Name: "post_files_gives_204", About: []string{"POST /files gives 204"}, Group: "files",
				Steps: []Step{{
					Role: Tested, Seq: 4, Title: "POST /files", Method: "POST", Target: lit("/files"),
					Headers: []Header{{"Content-Type", lit("application/octet-stream")}},
					Body:    &Body{Bytes: []byte("\xff\xfe\x00\n\"")},
					Checks:  []Check{{Kind: CheckStatus, Statuses: []int{204}}, {Kind: CheckEmpty, Place: exchange.PlaceBody}},
				}, {
					Role: Tested, Seq: 5, Title: "POST /files", Method: "POST", Target: lit("/files"),
					Body:   &Body{Text: Text{{Secret: "secret:aaaaaaaaaaaa", Escape: FromBase64}}},
					Checks: []Check{{Kind: CheckStatus}, {Kind: CheckDigest, Place: exchange.PlaceBody, Length: 3, SHA256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}},
				}, {
					Role: Tested, Seq: 6, Title: "GET /files/{name}", Left: "it was not recorded in full",
				}, {
					Role: Tested, Seq: 7, Title: "GET /text", Method: "GET", Target: lit("/text"),
					Captures: []Capture{{Name: "orderId", Place: "/body/items/0/id", Find: true}},
					Checks:   []Check{{Kind: CheckStatus, Statuses: []int{200}}, {Kind: CheckText, Place: exchange.PlaceBody, Text: Text{{Literal: "it's \"plain\"\n"}, {Secret: sampleToken}}}},
				}},
			},
		},
	}
}

// sampleLogin is the set-up that tests share.
func sampleLogin() Step {
	return Step{
		Role: SetUp, Once: true, Seq: 1, Title: "POST /login", Method: "POST", Target: lit("/login"),
		Headers:  []Header{{"Content-Type", lit("application/json")}},
		Body:     &Body{Text: Text{{Literal: `{"password":"`}, {Secret: "secret:bbbbbbbbbbbb", Escape: InJSON}, {Literal: `"}`}}},
		Captures: []Capture{{Name: "token", Place: "/body/token"}},
		Checks:   []Check{{Kind: CheckStatus, Statuses: []int{200}}},
	}
}

// TestSamplePlan: the sample has each kind of check, of escaping and of step.
func TestSamplePlan(t *testing.T) {
	kinds, escapes, roles := map[CheckKind]bool{}, map[Escape]bool{}, map[Role]bool{}
	for _, test := range samplePlan().Tests {
		for _, s := range test.Steps {
			roles[s.Role] = true
			texts := []Text{s.Target}
			for _, h := range s.Headers {
				texts = append(texts, h.Value)
			}
			if s.Body != nil {
				texts = append(texts, s.Body.Text)
			}
			for _, p := range slices.Concat(texts...) {
				escapes[p.Escape] = true
			}
			for _, c := range s.Checks {
				kinds[c.Kind] = true
			}
		}
	}
	for _, k := range []CheckKind{
		CheckStatus, CheckHeader, CheckCookie, CheckEmpty, CheckText, CheckDigest, CheckJSON, CheckOutline, CheckHolds, CheckItems, CheckEqual, CheckRelated,
	} {
		if !kinds[k] {
			t.Errorf("no check %q", k)
		}
	}
	for _, e := range []Escape{Plain, InPath, InQuery, InJSON, AsJSON, FromBase64} {
		if !escapes[e] {
			t.Errorf("no escape %q", e)
		}
	}
	for _, r := range []Role{SetUp, Tested, CleanUp} {
		if !roles[r] {
			t.Errorf("no role %q", r)
		}
	}
}
