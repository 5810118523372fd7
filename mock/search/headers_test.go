package search

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Pages that a header leads to are followed, as many as there are; an answer that is known is not sent again.
func TestHeaders(t *testing.T) {
	words := &Words{}
	words.Add([]byte(`while url := response.links.get("next", {}).get("url"): response = get(url, headers={"If-None-Match": seen})`))
	o := Options{Requests: []Request{{Method: "GET", Target: "/all"}}, Words: words, Trials: 300, Patience: 3 * time.Second}
	turns := func(w *world, _ Request) (int, string) {
		const host = "https://stock.example"
		seen := ""
		for pages, at := 1, host+"/items/7"; ; pages++ {
			r := w.get("stock.example:443", strings.TrimPrefix(at, host))
			next, linked := strings.CutSuffix(r.header["Link"], `>; rel="next"`)
			switch at = strings.TrimPrefix(next, "<"); {
			case r.status == 304 && seen != "" && !r.gone:
				return 200, `{"unchanged": true}`
			case r.gone || r.status != 200:
				return 502, `{"error": "no stock"}`
			case linked && !strings.HasPrefix(at, host+"/items/"):
				return 500, `{"error": "led astray"}`
			case linked && pages == 20:
				return 508, `{"error": "too many"}`
			case r.header["ETag"] != "" && seen == "":
				seen, at = r.header["ETag"], host+"/items/7"
			case !linked && pages == 1:
				return 200, `{"pages": 1}`
			case !linked:
				return 200, `{"turned": true}`
			}
		}
	}
	wanted(t, searchWorld(t, o, turns), `{turned: true}`, `{unchanged: true}`, `{error: "too many"}`)
	found := searchWorld(t, Options{Requests: o.Requests, Words: &Words{}, Trials: 300, Patience: 3 * time.Second}, turns)
	for _, b := range found.Behaviors {
		if strings.Contains(string(b.Stubs), "Link") || strings.Contains(string(b.Stubs), "ETag") {
			t.Errorf("an API that speaks of no such header is tried with\n%s", b.Stubs)
		}
	}
}

// A header that the files look up is tried with what they compare it with, in good answers and in a failure.
func TestLookedUpHeaders(t *testing.T) {
	words := &Words{}
	words.Add([]byte(`
if res.status == 503 and res.headers.get("X-Planned"): return 503, {"planned": True}
if res.headers.get("X-RateLimit-Remaining") == "0": return 429, {"spent": True}
if res.headers.get("Deprecation") == "true": warn()
return {"price": res.json()["price"]}`))
	o := Options{Requests: []Request{{Method: "GET", Target: "/price"}}, Words: words, Trials: 400, Patience: 3 * time.Second}
	price := func(w *world, _ Request) (int, string) {
		r := w.get("stock.example:443", "/items/7")
		switch _, is := at(r.json, "price").(float64); {
		case r.gone:
			return 502, `{"error": "no stock"}`
		case r.status == 503 && r.header["X-Planned"] != "":
			return 503, `{"planned": true}`
		case r.status != 200:
			return 502, `{"error": "no stock"}`
		case r.header["X-RateLimit-Remaining"] == "0":
			return 429, `{"spent": true}`
		case !is:
			return 502, `{"error": "KeyError: 'price'"}`
		case r.header["Deprecation"] == "true":
			return 200, `{"price": 1, "deprecated": true}`
		default:
			return 200, `{"price": 1}`
		}
	}
	found := searchWorld(t, o, price)
	wanted(t, found, `{planned: true}`, `{spent: true}`, `{deprecated: true, price: number}`)
	for _, b := range found.Behaviors {
		if b.Shape == `{spent: true}` && strings.Contains(string(b.Stubs), "Deprecation") {
			t.Errorf("a header is kept that does nothing:\n%s", b.Stubs)
		}
	}
}

// Headers that do nothing cost few trials: they are tried once with each request, whatever else was found.
func TestLookedUpOnce(t *testing.T) {
	words := &Words{}
	words.Add([]byte(`state = body["state"]
if res.headers.get("X-One") == "0": count()
if res.headers.get("X-Two"): count()`))
	tried := map[string]int{}
	o := Options{Requests: []Request{{Method: "GET", Target: "/a"}}, Words: words, Trials: 600, Patience: 3 * time.Second}
	searchWorld(t, o, func(w *world, _ Request) (int, string) {
		r := w.get("stock.example:443", "/items/7")
		for name, value := range r.header {
			if strings.HasPrefix(name, "X-") {
				tried[fmt.Sprint(name, ": ", value, ", ", r.status)]++
			}
		}
		if r.gone || r.status != 200 {
			return 502, `{"error": "no stock"}`
		}
		raw, _ := json.Marshal(at(r.json, "state"))
		return 200, fmt.Sprintf(`{"state%d": 1}`, len(raw)) // many behaviors, and so bases
	})
	if len(tried) != 8 {
		t.Errorf("tried are %v", tried)
	}
	for what, n := range tried {
		if n != 1 {
			t.Errorf("%s is tried %d times", what, n)
		}
	}
}

// A page is at the service that it is one of.
func TestPage(t *testing.T) {
	for want, asked := range map[string]Call{
		"https://a.example/x/1?page=2":          {Scheme: "https", Service: "a.example:443"},
		"http://a.example/x/1?page=2":           {Scheme: "http", Service: "a.example:80"},
		"https://[2001:db8::1]:8200/x/1?page=2": {Scheme: "https", Service: "[2001:db8::1]:8200"},
		"https://a.example:80/x/1?page=2":       {Scheme: "https", Service: "a.example:80"},
		"http://a.example:443/x/1?page=2":       {Scheme: "http", Service: "a.example:443"},
	} {
		k := newKnowledge()
		k.secures([]Call{asked})
		if got := k.page(Endpoint{Service: asked.Service, Path: "/x/{}"}, "2"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
