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

func FuzzWords(f *testing.F) {
	f.Add([]byte(`{"a": [1, "KeyError: 'x'", null]}`))
	f.Fuzz(func(_ *testing.T, body []byte) {
		var w Words
		w.Add(body)
		w.AddUnit(Unit{Texts: []string{string(body)}, Members: []Member{{Name: string(body)}}})
	})
}
