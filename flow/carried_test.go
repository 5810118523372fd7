package flow

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

func asks(line, fields, body string) *exchange.Request {
	r := exchange.ParseRequest(exchange.Message{Body: []byte(body),
		Head: fmt.Appendf(nil, "%s HTTP/1.1\r\nHost: api-7f3b2c91.example\r\n%sContent-Length: %d\r\n\r\n", line, fields, len(body))})
	return &r
}

// What is distinctive in a request tells a call that carries it, wherever it stands there; nothing else does.
func TestCarried(t *testing.T) {
	const id, json = "5f0c9a3e71bd", "Content-Type: application/json\r\n"
	carries := asks("GET /stock/"+id, "", "")
	for name, c := range map[string]struct {
		r    *exchange.Request
		want bool
	}{
		"a segment":        {asks("GET /orders/"+id, "", ""), true},
		"in another case":  {asks("GET /orders/"+strings.ToUpper(id), "", ""), true},
		"a parameter":      {asks("GET /orders?id="+id, "", ""), true},
		"a header":         {asks("GET /orders", "X-Request-Id: "+id+"\r\n", ""), true},
		"a member":         {asks("POST /orders", json, `{"order":{"id":"`+id+`"}}`), true},
		"in a URL":         {asks("POST /orders", json, `{"back":"https://shop.example/orders/`+id+`?x=1"}`), true},
		"a secret header":  {asks("GET /orders", "X-Api-Key: "+id+"\r\n", ""), false},
		"a cookie":         {asks("GET /orders", "Cookie: seen="+id+"\r\n", ""), false},
		"a password":       {asks("POST /orders", json, `{"password":"`+id+`"}`), false},
		"the client's own": {asks("GET /orders", "User-Agent: "+id+"\r\n", ""), false},
		"another one":      {asks("GET /orders/5f0c9a3e71be", "", ""), false},
	} {
		shared := slices.ContainsFunc(Carried(carries).Values, func(v uint64) bool { return slices.Contains(Carried(c.r).Values, v) })
		if shared != c.want {
			t.Errorf("%s: %v, want %v", name, shared, c.want)
		}
	}
	for _, v := range []string{"usd", "42", "129900", "100000000", "orders", "checkout-items", "2026-11-27", "20261127", "2026-11-27T22:04:59Z",
		"1700000000", "1700000000123", "00000000-0000-0000-0000-000000000000", "application/json", "v1.2.3", "true"} {
		if c := Carried(asks("POST /", json, fmt.Sprintf(`{"v":%q}`, v))); len(c.Values) > 0 {
			t.Errorf("%s is distinctive", v)
		}
	}
	for _, v := range []string{"anna.k@shop.example", "47110428", "0b8f6a4e-1c55-4d1e-9a55-6a3f0f2f9b11", "SKU-88f3-2a91c"} {
		if c := Carried(asks("POST /", json, fmt.Sprintf(`{"v":%q}`, v))); len(c.Values) == 0 {
			t.Errorf("%s is not distinctive", v)
		}
	}
}

// Where more may be carried than is looked at, that is said, and what is kept has a bound.
func TestCarriedIsBounded(t *testing.T) {
	var many []string
	for i := range 10 * maxCarried {
		many = append(many, fmt.Sprintf(`"5f0c9a3e%04x71bd"`, i))
	}
	c := Carried(asks("POST /", "Content-Type: application/json\r\n", "["+strings.Join(many, ",")+"]"))
	if !c.More || len(c.Values) > maxCarried+1 || !slices.IsSorted(c.Values) {
		t.Errorf("%d values, more: %v", len(c.Values), c.More)
	}
	cut := asks("POST /", "", "x")
	cut.Cut = 7
	for name, r := range map[string]*exchange.Request{"cut": cut, "packed": asks("POST /", "Content-Encoding: gzip\r\n", "x"), "malformed": asks("POST", "", "")} {
		if !Carried(r).More {
			t.Errorf("%s: it carries no more", name)
		}
	}
	if Carried(asks("GET /", "", "")).More {
		t.Error("a plain request carries more")
	}
}
