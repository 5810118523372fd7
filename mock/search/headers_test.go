package search

import (
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
