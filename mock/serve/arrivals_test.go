package serve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// Of what comes, one of each operation and shape is taken, whatever the values are.
func TestArrivals(t *testing.T) {
	sent := func(line, body string, status int) *exchange.Exchange {
		head := line + " HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
		e := &exchange.Exchange{Request: exchange.ParseRequest(exchange.Message{
			Head: fmt.Appendf(nil, "%sContent-Length: %d\r\n\r\n", head, len(body)), Body: []byte(body)})}
		if status > 0 {
			e.Response = exchange.ParseResponse(exchange.Message{Head: fmt.Appendf(nil, "HTTP/1.1 %d X\r\nContent-Length: 0\r\n\r\n", status)})
		}
		return e
	}
	var a arrivals
	a.has(sent("GET /recorded?x=1", "", 0))
	for i, step := range []struct {
		line, body string
		status     int
		news       bool
	}{
		{"GET /recorded?x=9", "", 500, false}, // it is searched anyway
		{"GET /items/1", "", 200, true},
		{"GET /items/2", "", 200, false},
		{"GET /items/2", "", 404, false},
		{"GET /items/2?by=a", "", 200, true},
		{"GET /items/2?by=b", "", 200, false},
		{"DELETE /items/2", "", 200, true},
		{"POST /items", `{"tags": ["a"], "n": 1}`, 201, true},
		{"POST /items", `{"n": 2, "tags": ["b", "c"]}`, 201, false},
		{"POST /items", `{"n": 2}`, 201, true},
		{"POST /items", `{"m": 2}`, 201, true},
		{"POST /items", `{"o": 2}`, 201, false}, // so many are enough
		{"POST /items", `{"o": 2}`, 0, false},
		{"CONNECT a:443", "", 200, false},
	} {
		r, news := a.take(sent(step.line, step.body, step.status))
		if news != step.news || news && r.Method+" "+r.Target != step.line {
			t.Errorf("%d: %s %s is taken: %v, as %+v", i, step.line, step.body, news, r)
		}
	}
	for i := range maxArrivals + 10 {
		a.take(sent("GET "+strings.Repeat("/more", i/3+1)+"?"+strings.Repeat("a", i%3)+"=1", "", 200))
	}
	if a.taken != maxArrivals || len(a.known) != 1+maxArrivals { // what is searched anyway is none of them
		t.Errorf("%d are taken, %d known", a.taken, len(a.known))
	}
}
