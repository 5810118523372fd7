package setup_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/suite/setup"
)

// depot is a small API that remembers: items with ids that count up, orders that hang on items, products with names of
// which there may be several, and a setting.
type depot struct {
	next     int
	items    []*depotItem
	orders   []*depotOrder
	products []string
	mode     string
	visits   int
}

type depotItem struct {
	ID       int    `json:"id"`
	Name     string `json:"name"`
	Price    int    `json:"price"`
	Archived bool   `json:"archived"`
}

type depotOrder struct {
	ID     int `json:"id"`
	ItemID int `json:"itemId"`
}

func newDepot() *depot {
	return &depot{products: []string{"STARTER"}, mode: "plain", items: []*depotItem{{ID: 1, Name: "seed", Price: 5}}, next: 1}
}

func (d *depot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	segments := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	rest := segments[1:]
	switch segments[0] {
	case "items":
		d.serveItems(w, r, rest)
	case "orders":
		d.serveOrders(w, r, rest)
	case "products":
		d.serveProducts(w, r, rest)
	case "settings":
		if r.Method == "PUT" {
			d.mode = field(r, "mode")
		}
		answer(w, 200, map[string]string{"mode": d.mode})
	case "visits":
		if r.Method == "POST" {
			d.visits++
		}
		answer(w, 200, map[string]int{"count": d.visits})
	default:
		answer(w, 404, nil)
	}
}

func field(r *http.Request, name string) string {
	var body map[string]any
	json.NewDecoder(r.Body).Decode(&body)
	return fmt.Sprint(body[name])
}

