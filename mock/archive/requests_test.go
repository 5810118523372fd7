package archive

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/google/go-cmp/cmp"
)

func recorded(seq uint64, request, response string) *exchange.Exchange {
	head, body, _ := strings.Cut(request, "\r\n\r\n")
	sent := exchange.Message{Head: []byte(head + "\r\n\r\n"), Body: []byte(body)}
	return &exchange.Exchange{Seq: seq, Scheme: "http", Addr: "api.example:80",
		Request: exchange.ParseRequest(sent), Response: exchange.ParseResponse(exchange.Message{Head: []byte(response)})}
}

// Of each operation one request is kept, one that went well where there is one, without what belonged to its connection.
func TestRequests(t *testing.T) {
	const ok, missing = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
	got := requests([]*exchange.Exchange{
		recorded(1, "GET /orders/41 HTTP/1.1\r\nHost: a\r\n\r\n", missing),
		recorded(2, "GET /orders/42 HTTP/1.1\r\nHost: a\r\nAccept: text/plain\r\nConnection: close\r\n\r\n", ok),
		recorded(3, "GET /orders/43 HTTP/1.1\r\nHost: a\r\n\r\n", ok),
		recorded(4, "POST /orders HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}", ok),
	})
	want := []search.Request{{Method: "GET", Target: "/orders/42", Header: map[string]string{"accept": "text/plain"}},
		{Method: "POST", Target: "/orders", Header: map[string]string{}, Body: []byte("{}")}}
	if diff := cmp.Diff(want, got, cmp.Transformer("text", func(b []byte) string { return string(b) })); diff != "" {
		t.Error(diff)
	}
}

func TestParseRequest(t *testing.T) {
	for text, want := range map[string]string{"GET /a?b=c": "GET /a?b=c ", `POST /a {"b": 1}`: `POST /a {"b": 1}`, "/a": "", "get /a": "", "GET a": ""} {
		r, ok := ParseRequest(text)
		if ok != (want != "") || ok && r.Method+" "+r.Target+" "+string(r.Body) != want {
			t.Errorf("%q: %+v, %v", text, r, ok)
		}
	}
}

func FuzzParseRequest(f *testing.F) {
	f.Add(`POST /a {"b": 1}`)
	f.Fuzz(func(t *testing.T, text string) {
		if r, ok := ParseRequest(text); ok && (r.Method == "" || r.Target[0] != '/') {
			t.Errorf("%q: %+v", text, r)
		}
	})
}
