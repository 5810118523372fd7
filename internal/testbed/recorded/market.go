package recorded

import (
	"fmt"
	"strings"
)

// Market are calls of an API on which a bit of everything moves.
func Market() []Call {
	ok := Always(200)
	id := func(kind, run int) string {
		return fmt.Sprintf("%08x-77aa-4b1c-9d2e-%012x", kind*2654435761%(1<<32), (run+3)*kind*104729)
	}
	at := func(run, second int) string { return fmt.Sprintf("2026-01-02T%02d:%02d:%02dZ", 3+run%20, 4, second) }
	busy := func(run int) int {
		if run == 4 || run == 9 {
			return 503
		}
		return 200
	}
	shuffled := func(run int) string {
		all := []string{`"blue"`, `"green"`, `"grey"`, `"red"`}
		n := run * 3 % 4
		return strings.Join(append(append([]string{}, all[n:]...), all[:n]...), ",")
	}
	orders, carts, refunds := "test_orders.py::test_total", "test_carts.py::test_two_items", "test_refunds.py::test_refund_of_paid"
	return []Call{
		{Sequence: carts, Request: "POST /carts", Status: Always(201), Body: func(r int) string { return fmt.Sprintf(`{"cartId":%q,"items":0}`, id(3, r)) }},
		{Sequence: carts, Request: "POST /carts/" + id(3, 0) + "/items", Status: ok, Body: func(r int) string { return fmt.Sprintf(`{"cartId":%q,"items":1,"sum":9.5}`, id(3, r)) }},
		{Sequence: carts, Request: "GET /carts/" + id(3, 0), Status: ok, Body: func(r int) string {
			return fmt.Sprintf(`{"cartId":%q,"items":1,"sum":9.5,"currency":"EUR","expires":%q}`, id(3, r), at(r, 30))
		}},
		{Sequence: carts, Request: "GET /products?tag=pen", Status: ok, Body: func(r int) string { return `{"count":4,"colors":[` + shuffled(r) + `],"page":1,"pages":1}` }},
		{Sequence: refunds, Request: "POST /refunds", Status: busy, Body: func(r int) string { return fmt.Sprintf(`{"refundId":%q,"state":"open"}`, id(9, r)) }},
		{Sequence: refunds, Request: "GET /refunds/" + id(9, 0), Status: busy, Body: func(r int) string {
			return fmt.Sprintf(`{"refundId":%q,"state":"open","since":%q}`, id(9, r), at(r, 41))
		}},
		{Sequence: orders, Request: "POST /orders", Status: Always(201), Body: func(r int) string {
			return fmt.Sprintf(`{"orderId":%q,"number":%d,"total":12.5,"currency":"EUR"}`, id(5, r), 1041+r)
		}},
		{Sequence: orders, Request: "GET /orders/" + id(5, 0), Status: ok, Body: func(r int) string {
			return fmt.Sprintf(`{"orderId":%q,"number":%d,"total":12.5,"currency":"EUR","placed":%q,"state":"new","lines":[{"sku":"pen","n":2}]}`, id(5, r), 1041+r, at(r, 12))
		}},
		{Sequence: orders, Request: "GET /orders/" + id(5, 0) + "/events", Status: ok, Body: func(r int) string {
			return fmt.Sprintf(`{"events":[{"kind":"placed","at":%q,"by":"shop"}],"more":false}`, at(r, 12))
		}},
		{Sequence: orders, Request: "DELETE /orders/" + id(5, 0), Status: Always(204), Body: func(int) string { return "" }},
		{Sequence: "test_health.py::test_version", Request: "GET /health", Status: ok, Body: func(r int) string {
			return fmt.Sprintf(`{"version":"1.2.0","up":%d,"host":"shop-%d","database":"ok","queue":"ok"}`, 311+r*97, r%2)
		}},
		{Sequence: "test_version.py::test_fixed", Request: "GET /version", Status: ok, Body: func(int) string { return `{"version":"1.2.0","commit":"8c1f","api":3}` }},
		{Sequence: "test_currencies.py::test_all", Request: "GET /currencies", Status: ok, Body: func(int) string { return `["EUR","USD","SEK"]` }},
	}
}
