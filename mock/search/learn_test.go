package search

import (
	"fmt"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

func oneRequest(target string) Options {
	return Options{Requests: []Request{{Method: "GET", Target: target}}, Trials: 400, Seed: 1, Patience: time.Second}
}

// Fields within objects and lists are found by the errors of a parser alone, with their types, though it tells one at a time.
func TestLearnFromErrors(t *testing.T) {
	wrong := func(path, kind string) (int, string) {
		return 502, fmt.Sprintf(`{"error": "json: cannot unmarshal object into Go struct field Item.%s of type %s"}`, path, kind)
	}
	found := searchWorld(t, oneRequest("/order?item=a7"), func(w *world, _ Request) (int, string) {
		r := w.get("stock.example:443", "/items")
		address, _ := at(r.json, "address").(map[string]any)
		switch items := at(r.json, "items").(type) {
		case []any:
			switch {
			case r.status != 200:
				return 502, `{"error": "down"}`
			case len(items) == 0:
				return 404, `{"error": "no items"}`
			}
			switch price := at(items, "*", "price").(type) {
			case float64:
				if address == nil {
					return 500, `{"error": "KeyError: 'address'"}`
				}
				zip, there := address["zip"]
				if !there {
					return 500, `{"error": "KeyError: 'zip'"}`
				}
				if price < 0 {
					return 502, `{"error": "impossible price"}`
				}
				return 200, fmt.Sprintf(`{"to": {"zip": %q}, "price": %v}`, fmt.Sprint(zip), price)
			default:
				return wrong("items.price", "float64")
			}
		default:
			if r.status != 200 {
				return 502, `{"error": "down"}`
			}
			return wrong("items", "[]main.Item")
		}
	})
	wanted(t, found, `{error: "no items"}`, `{error: "impossible price"}`, `{price: number, to: given}`)
	kinds := map[exchange.Place]string{}
	for _, f := range found.Fields {
		kinds[f.Place] = fmt.Sprint(f.Kinds)
	}
	for p, want := range map[exchange.Place]string{"/body/items": "[list]", "/body/items/*/price": "[number]", "/body/address": "[object]", "/body/address/zip": "[any]"} {
		if kinds[p] != want {
			t.Errorf("%s is %s, want %s; known are %v", p, kinds[p], want, kinds)
		}
	}
	traced := map[exchange.Place]string{}
	for _, tr := range found.Surfacings {
		traced[tr.Field] = fmt.Sprint(tr.Answer)
	}
	for p, want := range map[exchange.Place]string{"/body/items/*/price": "[/body/price /status]", "/body/address/zip": "[/body/to/zip]"} {
		if traced[p] != want {
			t.Errorf("%s surfaces at %s, want %s", p, traced[p], want)
		}
	}
}

// What is read of something that is not there is found by the words of the files.
func TestLearnMissing(t *testing.T) {
	o := oneRequest("/a")
	o.Words = wordsOf("x\n'tariff' 'other' 'more'\nvar zip = data.owner.zip\n")
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		r := w.get("a.example:80", "/a")
		if r.status != 200 {
			return 502, `{"error": "down"}`
		}
		if owner, is := at(r.json, "owner").(map[string]any); !is {
			return 500, `{"error": "Cannot read properties of undefined (reading 'zip')"}`
		} else if owner["zip"] == nil {
			return 422, `{"error": "no zip"}`
		}
		tariff, is := at(r.json, "tariff").(map[string]any)
		if !is {
			return 500, `{"error": "Cannot read properties of undefined (reading 'base')"}`
		}
		return 200, fmt.Sprintf(`{"base": %q}`, fmt.Sprint(tariff["base"]))
	})
	wanted(t, found, `{error: "no zip"}`, `{base: "0"}`)
}

// Answers change from the first to the next where the API was seen to ask again: after a failure, for a further page,
// with another token.
func TestSequences(t *testing.T) {
	o := oneRequest("/list")
	o.Words = wordsOf(`"rows" "more" "token"`)
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		r := w.get("a.example:80", "/rows?page=1")
		retried := ""
		if r.status == 503 {
			if r = w.get("a.example:80", "/rows?page=1"); r.status == 503 {
				return 502, `{"error": "down"}`
			}
			retried = ", again"
		}
		if r.status == 401 {
			if w.get("auth.example:80", "/token").status != 200 {
				return 502, `{"error": "no token"}`
			}
			if r = w.get("a.example:80", "/rows?page=1"); r.status == 401 {
				return 502, `{"error": "refused"}`
			}
			retried = ", with a token"
		}
		if r.status != 200 {
			return 502, `{"error": "other"}`
		}
		pages := 1
		for ; at(r.json, "more") == true; pages++ {
			if pages == 20 {
				return 0, ""
			}
			if r = w.get("a.example:80", "/rows?page=2"); r.status != 200 {
				return 206, `{"error": "the rest is missing"}`
			}
		}
		if pages > 1 {
			return 200, `{"pages": "several"}`
		}
		return 200, fmt.Sprintf(`{"pages": "one%s"}`, retried)
	})
	wanted(t, found, `{error: "down"}`, `{pages: "one, again"}`, `{error: "refused"}`, `{pages: "one, with a token"}`, `{pages: "several"}`, `{error: "the rest is missing"}`)
}

// A recorded answer is where the search begins; its fields are changed one at a time.
func TestSamples(t *testing.T) {
	o := oneRequest("/a/7")
	o.Trials = 60
	o.Samples = []Sample{{Service: "a.example:80", Method: "GET", Path: "/items/{}", Status: 200, Source: FromSample,
		JSON: map[string]any{"kind": "gift", "lines": []any{map[string]any{"count": 2.0}}}}}
	found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
		r := w.get("a.example:80", "/items/7")
		switch count, counted := at(r.json, "lines", "*", "count").(float64); {
		case r.status != 200 || at(r.json, "kind") != "gift" || !counted:
			return 502, `{"error": "other"}`
		case count == 0:
			return 200, `{"sold": "out"}`
		}
		return 200, `{"sold": "whole"}`
	})
	wanted(t, found, `{sold: "out"}`, `{sold: "whole"}`)
}
