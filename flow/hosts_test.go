package flow

import (
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// TestHosts checks that one path of two APIs is two operations, and that loopback is one host whatever it is called.
func TestHosts(t *testing.T) {
	var all []*exchange.Exchange
	for _, addr := range []string{"id.example:443", "127.0.0.1:80", "localhost:80", "[::1]:80", "127.0.0.1:81", "ID.example:443"} {
		e := &exchange.Exchange{Seq: uint64(len(all) + 1), Addr: addr}
		e.Request = exchange.ParseRequest(exchange.Message{Head: []byte("GET /token HTTP/1.1\r\n\r\n")})
		all = append(all, e)
	}
	operations := Operations(all, nil)
	for i, want := range []string{
		"GET //id.example:443/token", "GET /token", "GET /token", "GET /token", "GET //localhost:81/token", "GET //id.example:443/token",
	} {
		if got := operations[uint64(i+1)].String(); got != want {
			t.Errorf("%s: %s, want %s", all[i].Addr, got, want)
		}
	}
}
