package search

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	var w Words
	w.Add([]byte(`data["rate"]; order.city = 'storm'; "two words"; data["rate"]`))
	if diff := cmp.Diff([]string{"rate", "storm", "city"}, w.Names()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"rate", "storm"}, w.Values()); diff != "" {
		t.Error(diff)
	}
}

// The headers that files look up in answers, in the ways of languages, with what they compare them with.
func TestLookups(t *testing.T) {
	any := []string{"0", "1", "true"}
	for source, want := range map[string][]headValues{
		// Python
		`if res.headers.get("X-Left") == "none": stop()`:                       {{"X-Left", []string{"none", "0", "1"}, true, 429}},
		`if requests.get(url).headers["X-Left"]: stop()`:                       {{"X-Left", any, false, 429}},
		`left = int(res.headers.get("X-Left", "9"))` + "\nif left < 5: stop()": {{"X-Left", []string{"5", "4", "6"}, true, 429}},
		`if res.getheader("X-Cache") in ("HIT", "STALE"): stop()`:              {{"X-Cache", []string{"HIT", "STALE", "0"}, true, 429}},
		`if "Deprecation" in res.headers: warn()`:                              {{"Deprecation", any, false, 429}},
		`if res.status == 429 and res.headers.get("X-Left"): stop()`:           {{"X-Left", any, false, 429}},
		`headers["X-Token"] = token`:                                           nil,
		`token = self.headers.get("X-Token") or request.headers["X-Token"]`:    nil,
		// Node
		`if (res.headers.get('x-left') === 'none') stop()`:                                                      {{"x-left", []string{"none", "0", "1"}, true, 429}},
		"const left: string | null = res.headers['x-left'];\nswitch (left) {\ncase 'no': break;\ncase 'yes': }": {{"x-left", []string{"no", "yes", "0"}, true, 429}},
		`if (res?.headers?.['x-left']) stop()`:                                                                  {{"x-left", any, false, 429}},
		`const token = c.req.header('x-token')`:                                                                 nil,
		// Go
		`if left := res.Header.Get("X-Left"); left == "none" {`: {{"X-Left", []string{"none", "0", "1"}, true, 429}},
		`for _, v := range res.Header.Values("X-Left") {`:       {{"X-Left", any, false, 429}},
		`token := req.Header.Get("X-Token")`:                    nil,
		// Java
		`if ("none".equals(res.header("X-Left"))) stop();`:                         {{"X-Left", []string{"none", "0", "1"}, true, 429}},
		`String left = conn.getHeaderField("X-Left");`:                             {{"X-Left", any, false, 429}},
		"res.headers()\n    .firstValue(\"X-Left\").orElse(\"\").equals(\"none\")": {{"X-Left", []string{"none", "0", "1"}, true, 429}},
		`HttpRequest.newBuilder(uri).header("X-Token", token)`:                     nil,
		`get(@RequestHeader("X-Token") String a, @Header("X-User") String b)`:      nil,
		`exchange.getRequestHeaders().getFirst("X-Token")`:                         nil,
		// What is tried by itself, or is none of an answer that can be set
		`res.headers["ETag"], res.headers["Content-Length"], res.headers["If-Match"], res.headers.get("Retry-After")`: nil,
		`if h.headers["AA"] == "a" or h.headers["BB"] == "b": stop()`:                                                 {{"AA", []string{"a", "0", "1"}, true, 429}, {"BB", []string{"b", "0", "1"}, true, 429}},
	} {
		var w Words
		w.Add([]byte(source))
		if diff := cmp.Diff(want, w.headers(), cmp.AllowUnexported(headValues{})); diff != "" {
			t.Errorf("%s\n%s", source, diff)
		}
	}
}

// Few headers are tried: first those that something is compared with.
func TestLookupsFew(t *testing.T) {
	var w Words
	for i := range 20 {
		w.Add(fmt.Appendf(nil, "res.headers['X-Plain-%d']\n", i))
	}
	w.Add([]byte("if res.headers['X-State'] == 'a': stop()\nif res.headers['x-state'] in ('b', 'c', 'd', \"bad\tone\"): stop()"))
	all := w.headers()
	if len(all) != maxHeaders || all[0].name != "X-State" || !slices.Equal(all[0].values, []string{"a", "b", "c"}) {
		t.Errorf("%v", all)
	}
}

// Of what a header is compared with, as many texts are known as of a field, each once.
func TestLookupsComparedWithMuch(t *testing.T) {
	var w Words
	for i := range 2 * maxCompared {
		w.Add(fmt.Appendf(nil, "if res.headers['X-State'] == 's%d': stop()\n", i/2))
	}
	if got := w.lookups[0].compared; len(got) != maxCompared || got[1] != "s1" {
		t.Errorf("%d: %v", len(got), got)
	}
	w.Add([]byte("if res.headers['X-State'] == 'more': stop()\n"))
	if got := w.lookups[0].compared; len(got) != maxCompared {
		t.Errorf("%d: %v", len(got), got)
	}
}

func FuzzWords(f *testing.F) {
	f.Add([]byte(`{"a": [1, "KeyError: 'x'", null]}`))
	f.Fuzz(func(_ *testing.T, body []byte) {
		var w Words
		w.Add(body)
		w.headers()
		w.AddUnit(Unit{Texts: []string{string(body)}, Members: []Member{{Name: string(body)}}})
	})
}
