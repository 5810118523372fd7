package shop

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"testing"
)

type stock struct {
	SKU       string         `json:"sku"`
	Available int            `json:"available"`
	Reserved  int            `json:"reserved"`
	Places    map[string]int `json:"places"`
	Checked   string         `json:"checkedAt"`
}

func mustGet(t testing.TB, path string) *http.Response {
	t.Helper()
	resp, err := http.Get(os.Getenv("SHOP_URL") + path)
	if err != nil {
		t.Fatalf("get %s: %v", path, err)
	}
	return resp
}

func getStock(t testing.TB, sku string) (s stock) {
	t.Helper()
	resp := mustGet(t, "/stock/"+sku)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status = %v", resp.StatusCode)
	}
	if err := json.NewDecoder(resp.Body).Decode(&s); err != nil {
		t.Fatal(err)
	}
	return s
}

func assertInt(t testing.TB, name string, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %d; want %d", name, got, want)
	}
}

func assertString(t testing.TB, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got %q; want %q", got, want)
	}
}

func TestStockOfTea(t *testing.T) {
	s := getStock(t, "tea")
	assertString(t, s.SKU, "tea")
	assertInt(t, "available", s.Available, 40)
	assertInt(t, "reserved", s.Reserved, 2)
	assertInt(t, "places", len(s.Places), 2)
	assertInt(t, "shelf", s.Places["shelf"], 12)
	if s.Available < s.Reserved {
		t.Errorf("%d available, %d reserved", s.Available, s.Reserved)
	}
	if sum := s.Places["shelf"] + s.Places["cellar"]; sum != s.Available {
		t.Errorf("places hold %d, available %d", sum, s.Available)
	}
	if s.Checked == "" {
		t.Fatal("never checked")
	}
}

func TestStockTwice(t *testing.T) {
	a, b := getStock(t, "cup"), getStock(t, "cup")
	if a.Available != b.Available {
		t.Errorf("available went from %d to %d", a.Available, b.Available)
	}
	if a.Checked == b.Checked {
		t.Errorf("checked twice at %s", a.Checked)
	}
}

func TestAllStock(t *testing.T) {
	resp := mustGet(t, "/stock")
	defer resp.Body.Close()
	var all []stock
	if err := json.NewDecoder(resp.Body).Decode(&all); err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 {
		t.Fatalf("got %d, want 3", len(all))
	}
	for i, want := range []string{"cup", "pot", "tea"} {
		if all[i].SKU != want {
			t.Errorf("%d: got %s, want %s", i, all[i].SKU, want)
		}
	}
	assertString(t, resp.Header.Get("X-Warehouse"), "bern")
	assertString(t, fmt.Sprint(all[0].Available), "17")
}

func TestStockErrors(t *testing.T) {
	t.Run("unknown", func(t *testing.T) {
		resp := mustGet(t, "/stock/none")
		defer resp.Body.Close()
		assertInt(t, "status", resp.StatusCode, 404)
		var e map[string]any
		if err := json.NewDecoder(resp.Body).Decode(&e); err != nil {
			t.Fatal(err)
		}
		if e["error"] != "no such sku" {
			t.Errorf("error = %v", e["error"])
		}
	})
	t.Run("bad page", func(t *testing.T) {
		resp := mustGet(t, "/stock?page=x")
		if got, want := resp.StatusCode, http.StatusBadRequest; got != want {
			t.Errorf("got %d, want %d", got, want)
		}
		if resp.ContentLength == 0 {
			t.Errorf("no body")
		}
	})
}
