package search

import (
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

func TestParseRequest(t *testing.T) {
	for text, want := range map[string]string{"GET /a?b=c": "GET /a?b=c ", `POST /a {"b": 1}`: `POST /a {"b": 1}`, "/a": "", "get /a": "", "GET a": ""} {
		r, ok := ParseRequest(text)
		if ok != (want != "") || ok && r.Method+" "+r.Target+" "+string(r.Body) != want {
			t.Errorf("%q: %+v, %v", text, r, ok)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add([]byte(`{"a": [1, "KeyError: 'x'", null]}`))
	f.Fuzz(func(_ *testing.T, body []byte) {
		ReadErrors(body)
		ParseRequest(string(body))
		var w Words
		w.Add(body)
		w.AddUnit(Unit{Texts: []string{string(body)}, Members: []Member{{Name: string(body)}}})
	})
}
