package replay_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay"
)

// one is a Source of one exchange, and prints what it was answered.
type one struct{ recorded *exchange.Exchange }

func (o one) Exchanges() iter.Seq2[*exchange.Exchange, error] {
	return func(yield func(*exchange.Exchange, error) bool) { yield(o.recorded, nil) }
}

func (o one) Observe(ob *exchange.Observation) error {
	fmt.Println(ob.Sent.Method, ob.Sent.Target, "recorded", o.recorded.Response.Status, "now", ob.Response.Status)
	return nil
}

func ExamplePlayer() {
	api := httptest.NewServer(http.NotFoundHandler())
	defer api.Close()
	target, _ := url.Parse(api.URL)
	recorded := one{&exchange.Exchange{
		Seq: 1, Pass: 1, Scheme: "http", Addr: "127.0.0.1:8080",
		Request:  exchange.ParseRequest(exchange.Message{Head: []byte("GET /orders/7 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n")}),
		Response: exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")}),
	}}
	player := &replay.Player{Target: target}
	sum, err := player.Play(context.Background(), recorded, recorded)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum.Sent, "sent")
	// Output:
	// GET /orders/7 recorded 200 now 404
	// 1 sent
}
