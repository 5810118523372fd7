package search

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay"
)

// A read is asked again as long as that is wanted, nothing else is, and all answers are given.
func TestWatch(t *testing.T) {
	var reads atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			fmt.Fprint(w, reads.Add(1))
		}
	}))
	defer s.Close()
	target, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	var all []*exchange.Exchange
	for i, line := range []string{"POST /jobs", "GET /jobs/7", "GET /other"} {
		all = append(all, &exchange.Exchange{Seq: uint64(i + 1), Pass: 1, Scheme: "http", Addr: target.Host, Response: &exchange.Response{Status: 200},
			Request: exchange.ParseRequest(exchange.Message{Head: []byte(line + " HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")})})
	}
	trier := &PlayerTrier{Player: replay.Player{Target: target}}
	got, err := trier.Watch(t.Context(), all, nil, func(o *exchange.Observation) bool { return o.Seq == 2 && string(o.Response.Body) != "3" })
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	for _, o := range got {
		said += fmt.Sprintf("%d:%s ", o.Seq, o.Response.Body)
	}
	if said != "1: 2:1 2:2 2:3 3:4 " {
		t.Error(said)
	}
}
