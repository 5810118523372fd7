package orders

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestCreateOrder(t *testing.T) {
	var got Order
	resp := doJSON(t, "POST", "/orders", Order{Customer: "bob", Lines: []Line{{SKU: "tea", Quantity: 3}}}, &got)
	if resp.StatusCode != http.StatusCreated {
		t.Fatalf("status = %d, want 201", resp.StatusCode)
	}
	if ct := resp.Header.Get("Content-Type"); ct != "application/json" {
		t.Errorf("Content-Type = %q", ct)
	}
	if got.Customer != "bob" {
		t.Errorf("customer = %q, want bob", got.Customer)
	}
	if got.Status != "new" {
		t.Errorf("status = %q, want new", got.Status)
	}
	if len(got.Lines) != 1 {
		t.Fatalf("%d lines, want 1", len(got.Lines))
	}
	if got.Lines[0].SKU != "tea" || got.Lines[0].Quantity != 3 {
		t.Errorf("line = %+v", got.Lines[0])
	}
	if want := 1350; got.Total != want {
		t.Errorf("total = %d, want %d", got.Total, want)
	}
	if got.ID == 0 {
		t.Error("no id")
	}
	if !strings.HasPrefix(got.CreatedAt, "2026-") {
		t.Errorf("createdAt = %q", got.CreatedAt)
	}
	if got.Invoice != nil {
		t.Errorf("invoice = %v, want none", *got.Invoice)
	}
}

func createOrder(t *testing.T, customer string, lines ...Line) Order {
	t.Helper()
	var o Order
	resp := doJSON(t, http.MethodPost, "/orders", map[string]any{"customer": customer, "lines": lines}, &o)
	wantStatus(t, resp, http.StatusCreated)
	t.Cleanup(func() { doJSON(t, http.MethodDelete, fmt.Sprintf("/orders/%d", o.ID), nil, nil) })
	return o
}

func TestReadBack(t *testing.T) {
	o := createOrder(t, "alice", Line{SKU: "tea", Quantity: 1})
	var got Order
	resp := doJSON(t, http.MethodGet, fmt.Sprintf("/orders/%d", o.ID), nil, &got)
	wantStatus(t, resp, http.StatusOK)
	if got.ID != o.ID {
		t.Errorf("id = %d, want %d", got.ID, o.ID)
	}
	if got.Customer != o.Customer {
		t.Errorf("customer = %q, want %q", got.Customer, o.Customer)
	}
	if got.CreatedAt != o.CreatedAt {
		t.Errorf("createdAt = %q, want %q", got.CreatedAt, o.CreatedAt)
	}
	if got.Total != 450 {
		t.Errorf("total = %d", got.Total)
	}
}

func TestUnknownOrder(t *testing.T) {
	var e apiError
	resp := doJSON(t, http.MethodGet, "/orders/999999", nil, &e)
	if resp.StatusCode != 404 {
		t.Errorf("got %s", resp.Status)
	}
	if e.Code != "E404" {
		t.Errorf("code = %q", e.Code)
	}
	if want := (apiError{Code: "E404", Message: "order not found"}); e != want {
		t.Errorf("got %+v, want %+v", e, want)
	}
}

func TestListOrders(t *testing.T) {
	o := createOrder(t, "alice", Line{SKU: "cup", Quantity: 2})
	var list struct {
		Items []Order `json:"items"`
		Total int     `json:"total"`
	}
	wantStatus(t, doJSON(t, http.MethodGet, "/orders?customer=alice", nil, &list), 200)
	if list.Total != 1 {
		t.Errorf("total = %d, want 1", list.Total)
	}
	if len(list.Items) != list.Total {
		t.Fatalf("%d items, total says %d", len(list.Items), list.Total)
	}
	if list.Items[0].ID != o.ID {
		t.Errorf("first id = %d, want %d", list.Items[0].ID, o.ID)
	}
	for _, item := range list.Items {
		if item.Customer != "alice" {
			t.Errorf("order %d is of %q", item.ID, item.Customer)
		}
	}
}
