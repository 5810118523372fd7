package orders

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"testing"
)

func baseURL() string {
	if u := os.Getenv("ORDERS_URL"); u != "" {
		return u
	}
	return "http://localhost:8080"
}

// doJSON sends body as JSON and decodes the answer into out.
func doJSON(t *testing.T, method, path string, body, out any) *http.Response {
	t.Helper()
	var r io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		r = bytes.NewReader(b)
	}
	req, err := http.NewRequest(method, baseURL()+path, r)
	if err != nil {
		t.Fatalf("new request: %v", err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	if out != nil {
		if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
			t.Fatalf("decode: %v", err)
		}
	}
	return resp
}

func wantStatus(t *testing.T, resp *http.Response, want int) {
	t.Helper()
	if resp.StatusCode != want {
		t.Fatalf("status = %d, want %d", resp.StatusCode, want)
	}
}

type Line struct {
	SKU      string `json:"sku"`
	Quantity int    `json:"quantity"`
	Price    int    `json:"price,omitempty"`
}

type Order struct {
	ID        int64   `json:"id"`
	Customer  string  `json:"customer"`
	Status    string  `json:"status"`
	Lines     []Line  `json:"lines"`
	Total     int     `json:"total"`
	CreatedAt string  `json:"createdAt"`
	Invoice   *string `json:"invoice"`
}

type apiError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}
