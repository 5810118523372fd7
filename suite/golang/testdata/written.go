package shop_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var base = strings.TrimSuffix(os.Getenv("SHOP_URL"), "/")

const products = "/products"

type product struct {
	ID    int
	Name  string   `json:"name"`
	Stock *int     `json:"stock"`
	Tags  []string `json:"tags,omitempty"`
	Maker struct {
		Country string `json:"country"`
	} `json:"maker"`
}

func get(t *testing.T, path string, into any) *http.Response {
	t.Helper()
	resp, err := http.Get(base + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 500 {
		t.Fatalf("%s: %s", path, resp.Status)
	}
	if into != nil {
		if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
			t.Fatal(err)
		}
	}
	return resp
}

func login(t *testing.T, email string) (token string, err error) {
	t.Helper()
	body, _ := json.Marshal(map[string]any{"email": email, "age": 36})
	resp, err := http.Post(base+"/login", "application/json", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	var v map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
		return "", err
	}
	return v["token"].(string), nil
}

func decode[T any](t *testing.T, r io.Reader) T {
	t.Helper()
	var v T
	if err := json.NewDecoder(r).Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestList(t *testing.T) {
	q := url.Values{"limit": {"2"}}
	q.Set("tag", "a b")
	resp, err := http.Get(base + products + "?" + q.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d", resp.StatusCode)
	}
	var page map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&page); err != nil {
		t.Fatal(err)
	}
	items := page["items"].([]any)
	if len(items) != 2 {
		t.Errorf("%d items", len(items))
	}
	first := items[0].(map[string]any)
	if got := first["name"]; got != "Coffee" {
		t.Errorf("name is %v", got)
	}
	if name, ok := first["name"].(string); !ok || name != "Coffee" {
		t.Errorf("name is %v", name)
	}
	if _, ok := first["price"]; !ok {
		t.Error("no price")
	}
	if id := resp.Header.Get("X-Request-Id"); id != "abc" {
		t.Errorf("request %s", id)
	}
	if int(first["stock"].(float64)) < 3 {
		t.Error("too few")
	}
}

func TestOne(t *testing.T) {
	var p product
	resp := get(t, products+"/1", &p)
	want := "Coffee"
	if p.Name != want || p.ID != 1 {
		t.Errorf("got %+v", p)
	}
	if p.Stock == nil {
		t.Error("no stock")
	}
	if diff := cmp.Diff([]string{"hot", "black"}, p.Tags); diff != "" {
		t.Errorf("tags: %s", diff)
	}
	if p.Maker.Country != "" {
		t.Errorf("made in %s", p.Maker.Country)
	}
	for _, tag := range p.Tags {
		if tag == "" {
			t.Error("an empty tag")
		}
	}
	if resp.StatusCode == 200 {
		if len(p.Tags) == 0 {
			t.Error("no tags")
		}
	}
	t.Run("as text", func(t *testing.T) {
		resp, _ := http.Get(fmt.Sprintf("%s/products/%d/text", base, p.ID))
		data, _ := io.ReadAll(resp.Body)
		if !strings.Contains(string(data), "Coffee") {
			t.Errorf("%s", data)
		}
		if p.Name == "" {
			t.Error("no name")
		}
	})
}

func TestOrder(t *testing.T) {
	token, err := login(t, "ada@cafe.de")
	if err != nil {
		t.Fatal(err)
	}
	req, _ := http.NewRequest(http.MethodPost, base+"/orders", strings.NewReader(`{"items":[1]}`))
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != 202 {
		t.Fatal("no order", err)
	}
	order := decode[map[string]any](t, resp.Body)
	again := decode[map[string]any](t, get(t, fmt.Sprintf("/orders/%s", order["id"]), nil).Body)
	if again["id"] != order["id"] {
		t.Error("another order")
	}
	if !reflect.DeepEqual(again["items"], []any{1.0}) {
		t.Error("other items")
	}
	if resp := get(t, "/health", nil); resp.StatusCode != 200 {
		t.Error("not healthy")
	}
	t.Cleanup(func() {
		req, _ := http.NewRequest("DELETE", base+"/orders/"+order["id"].(string), nil)
		http.DefaultClient.Do(req)
	})
}

func TestMany(t *testing.T) {
	for _, tc := range []struct {
		path string
		want int
	}{{"/a", 200}, {"/b", 404}} {
		t.Run(tc.path, func(t *testing.T) {
			resp := get(t, tc.path, nil)
			if resp.StatusCode != tc.want {
				t.Errorf("status %d", resp.StatusCode)
			}
		})
	}
}
