// Package catalogue has tests that lean on each other: each reads what one before it has made.
package catalogue

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
)

func base() string {
	if url := os.Getenv("FLAKETAP_URL"); url != "" {
		return strings.TrimRight(url, "/")
	}
	return "http://localhost:8080"
}

type product struct {
	ID         int    `json:"id"`
	Name       string `json:"name"`
	Tag        string `json:"tag"`
	PriceCents int    `json:"priceCents"`
}

var shared int

var client = &http.Client{}

func call(t *testing.T, method, path, body string, into any) *http.Response {
	t.Helper()
	req, err := http.NewRequest(method, base()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if into != nil {
		if err := json.NewDecoder(res.Body).Decode(into); err != nil {
			t.Fatal(err)
		}
	}
	return res
}

func TestCreate(t *testing.T) {
	var made product
	res := call(t, "POST", "/products", `{"name": "Pen", "tag": "book", "priceCents": 120}`, &made)
	if res.StatusCode != http.StatusCreated {
		t.Fatalf("status %d", res.StatusCode)
	}
	if made.Name != "Pen" {
		t.Errorf("name is %s", made.Name)
	}
	shared = made.ID
}

func TestRead(t *testing.T) {
	// by its number
	res, err := http.Get(base() + "/products/8")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("status %d", res.StatusCode)
	}
	var got product
	if err := json.NewDecoder(res.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.ID != 8 {
		t.Errorf("id is %d", got.ID)
	}
	if got.Name != "Pen" || got.PriceCents != 120 {
		t.Errorf("it is %v", got)
	}
}

func TestReadByHelper(t *testing.T) {
	var got product
	if res := call(t, "GET", "/products/8", "", &got); res.StatusCode != 200 {
		t.Fatalf("status %d", res.StatusCode)
	}
	if got.Tag != "book" {
		t.Errorf("tag is %s", got.Tag)
	}
}

func TestReview(t *testing.T) {
	path := "/products/8/reviews"
	res := call(t, "POST", path, `{"author": "Ada", "stars": 5, "text": "Writes well."}`, nil)
	if res.StatusCode != http.StatusCreated {
		t.Errorf("status %d", res.StatusCode)
	}
}

func TestFields(t *testing.T) {
	var got map[string]any
	call(t, "GET", "/products/8", "", &got)
	if got["name"] != "Pen" {
		t.Errorf("name is %v", got["name"])
	}
	if got["priceCents"] != 120.0 {
		t.Errorf("price is %v", got["priceCents"])
	}
}

func TestShared(t *testing.T) {
	res := call(t, "GET", fmt.Sprintf("/products/%d", shared), "", nil)
	if res.StatusCode != 200 {
		t.Errorf("status %d", res.StatusCode)
	}
}

func TestDelete(t *testing.T) {
	res := call(t, http.MethodDelete, "/products/8", "", nil)
	if res.StatusCode != http.StatusNoContent {
		t.Errorf("status %d", res.StatusCode)
	}
}
