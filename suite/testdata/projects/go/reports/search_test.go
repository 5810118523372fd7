package reports

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"sort"
	"testing"
)

func getMap(t *testing.T, u string) map[string]interface{} {
	t.Helper()
	res, err := http.Get(u)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != 200 {
		t.Fatalf("GET %s: %s", u, res.Status)
	}
	m := make(map[string]interface{})
	if err := json.NewDecoder(res.Body).Decode(&m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSearch(t *testing.T) {
	q := url.Values{}
	q.Set("q", "acme")
	q.Set("limit", "2")
	m := getMap(t, server+"/search?"+q.Encode())

	if m["total"] != float64(2) {
		t.Errorf("total = %v", m["total"])
	}
	if m["total"].(float64) != 2 {
		t.Errorf("total = %v", m["total"])
	}
	if m["query"] != "acme" {
		t.Errorf("query = %v", m["query"])
	}
	hits, ok := m["hits"].([]interface{})
	if !ok {
		t.Fatalf("hits is a %T", m["hits"])
	}
	if len(hits) != 2 {
		t.Fatalf("%d hits", len(hits))
	}
	first := hits[0].(map[string]interface{})
	if first["name"] != "acme" {
		t.Errorf("first = %v", first)
	}
	if got := first["score"].(float64); got < 0.5 {
		t.Errorf("score = %v", got)
	}
	if s, ok := first["kind"].(string); !ok || s != "customer" {
		t.Errorf("kind = %v", first["kind"])
	}
	if first["deletedAt"] != nil {
		t.Errorf("deletedAt = %v", first["deletedAt"])
	}
	if _, found := first["id"]; !found {
		t.Error("a hit has no id")
	}
}

func TestSearchNames(t *testing.T) {
	m := getMap(t, server+"/search?q=a")
	var names []string
	for _, h := range m["hits"].([]interface{}) {
		names = append(names, h.(map[string]interface{})["name"].(string))
	}
	if !sort.StringsAreSorted(names) {
		t.Errorf("names are not sorted: %v", names)
	}
	want := []string{"acme", "alpha"}
	if !reflect.DeepEqual(names, want) {
		t.Errorf("names = %v, want %v", names, want)
	}
	if !reflect.DeepEqual(m["facets"], map[string]interface{}{"customer": 2.0}) {
		t.Errorf("facets = %v", m["facets"])
	}
}

func TestSuggest(t *testing.T) {
	res, err := http.Get(server + "/suggest?prefix=ac")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var words []string
	if err := json.NewDecoder(res.Body).Decode(&words); err != nil {
		t.Fatal(err)
	}
	if len(words) == 0 {
		t.Fatal("no suggestions")
	}
	if words[0] != "acme" {
		t.Errorf("first suggestion %q", words[0])
	}
	if got, want := words, []string{"acme", "acorn"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := res.Header.Get("Content-Language"); got != "en" {
		t.Errorf("language %q", got)
	}
}
