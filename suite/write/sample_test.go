package write

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/relation"
)

// lit, bound and secret are texts of one piece.
func lit(s string) plan.Text    { return plan.Text{{Literal: s}} }
func bound(s string) plan.Piece { return plan.Piece{Bound: s} }

const sampleToken = "secret:0123456789ab"

// samplePlan is a plan that has each kind of all that plans have, for the tests of writers.
func samplePlan() plan.Plan {
	number := func(n int) *int { return &n }
	return plan.Plan{
		Target: "http://127.0.0.1:8080",
		Bound: []plan.Value{
			{Name: "token", Recorded: plan.Text{{Secret: sampleToken}}, From: "POST /login /body/token"},
			{Name: "orderId", Recorded: lit("17"), From: "POST /orders /body/id"},
			{Name: "etag", Recorded: lit(`"v1"`), From: "POST /orders /header/etag"},
		},
		Secrets:     map[string]string{sampleToken: "s3cr3t", "secret:aaaaaaaaaaaa": "cGFzcw==", "secret:bbbbbbbbbbbb": "sesame", "FLAKETAP_HEADER_X_API_KEY": "k3y-of-the-client"},
		Credentials: []plan.Credential{{Variable: "FLAKETAP_HEADER_X_API_KEY", Place: "/header/x-api-key", Requests: 2, First: "GET /report"}},
		Codings:     []string{"br", "gzip"},
		Tests: []plan.Test{
			{
				Name: "post_orders_gives_201", About: []string{"POST /orders gives 201", `it's "quoted" \ and */ $ended`}, Group: "orders",
				Steps: []plan.Step{sampleLogin(), {
					Role: plan.Tested, Seq: 2, Title: "POST /orders", Method: "POST",
					Target: plan.Text{{Literal: "/orders?by="}, {Bound: "token", Escape: plan.InQuery}},
					Headers: []plan.Header{
						{Name: "Authorization", Value: plan.Text{{Literal: "Bearer "}, bound("token")}}, {Name: "Content-Type", Value: lit("application/json")}, {Name: "X-Odd", Value: lit("a\tb é")},
					},
					Body: &plan.Body{Text: plan.Text{
						{Literal: "{\"ref\": "}, {Bound: "orderId", Escape: plan.AsJSON}, {Literal: ", \"note\": \"<"}, {Bound: "etag", Escape: plan.InJSON}, {Literal: ">\", \"$x\": \"`${y}` é\\n\"}"},
					}, Chunked: true},
					Captures: []plan.Capture{{Name: "orderId", Place: "/body/id"}, {Name: "etag", Place: "/header/etag"}},
					Checks: []plan.Check{
						{Kind: plan.CheckStatus, Statuses: []int{201}},
						{Kind: plan.CheckHeader, Place: "/header/content-type", Lines: []plan.Text{lit("application/json")}},
						{Kind: plan.CheckHeader, Place: "/header/x-twice", Lines: []plan.Text{lit("a"), {{Literal: "b "}, {Secret: sampleToken}}}},
						{Kind: plan.CheckCookie, Place: "/header/set-cookie", Name: lit("sid")},
						{Kind: plan.CheckEqual, Place: "/header/location", Why: "State, moved in 9 of 10", Text: plan.Text{{Literal: "http://"}, {Host: true}, {Literal: "/orders/"}, bound("orderId")}},
						{Kind: plan.CheckEqual, Place: "/header/x-end", Why: "State, moved in 9 of 10", Text: plan.Text{{Literal: "/"}, bound("orderId")}, Suffix: true},
						{
							Kind: plan.CheckJSON, Place: exchange.PlaceBody,
							JSON:   json.RawMessage(`{"id":"<volatile>","big":9007199254740993,"price":12.10,"a/b~":[true,null,"é"],"lines":[{"n":1,"at":"<volatile>"}],"":{}}`),
							Masks:  []exchange.Place{"/id", "/lines/*/at"},
							Absent: []exchange.Place{"/hint"},
						},
						{Kind: plan.CheckEqual, Place: "/body/id", Why: "State, moved in 9 of 10", Text: plan.Text{bound("orderId")}},
						{Kind: plan.CheckHolds, Place: "/body/lines/*/at", Why: "Time, moved in 10 of 10", Optional: true, Holds: mapfile.Holds{Type: "string", Format: "rfc3339"}, Near: &plan.Near{Within: 61}},
						{Kind: plan.CheckHolds, Place: "/body/made", Why: "Time, moved in 10 of 10; this close to its answer in 17 of 17", Holds: mapfile.Holds{Type: "string", Format: "rfc3339"}, Near: &plan.Near{Within: 2}},
						{Kind: plan.CheckHolds, Place: "/body/until", Why: "Time, moved in 10 of 10; this close to its answer in 17 of 17", Holds: mapfile.Holds{Type: "null|integer"}, Near: &plan.Near{After: 300, Within: 10}},
						{Kind: plan.CheckHolds, Place: "/body/hint", Why: "Rand, moved in 3 of 10", Optional: true, Holds: mapfile.Holds{Type: "null|string", Pattern: `^a\d+\.b"$`}},
						{Kind: plan.CheckRelated, Place: "/body/total", Relation: relation.Sum, Of: []exchange.Place{"/body/net", "/body/tax"}},
						{Kind: plan.CheckRelated, Place: "/body/version", Relation: relation.Sum, Given: []plan.Text{{bound("orderId")}, lit("1")}, Why: "in 17 of 17"},
						{Kind: plan.CheckRelated, Place: "/header/etag", Relation: plan.Other, Given: []plan.Text{{bound("etag")}}, Why: "in 17 of 17"},
						{Kind: plan.CheckHash, Place: "/header/etag", Hash: plan.MD5, Of: []exchange.Place{"/body"}, Why: "so in 17 of 17"},
						{Kind: plan.CheckHash, Place: "/body/seal", Hash: plan.SHA256, Given: []plan.Text{{bound("orderId")}}, Length: 32, Why: "so in 17 of 17"},
						{Kind: plan.CheckRelated, Place: "/body/lines", Relation: plan.Unique, Of: []exchange.Place{"/body/lines/*/n"}, Why: "so in 17 of 17"},
						{Kind: plan.CheckRelated, Place: "/body/lines", Relation: relation.Ascending, Of: []exchange.Place{"/body/lines/*/n"}},
						{Kind: plan.CheckItems, Place: "/body/lines", Why: "State, follows what was sent before", JSON: json.RawMessage(`[{"n":1,"at":"<volatile>"},{"n":2,"at":"<volatile>"}]`), Masks: []exchange.Place{"/*/at"}, Extent: plan.Among},
						{Kind: plan.CheckEqual, Place: "/body/lines/*/of", Text: plan.Text{bound("orderId")}, Extent: plan.Among, Holds: mapfile.Holds{Type: "string"}},
					},
				}, {
					Role: plan.CleanUp, Given: []string{"orderId"}, Seq: 9, Title: "DELETE /orders/{id}", Method: "DELETE",
					Target:  plan.Text{{Literal: "/orders/"}, {Bound: "orderId", Escape: plan.InPath}},
					Headers: []plan.Header{{Name: "Authorization", Value: plan.Text{{Literal: "Bearer "}, bound("token")}}},
				}},
			},
			{
				Name: "get_report_gives_200", About: []string{"GET /report gives 200"}, Group: "report",
				Steps: []plan.Step{{
					Role: plan.Tested, Seq: 3, Title: "GET /report", Method: "GET", Target: lit("/report?q=%27a%20b%27"), Base: "http://127.0.0.1:9090",
					Headers: []plan.Header{{Name: "X-Api-Key", Value: plan.Text{{Secret: "FLAKETAP_HEADER_X_API_KEY"}}}},
					Checks: []plan.Check{
						{Kind: plan.CheckStatus, Statuses: []int{200, 503}, Why: "Rand, moved in 4 of 10"},
						{Kind: plan.CheckOutline, Place: exchange.PlaceBody, Keys: []string{"a", "b'c"}, Why: "The body is too large to be asserted in full.", If: 200},
						{Kind: plan.CheckItems, Place: "/body/tags", Why: "Unord, moved in 8 of 10", JSON: json.RawMessage(`[{"t":"x","at":"<volatile>"},{"t":"y","at":"<volatile>"}]`), Masks: []exchange.Place{"/*/at"}, If: 200},
						{Kind: plan.CheckItems, Place: "/body/set", JSON: json.RawMessage(`["x","y"]`), Extent: plan.AsSet, If: 200},
						{Kind: plan.CheckHolds, Place: "/body/n", Holds: mapfile.Holds{Type: "integer", Min: "0", Max: "12.5"}, Why: "Rand, moved in 4 of 10", If: 200},
						{Kind: plan.CheckHolds, Place: "/body/list", Holds: mapfile.Holds{Type: "array", MinLength: number(1), MaxLength: number(3)}, If: 200},
						{Kind: plan.CheckHolds, Place: "/body/one", Holds: mapfile.Holds{OneOf: []json.RawMessage{json.RawMessage(`"a"`), json.RawMessage(`null`)}}, If: 200},
						{Kind: plan.CheckHolds, Place: "/body/same", Holds: mapfile.Holds{Equal: json.RawMessage(`"a"`)}, If: 200},
						{Kind: plan.CheckHolds, Place: "/body/link", Holds: mapfile.Holds{Type: "string", Echo: "/header/host"}, If: 200},
						{Kind: plan.CheckHolds, Place: "/body/badge", Holds: mapfile.Holds{Type: "string", Format: "jwt"}, If: 200},
						{Kind: plan.CheckEqual, Place: "/body/badge/@jwt/header/alg", Text: lit("HS256"), If: 200},
						{Kind: plan.CheckEqual, Place: "/body/badge/@jwt/claims/sub", Text: plan.Text{{Secret: sampleToken}}, If: 200},
						{Kind: plan.CheckHolds, Place: "/body/badge/@jwt/claims/exp", Holds: mapfile.Holds{Type: "integer"}, Why: "Time, moved in 4 of 10", If: 200},
						{Kind: plan.CheckEqual, Place: "/body/badge/@jwt/lifetime", Text: lit("3600"), If: 200},
						{Kind: plan.CheckHolds, Place: "/body/off", Why: `Flaky value of field /body/off: "a" vs. "b"`, Off: `/body/off == "a"`, Optional: true, If: 200},
					},
				}},
			},
			{
				Name: "post_files_gives_204", About: []string{"POST /files gives 204"}, Group: "files",
				Steps: []plan.Step{{
					Role: plan.Tested, Seq: 4, Title: "POST /files", Method: "POST", Target: lit("/files"),
					Headers: []plan.Header{{Name: "Content-Type", Value: lit("application/octet-stream")}},
					Body:    &plan.Body{Bytes: []byte("\xff\xfe\x00\n\"")},
					Checks:  []plan.Check{{Kind: plan.CheckStatus, Statuses: []int{204}}, {Kind: plan.CheckEmpty, Place: exchange.PlaceBody}},
				}, {
					Role: plan.Tested, Seq: 5, Title: "POST /files", Method: "POST", Target: lit("/files"),
					Body:   &plan.Body{Text: plan.Text{{Secret: "secret:aaaaaaaaaaaa", Escape: plan.FromBase64}}},
					Checks: []plan.Check{{Kind: plan.CheckStatus}, {Kind: plan.CheckDigest, Place: exchange.PlaceBody, Length: 3, SHA256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}},
				}, {
					Role: plan.Tested, Seq: 6, Title: "GET /files/{name}", Left: "it was not recorded in full",
				}, {
					Role: plan.Tested, Seq: 7, Title: "GET /text", Method: "GET", Target: lit("/text"),
					Captures: []plan.Capture{{Name: "orderId", Place: "/body/items/0/id", Find: true}},
					Checks:   []plan.Check{{Kind: plan.CheckStatus, Statuses: []int{200}}, {Kind: plan.CheckText, Place: exchange.PlaceBody, Text: plan.Text{{Literal: "it's \"plain\"\n"}, {Secret: sampleToken}}}},
				}, {
					Role: plan.Tested, Seq: 8, Title: "DELETE /orders/{id}", Method: "DELETE", Gone: []string{"orderId"},
					Target: plan.Text{{Literal: "/orders/"}, {Bound: "orderId", Escape: plan.InPath}},
					Checks: []plan.Check{{Kind: plan.CheckStatus, Statuses: []int{204}}},
				}, {
					Role: plan.CleanUp, Given: []string{"orderId"}, Seq: 8, Title: "DELETE /orders/{id}", Method: "DELETE",
					Target: plan.Text{{Literal: "/orders/"}, {Bound: "orderId", Escape: plan.InPath}},
				}},
			},
		},
	}
}

