package tree

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

func value(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// What is put is got, and dropped again; the value itself stays as it was.
func TestPutGetDrop(t *testing.T) {
	for _, tt := range []struct{ value, at, put, dropped string }{
		{`{"a": 1}`, "/body/b", `{"a": 1, "b": 7}`, `{"a": 1}`},
		{`{"a": {"b": 2, "c": 3}}`, "/body/a/b", `{"a": {"b": 7, "c": 3}}`, `{"a": {"c": 3}}`},
		{`{"a": [{"b": 2}, {"b": 3}]}`, "/body/a/*/b", `{"a": [{"b": 7}, {"b": 3}]}`, `{"a": [{}, {"b": 3}]}`},
		{`{"a": [1, 2]}`, "/body/a/*", `{"a": [7, 2]}`, `{"a": [2]}`},
		{`{"a": "text"}`, "/body/a/b", `{"a": {"b": 7}}`, `{"a": {}}`},
		{`null`, "/body/a/*/b", `{"a": [{"b": 7}]}`, `{"a": [{}]}`},
	} {
		v, at := value(t, tt.value), Within(exchange.Place(tt.at))
		put := Put(v, at, 7.0)
		if !Same(put, value(t, tt.put)) {
			t.Errorf("%s with 7 at %s is %v, want %s", tt.value, tt.at, put, tt.put)
		}
		if got, there := Get(put, at); !there || got != 7.0 {
			t.Errorf("at %s of %v stands %v", tt.at, put, got)
		}
		if dropped := Drop(put, at); !Same(dropped, value(t, tt.dropped)) {
			t.Errorf("%v without %s is %v, want %s", put, tt.at, dropped, tt.dropped)
		}
		if !Same(v, value(t, tt.value)) || !Same(put, value(t, tt.put)) {
			t.Errorf("%s was changed to %v, and %s to %v", tt.value, v, tt.put, put)
		}
	}
}

func TestUnlike(t *testing.T) {
	for _, tt := range []struct {
		x, y string
		want []exchange.Place
	}{
		{`{"a": 1}`, `{"a": 1}`, nil},
		{`{"a": 1, "b": 2}`, `{"b": 3, "c": 4}`, []exchange.Place{"/body/a", "/body/b", "/body/c"}},
		{`{"a": [{"b": 1}, {"b": 2}]}`, `{"a": [{"b": 3}, {"b": 4}]}`, []exchange.Place{"/body/a/*/b"}},
		{`[{"b": 1}, {"b": 2}]`, `[{}, {}]`, []exchange.Place{"/body/*/b"}},
		{`{"a": [1]}`, `{"a": [1, 2]}`, []exchange.Place{"/body/a"}},
		{`[1]`, `{"a": 1}`, []exchange.Place{"/body"}},
	} {
		if got := Unlike(value(t, tt.x), value(t, tt.y), exchange.PlaceBody); !slices.Equal(got, tt.want) {
			t.Errorf("%s and %s differ at %q, want %q", tt.x, tt.y, got, tt.want)
		}
	}
}

// The texts of a value are its strings, and what holds something as it is written.
func TestTexts(t *testing.T) {
	got := map[string]bool{}
	Texts(value(t, `{"a": ["x", {}, []], "b": 1}`), got)
	for _, want := range []string{"x", `["x",{},[]]`, `{"a":["x",{},[]],"b":1}`} {
		if !got[want] {
			t.Errorf("%s is not among %v", want, got)
		}
		delete(got, want)
	}
	if len(got) > 0 {
		t.Errorf("more texts are %v", got)
	}
}

func TestSteps(t *testing.T) {
	for _, path := range []string{"items[0].price", "items.0.price", "/items/0/price", `items[0]["price"]`} {
		p := exchange.PlaceBody
		for _, step := range Steps(path, MaxDepth) {
			p = Below(p, step)
		}
		if p != "/body/items/*/price" {
			t.Errorf("%s leads to %s", path, p)
		}
	}
	if got := Steps("a.b.c", 2); len(got) != 2 {
		t.Errorf("more steps than 2: %q", got)
	}
}