func answer(w http.ResponseWriter, status int, v any) {
	if v == nil {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

func (d *depot) item(id string) int {
	return slices.IndexFunc(d.items, func(x *depotItem) bool { return strconv.Itoa(x.ID) == id })
}

func (d *depot) serveItems(w http.ResponseWriter, r *http.Request, rest []string) {
	if len(rest) == 0 {
		if r.Method != "POST" {
			answer(w, 200, append([]*depotItem{}, d.items...))
			return
		}
		var x depotItem
		if json.NewDecoder(r.Body).Decode(&x) != nil || x.Name == "" {
			answer(w, 400, nil)
			return
		}
		if slices.ContainsFunc(d.items, func(o *depotItem) bool { return o.Name == x.Name }) {
			answer(w, 409, nil)
			return
		}
		d.next++
		x.ID = d.next
		d.items = append(d.items, &x)
		answer(w, 201, &x)
		return
	}
	i := d.item(rest[0])
	switch {
	case i < 0:
		answer(w, 404, nil)
	case len(rest) == 2 && rest[1] == "archive" && r.Method == "POST":
		d.items[i].Archived = true
		answer(w, 204, nil)
	case len(rest) > 1:
		answer(w, 404, nil)
	case r.Method == "PUT" && d.items[i].Archived:
		answer(w, 423, nil)
	case r.Method == "PUT":
		var x depotItem
		json.NewDecoder(r.Body).Decode(&x)
		d.items[i].Price = x.Price
		answer(w, 200, d.items[i])
	case r.Method == "DELETE":
		if slices.ContainsFunc(d.orders, func(o *depotOrder) bool { return o.ItemID == d.items[i].ID }) {
			answer(w, 409, nil)
			return
		}
		d.items = slices.Delete(d.items, i, i+1)
		answer(w, 204, nil)
	default:
		answer(w, 200, d.items[i])
	}
}

func (d *depot) serveOrders(w http.ResponseWriter, r *http.Request, rest []string) {
	if len(rest) == 0 {
		if r.Method != "POST" {
			answer(w, 200, append([]*depotOrder{}, d.orders...))
			return
		}
		var x depotOrder
		if json.NewDecoder(r.Body).Decode(&x) != nil || d.item(strconv.Itoa(x.ItemID)) < 0 {
			answer(w, 422, nil)
			return
		}
		d.next++
		x.ID = d.next
		d.orders = append(d.orders, &x)
		answer(w, 201, &x)
		return
	}
	i := slices.IndexFunc(d.orders, func(o *depotOrder) bool { return strconv.Itoa(o.ID) == rest[0] })
	switch {
	case i < 0:
		answer(w, 404, nil)
	case r.Method == "DELETE":
		d.orders = slices.Delete(d.orders, i, i+1)
		answer(w, 204, nil)
	default:
		answer(w, 200, d.orders[i])
	}
}

func (d *depot) serveProducts(w http.ResponseWriter, r *http.Request, rest []string) {
	if len(rest) == 0 {
		answer(w, 200, append([]string{}, d.products...))
		return
	}
	name := rest[0]
	i := slices.Index(d.products, name)
	switch r.Method {
	case "POST":
		d.products = append(d.products, name)
		if strings.Contains(name, "<") { // saved, and then no URL could be made of it
			answer(w, 500, nil)
			return
		}
		w.Header().Set("Location", "http://depot.test/products/"+url.PathEscape(name))
		answer(w, 201, nil)
	case "DELETE":
		if i < 0 {
			answer(w, 500, nil)
			return
		}
		d.products = slices.Delete(d.products, i, i+1)
		answer(w, 204, nil)
	default:
		if i < 0 {
			answer(w, 500, nil)
			return
		}
		answer(w, 200, map[string]string{"name": name})
	}
}

// ask sends one request to an API in this process.
func ask(h http.Handler, r *exchange.Request) *exchange.Response {
	req := httptest.NewRequest(r.Method, r.Target, bytes.NewReader(r.Body))
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	var head bytes.Buffer
	fmt.Fprintf(&head, "HTTP/1.1 %d %s\r\n", rec.Code, http.StatusText(rec.Code))
	rec.Header().Write(&head)
	fmt.Fprintf(&head, "Content-Length: %d\r\n\r\n", rec.Body.Len())
	return exchange.ParseResponse(exchange.Message{Head: head.Bytes(), Body: rec.Body.Bytes()})
}

func requestOf(method, target, body string) exchange.Request {
	head := method + " " + target + " HTTP/1.1\r\nHost: depot.test\r\n"
	if body != "" {
		head += fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	return exchange.ParseRequest(exchange.Message{Head: []byte(head + "\r\n"), Body: []byte(body)})
}

// recorded is a session: requests, each with what the API answered.
func recorded(h http.Handler, requests []exchange.Request) []*exchange.Exchange {
	var out []*exchange.Exchange
	for i, r := range requests {
		out = append(out, &exchange.Exchange{Seq: uint64(i + 1), Pass: 1, Scheme: "http", Addr: "depot.test:80", Request: r, Response: ask(h, &r)})
	}
	return out
}

// fuzzed is a session of a client that sends at random, and now and then what it was told of.
func fuzzed(rng *rand.Rand, n int) []*exchange.Exchange {
	d := newDepot()
	var out []*exchange.Exchange
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	for i := range n {
		id := strconv.Itoa(1 + rng.IntN(d.next+1))
		name := pick("bolt", "nut", "cog", "rod", "cam", "axle", "gear", "hub")
		price := strconv.Itoa(rng.IntN(90) + 10)
		product := pick("STARTER", "alpha", "beta", "%3Codd%3E")
		var r exchange.Request
		switch rng.IntN(18) {
		case 0, 1:
			r = requestOf("POST", "/items", `{"name":"`+name+`","price":`+price+`}`)
		case 2, 3:
			r = requestOf("GET", "/items/"+id, "")
		case 4:
			r = requestOf("GET", "/items", "")
		case 5:
			r = requestOf("PUT", "/items/"+id, `{"price":`+price+`}`)
		case 6, 7:
			r = requestOf("DELETE", "/items/"+id, "")
		case 8:
			r = requestOf("POST", "/items/"+id+"/archive", "")
		case 9:
			r = requestOf("POST", "/orders", `{"itemId":`+id+`}`)
		case 10:
			r = requestOf("GET", "/orders/"+id, "")
		case 11:
			r = requestOf("DELETE", "/orders/"+id, "")
		case 12:
			r = requestOf("POST", "/products/"+product, "")
		case 13, 14:
			r = requestOf("DELETE", "/products/"+product, "")
		case 15:
			r = requestOf("GET", pick("/products", "/products/"+product), "")
		case 16:
			r = requestOf(pick("GET", "PUT"), "/settings", "")
			if r.Method == "PUT" {
				r = requestOf("PUT", "/settings", `{"mode":"`+pick("loud", "calm", "dark")+`"}`)
			}
		default:
			r = requestOf(pick("GET", "POST"), "/visits", "")
		}
		out = append(out, &exchange.Exchange{Seq: uint64(i + 1), Pass: 1, Scheme: "http", Addr: "depot.test:80", Request: r, Response: ask(d, &r)})
	}
	return out
}

// depots is a Trier: each trial has a depot of its own.
type depots struct{ trials int }

func (d *depots) Try(_ context.Context, exchanges []*exchange.Exchange, bindings []exchange.Binding) ([]*exchange.Response, error) {
	d.trials++
	api, carrier := newDepot(), flow.NewCarrier(bindings)
	var out []*exchange.Response
	for _, e := range exchanges {
		r := carrier.Request(e)
		a := ask(api, &r)
		carrier.Learn(e.Seq, a)
		out = append(out, a)
	}
	return out, nil
}

// wantedOf is a test of one call: the request of an exchange, and all that its answer says.
func wantedOf(e *exchange.Exchange) setup.Wanted {
	w := setup.Wanted{Request: e.Request, Seq: e.Seq}
	w.Claims = append(w.Claims, exchange.Claim{Place: exchange.PlaceStatus, Relation: exchange.Equal, Value: strconv.Itoa(e.Response.Status)})
	body, _ := e.Response.Payload()
	if len(body) == 0 {
		w.Claims = append(w.Claims, exchange.Claim{Place: exchange.PlaceBody, Relation: exchange.Empty})
		return w
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if dec.Decode(&v) == nil {
		claimsOf(v, exchange.PlaceBody, &w.Claims)
	}
	return w
}

func claimsOf(v any, place exchange.Place, out *[]exchange.Claim) {
	switch v := v.(type) {
	case []any:
		*out = append(*out, exchange.Claim{Place: place, Relation: exchange.Length, Value: strconv.Itoa(len(v))})
		for i, x := range v {
			claimsOf(x, place.Index(i), out)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			claimsOf(v[k], place.Key(k), out)
		}
	default:
		raw, _ := json.Marshal(v)
		*out = append(*out, exchange.Claim{Place: place, Relation: exchange.Equal, Value: string(raw)})
	}
}