// sampleLogin is the set-up that tests share.
func sampleLogin() plan.Step {
	return plan.Step{
		Role: plan.SetUp, Once: true, Seq: 1, Title: "POST /login", Method: "POST", Target: lit("/login"),
		Headers:  []plan.Header{{Name: "Content-Type", Value: lit("application/json")}},
		Body:     &plan.Body{Text: plan.Text{{Literal: `{"password":"`}, {Secret: "secret:bbbbbbbbbbbb", Escape: plan.InJSON}, {Literal: `"}`}}},
		Captures: []plan.Capture{{Name: "token", Place: "/body/token"}},
		Checks:   []plan.Check{{Kind: plan.CheckStatus, Statuses: []int{200}}},
	}
}

// TestSamplePlan: the sample has each kind of check, of escaping and of step.
func TestSamplePlan(t *testing.T) {
	kinds, escapes, roles := map[plan.CheckKind]bool{}, map[plan.Escape]bool{}, map[plan.Role]bool{}
	for _, test := range samplePlan().Tests {
		for _, s := range test.Steps {
			roles[s.Role] = true
			texts := []plan.Text{s.Target}
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
	for _, k := range []plan.CheckKind{
		plan.CheckStatus, plan.CheckHeader, plan.CheckCookie, plan.CheckEmpty, plan.CheckText, plan.CheckDigest, plan.CheckJSON, plan.CheckOutline, plan.CheckHolds, plan.CheckItems, plan.CheckEqual, plan.CheckRelated,
	} {
		if !kinds[k] {
			t.Errorf("no check %q", k)
		}
	}
	for _, e := range []plan.Escape{plan.Plain, plan.InPath, plan.InQuery, plan.InJSON, plan.AsJSON, plan.FromBase64} {
		if !escapes[e] {
			t.Errorf("no escape %q", e)
		}
	}
	for _, r := range []plan.Role{plan.SetUp, plan.Tested, plan.CleanUp} {
		if !roles[r] {
			t.Errorf("no role %q", r)
		}
	}
}
