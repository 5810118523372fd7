package flow

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/google/go-cmp/cmp"
)

const uuid = "9f1b7c52-6a0e-4c3d-8a55-0d9e2f7b1c33"

func TestBindings(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a small id by the collection that it was made in", `
			> POST /orders
			< 201
			={"id": 7, "qty": 2}
			> GET /orders/7
			< 200
			={"id": 7}
			> GET /pages/7
			> GET /orders?limit=7&qty=2`,
			[]string{"orderId=7 1/body/id > 2/path/1"}},
		{"an id that is called as what was made; a count in an answer, and what was sent, are none", `
			> POST /books/3/copies
			={"shelf": 5}
			< 201
			={"copy": 107, "book": 3, "count": 9, "shelf": 5}
			> GET /copies/107
			> POST /loans
			={"copy": 107, "days": 9}
			> GET /books/9/copies/5`,
			[]string{"copy=107 1/body/copy > 2/path/1 > 3/body/copy"}},
		{"an id that reads like a word, by having been made, and the name of a file that is part of it", `
			> POST /users
			={"name": "application1"}
			< 200
			={"id": "bzfuospiue11dbh", "kind": "abcdefghij", "scan": "note_1_ybk5ywraci.txt", "role": "application1"}
			> POST /posts
			={"author": "bzfuospiue11dbh", "kind": "abcdefghij", "of": "application1"}
			> GET /posts?filter=id%3D%22bzfuospiue11dbh%22
			> GET /files/users/bzfuospiue11dbh/note_1_ybk5ywraci.txt
			> GET /files/other/note_1_ybk5ywraci.txt`,
			[]string{"userId=bzfuospiue11dbh 1/body/id > 2/body/author > 3/query/filter > 4/path/2", "scan=note_1_ybk5ywraci.txt 1/body/scan > 4/path/3"}},
		{"an id without a digit, drawn from letters of both cases, _ and -", `
			> POST /reports
			< 202
			Location: /jobs/Y_mGOyuJaTAliBYBNibdX
			={"job": "Y_mGOyuJaTAliBYBNibdX", "state": "new"}
			> GET /jobs/Y_mGOyuJaTAliBYBNibdX`,
			[]string{"jobId=Y_mGOyuJaTAliBYBNibdX 1/header/location/path/1 > 2/path/1"}},
		{"an id that the client chose is its own, though it comes back", `
			> GET /users/administrator
			< 404
			> POST /users
			={"id": "administrator"}
			< 201
			={"id": "administrator"}
			> POST /posts
			={"author": "administrator"}`,
			nil},
		{"a small id by its name, in query, form, JSON and header, number or text", `
			> POST /shop/orders/
			< 200
			={"data": {"id": 7}}
			> GET /pay?orderId=7&page=7
			> POST /pay
			Content-Type: application/x-www-form-urlencoded
			=order_id=7&n=7
			> POST /pay
			={"order": {"id": "7"}, "count": 7}
			> GET /pay
			X-Order-Id: 7`,
			[]string{"orderId=7 1/body/data/id > 2/query/orderId > 3/body/order_id > 4/body/order/id > 5/header/x-order-id"}},
		{"a number that the request held is not what it made", `
			> POST /orders
			={"customerId": 3, "qty": 1}
			< 201
			={"id": 1, "customerId": 3}
			> GET /customers/3
			> GET /orders/1`,
			[]string{"orderId=1 1/body/id > 3/path/1"}},
		{"ids of collections side by side do not mix", `
			> POST /users/3/orders
			< 201
			={"id": 1}
			> GET /users/4/orders/1
			> GET /users/3/orders/1
			> GET /orders/1`,
			[]string{"orderId=1 1/body/id > 3/path/3 > 4/path/1"}},
		{"a list gives no small ids", `
			> GET /orders
			< 200
			=[{"id": 1}, {"id": 2}]
			> GET /orders/2`, nil},
		{"a bare id as body", `
			> POST /news
			< 201
			Content-Type: application/json
			=41
			> PUT /news/41/text
			> DELETE /news/41`,
			[]string{"newsId=41 1/body > 2/path/1 > 3/path/1"}},
		{"a Location, absolute", `
			> POST /products/p/constraints/requires
			< 201
			Location: http://host:8080/products/p/constraints/5
			> DELETE /products/p/constraints/5`,
			[]string{"constraintId=5 1/header/location/path/3 > 2/path/3"}},
		{"a redirect binds no word of a route", `
			> GET /
			< 302
			Location: /tree
			> GET /tree
			> POST /login
			< 302
			Location: /home/start
			> GET /home/start`, nil},
		{"a name that the API chose", `
			> POST /api/contents
			< 201
			={"name": "Untitled.ipynb", "type": "notebook"}
			> GET /api/contents/Untitled.ipynb
			> GET /api/contents/notebook`,
			[]string{"name=Untitled.ipynb 1/body/name > 2/path/2"}},
		{"a name that the client chose", `
			> POST /products
			={"name": "0"}
			< 201
			={"key": 3, "name": "0"}
			> GET /products/0`, nil},
		{"tokens, by strength or by name", `
			> POST /login
			< 200
			={"token": "t1", "refresh_token": "c2VjcmV0LXJlZnJlc2gtNDI"}
			> GET /me
			Authorization: Bearer t1
			> GET /me
			X-CSRF-Token: t1
			> POST /refresh
			={"refresh_token": "c2VjcmV0LXJlZnJlc2gtNDI"}
			> GET /me?access_token=t1
			> GET /me
			Authorization: Basic dDE6dDE=`,
			[]string{
				"refreshToken=c2VjcmV0LXJlZnJlc2gtNDI 1/body/refresh_token > 4/body/refresh_token",
				"token=t1 1/body/token > 2/header/authorization > 3/header/x-csrf-token > 5/query/access_token",
			}},
		{"cookies by name, of whatever value", `
			> GET /
			< 200
			Set-Cookie: lang=en; Path=/
			Set-Cookie: sid=abc; HttpOnly
			> GET /a
			Cookie: x=1; sid=abc; lang=en; mode=en
			< 200
			Set-Cookie: sid=abc
			> GET /b
			Cookie: sid=abc`,
			[]string{"lang=en 1/header/set-cookie/lang > 2/cookie/lang", "sid=abc 1/header/set-cookie/sid > 2/cookie/sid > 3/cookie/sid"}},
		{"validators by the resource", `
			> GET /a
			< 200
			ETag: "1"
			Last-Modified: Wed, 21 Oct 2015 07:28:00 GMT
			> GET /b
			If-None-Match: "1"
			> GET /a
			If-None-Match: W/"0", "1"
			If-Modified-Since: Wed, 21 Oct 2015 07:28:00 GMT`,
			[]string{`etag="1" 1/header/etag > 3/header/if-none-match`,
				`lastModified=Wed, 21 Oct 2015 07:28:00 GMT 1/header/last-modified > 3/header/if-modified-since`}},
		{"a UUID anywhere, escaped, within a segment", `
			> GET /things
			< 200
			=[{"ref": "` + uuid + `", "mail": "ann+b@example.org"}]
			> GET /files/report-` + uuid + `.pdf
			> GET /x?mail=ann%2Bb%40example.org
			> PUT /x
			={"thing": "` + uuid + `"}`,
			[]string{"mail=ann+b@example.org 1/body/0/mail > 3/query/mail",
				"ref=" + uuid + " 1/body/0/ref > 2/path/1 > 4/body/thing"}},
		{"what the client had first is its own", `
			> PUT /things/` + uuid + `
			< 200
			={"id": "` + uuid + `"}
			> GET /all
			< 200
			=["` + uuid + `"]
			> GET /things/` + uuid, nil},
		{"the first to give a value counts, until it is made anew", `
			> POST /orders
			< 201
			={"id": 5}
			> GET /orders/5
			< 200
			={"id": 5}
			> DELETE /orders/5
			> POST /orders
			< 201
			={"id": 5}
			> GET /orders/5
			> GET /things
			< 200
			={"a": "k3J9x2Lm4Qw8"}
			> GET /more
			< 200
			={"b": "k3J9x2Lm4Qw8"}
			> GET /find?q=k3J9x2Lm4Qw8`,
			[]string{"orderId=5 1/body/id > 2/path/1 > 3/path/1", "orderId2=5 4/body/id > 5/path/1",
				"a=k3J9x2Lm4Qw8 6/body/a > 8/query/q"}},
		{"examples of a description are the client's choice", `
			> GET /openapi.json
			< 200
			={"openapi": "3.0.0", "example": "` + uuid + `"}
			> GET /things/` + uuid, nil},
		{"words, flags and sizes bind nothing", `
			> GET /a
			< 200
			X-State: active
			={"ok": true, "state": "active", "kind": "application/json", "n": 100, "day": "2026-01-29", "v": "1.2.3"}
			> GET /b?state=active&n=100&ok=true&day=2026-01-29&v=1.2.3
			Accept: application/json`, nil},
		{"a code from a redirect, a cursor from a link", `
			> GET /authorize
			< 302
			Location: https://app/cb?code=SplxlOBeZQQYbYS6WxSbIA1&state=xy
			> POST /token
			Content-Type: application/x-www-form-urlencoded
			=grant_type=code&code=SplxlOBeZQQYbYS6WxSbIA1
			> GET /items
			< 200
			Link: </items?cursor=eyJvIjoxMH0x9>; rel="next"
			> GET /items?cursor=eyJvIjoxMH0x9`,
			[]string{"code=SplxlOBeZQQYbYS6WxSbIA1 1/header/location/query/code > 2/body/code",
				"cursor=eyJvIjoxMH0x9 3/header/link/query/cursor > 4/query/cursor"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, show(Bindings(script(t, c.text)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestValue: the places that the package comment names.
func TestValue(t *testing.T) {
	e := script(t, `
		> GET /
		< 200
		Location: /a%20b/c?x=1&x=2
		Set-Cookie: s=v; Path=/
		X-One: 1
		={"a": [{"b/c": "d\u0065"}], "n": -1.50}`)[0]
	for place, want := range map[exchange.Place]string{
		"/header/location/path/0":    "a b",
		"/header/location/query/x/1": "2",
		"/header/set-cookie/s":       "v",
		"/header/x-one":              "1",
		"/body/a/0/b~1c":             "de",
		"/body/n":                    "-1.50",
	} {
		if got, ok := message.Value(e.Response, place); !ok || got != want {
			t.Errorf("%s: got %q, %v, want %q", place, got, ok, want)
		}
	}
	for _, place := range []exchange.Place{"/body", "/body/a", "/body/x", "/header/y", "/status", "/header/location/path/9"} {
		if got, ok := message.Value(e.Response, place); ok {
			t.Errorf("%s: got %q, want nothing", place, got)
		}
	}
}

// TestBinderForgets: the index stays bounded, and what is in use is not forgotten.
func TestBinderForgets(t *testing.T) {
	b := NewBinder()
	b.limit = 1000
	add := func(seq uint64, head, answer string) {
		e := &exchange.Exchange{Seq: seq, Request: exchange.ParseRequest(exchange.Message{Head: []byte(head)})}
		e.Response = exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\n\r\n"), Body: []byte(answer), Plain: true})
		b.Add(e)
	}
	add(1, "POST /login HTTP/1.1\r\n\r\n", `{"token": "zaq12wsxcde34rfv"}`)
	seq := uint64(2)
	for i := 0; i < 5000; {
		list := []byte("[")
		for range 250 {
			list = fmt.Appendf(list, `"k%dx%dq%dz",`, i, i*7, i*13)
			i++
		}
		add(seq, "GET /list HTTP/1.1\r\nAuthorization: Bearer zaq12wsxcde34rfv\r\n\r\n", string(list)+"0]")
		seq++
	}
	if len(b.known) > b.limit || len(b.order) > b.limit || len(b.literals.seqs) > b.limit {
		t.Errorf("%d keys known, %d in order", len(b.known), len(b.order))
	}
	if got := b.Bindings(); len(got) != 1 || len(got[0].Uses) != int(seq)-2 {
		t.Errorf("the token in use was forgotten: %d bindings", len(got))
	}
}

// TestBindingsTruth plays a client against a simulated API whose small ids collide with quantities, prices and pages,
// and holds what is found against what is true: which request values are ids that the API gave.
func TestBindingsTruth(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 5))
	truth := map[exchange.Ref]uint64{} // use: the Seq of the response that made the value
	var list []*exchange.Exchange
	do := func(method, target, body, answer string) uint64 {
		e := &exchange.Exchange{Seq: uint64(len(list) + 1), Pass: 1}
		e.Request = exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "%s %s HTTP/1.1\r\nContent-Length: %d\r\n\r\n", method, target, len(body)), Body: []byte(body)})
		status := map[bool]int{true: 201, false: 200}[method == "POST"]
		e.Response = exchange.ParseResponse(exchange.Message{Head: fmt.Appendf(nil, "HTTP/1.1 %d X\r\n\r\n", status), Body: []byte(answer), Plain: true})
		list = append(list, e)
		return e.Seq
	}
	type made struct {
		id  int
		seq uint64
	}
	var users, orders []made
	for range 600 {
		n := rnd.IntN(20)
		switch kind := rnd.IntN(6); {
		case kind == 0 || len(users) == 0:
			id := len(users) + 1
			users = append(users, made{id, do("POST", "/users", fmt.Sprintf(`{"age":%d}`, n), fmt.Sprintf(`{"id":%d,"age":%d,"rank":%d}`, id, n, rnd.IntN(20)))})
		case kind == 1 || len(orders) == 0:
			u, id := users[rnd.IntN(len(users))], len(orders)+1
			seq := do("POST", "/orders", fmt.Sprintf(`{"userId":%d,"qty":%d}`, u.id, n), fmt.Sprintf(`{"id":%d,"userId":%d,"qty":%d}`, id, u.id, n))
			truth[exchange.Ref{Seq: seq, Place: "/body/userId"}] = u.seq
			orders = append(orders, made{id, seq})
		case kind == 2:
			o := orders[rnd.IntN(len(orders))]
			seq := do("PATCH", fmt.Sprintf("/orders/%d?page=%d", o.id, n), fmt.Sprintf(`{"qty":%d}`, n), fmt.Sprintf(`{"id":%d,"qty":%d}`, o.id, n))
			truth[exchange.Ref{Seq: seq, Place: "/path/1"}] = o.seq
		case kind == 3:
			u := users[rnd.IntN(len(users))]
			seq := do("GET", fmt.Sprintf("/users/%d/orders?limit=%d", u.id, n), "", `[{"id":3},{"id":9}]`)
			truth[exchange.Ref{Seq: seq, Place: "/path/1"}] = u.seq
		case kind == 4:
			do("GET", fmt.Sprintf("/pages/%d?size=%d", n, n), "", fmt.Sprintf(`{"page":%d,"total":%d}`, n, len(orders)))
		default:
			o := orders[rnd.IntN(len(orders))]
			seq := do("GET", fmt.Sprintf("/search?order_id=%d&min=%d", o.id, n), "", fmt.Sprintf(`{"hits":%d}`, n))
			truth[exchange.Ref{Seq: seq, Place: "/query/order_id"}] = o.seq
		}
	}
	right, found := 0, 0
	for _, b := range Bindings(list) {
		for _, u := range b.Uses {
			found++
			if truth[u] == b.Producer.Seq {
				right++
			}
		}
	}
	if precision := float64(right) / float64(found); precision < 0.98 {
		t.Errorf("precision %.3f: %d of %d", precision, right, found)
	}
	if recall := float64(right) / float64(len(truth)); recall < 0.95 {
		t.Errorf("recall %.3f: %d of %d", recall, right, len(truth))
	}
}
