package orders

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

func TestValidation(t *testing.T) {
	tests := []struct {
		name    string
		order   Order
		status  int
		code    string
		message string
	}{
		{"no customer", Order{Lines: []Line{{SKU: "tea", Quantity: 1}}}, 422, "REQUIRED", "customer is required"},
		{"no lines", Order{Customer: "bob"}, 422, "EMPTY", "an order needs a line"},
		{"too many", Order{Customer: "bob", Lines: []Line{{SKU: "tea", Quantity: 1001}}}, 409, "STOCK", "only 40 left"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var e apiError
			resp := doJSON(t, http.MethodPost, "/orders", tt.order, &e)
			if resp.StatusCode != tt.status {
				t.Errorf("status = %d, want %d", resp.StatusCode, tt.status)
			}
			if e.Code != tt.code {
				t.Errorf("code = %q, want %q", e.Code, tt.code)
			}
			if e.Message != tt.message {
				t.Errorf("message = %q, want %q", e.Message, tt.message)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	o := createOrder(t, "carol", Line{SKU: "tea", Quantity: 2})
	path := "/orders/" + strconv.FormatInt(o.ID, 10) + "/cancel"

	t.Run("once", func(t *testing.T) {
		var got Order
		resp := doJSON(t, http.MethodPost, path, nil, &got)
		wantStatus(t, resp, http.StatusOK)
		if got.Status != "cancelled" {
			t.Errorf("status = %q", got.Status)
		}
		if got.Total != o.Total {
			t.Errorf("total changed from %d to %d", o.Total, got.Total)
		}
	})

	t.Run("twice", func(t *testing.T) {
		var e apiError
		resp := doJSON(t, http.MethodPost, path, nil, &e)
		wantStatus(t, resp, http.StatusConflict)
		if !strings.Contains(e.Message, "already cancelled") {
			t.Errorf("message = %q", e.Message)
		}
		if got := resp.Header.Get("X-Order-Status"); got != "cancelled" {
			t.Errorf("X-Order-Status = %q", got)
		}
	})
}

func TestStatuses(t *testing.T) {
	for path, want := range map[string]int{
		"/orders":       http.StatusOK,
		"/orders/0":     http.StatusNotFound,
		"/orders?page=": http.StatusBadRequest,
	} {
		resp, err := http.Get(baseURL() + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("GET %s: status %d, want %d", path, resp.StatusCode, want)
		}
	}
}

func TestPaging(t *testing.T) {
	for _, tc := range []struct {
		query string
		count int
		next  string
	}{
		{query: "?page=1&size=2", count: 2, next: "/orders?page=2&size=2"},
		{query: "?page=2&size=2", count: 1},
	} {
		t.Run(tc.query, func(t *testing.T) {
			var page struct {
				Items []Order `json:"items"`
				Next  string  `json:"next"`
			}
			resp := doJSON(t, "GET", "/orders"+tc.query, nil, &page)
			if got, want := resp.StatusCode, http.StatusOK; got != want {
				t.Fatalf("got status %d, want %d", got, want)
			}
			if got := len(page.Items); got != tc.count {
				t.Errorf("%d items, want %d", got, tc.count)
			}
			if page.Next != tc.next {
				t.Errorf("next = %q, want %q", page.Next, tc.next)
			}
			if resp.Header.Get("X-Total-Count") != "3" {
				t.Errorf("X-Total-Count = %q", resp.Header.Get("X-Total-Count"))
			}
		})
	}
}
