package proxy_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/proxy"
)

// printer is a Recorder that prints.
type printer struct{}

func (printer) Record(e *exchange.Exchange) error {
	fmt.Println("recorded:", e.Request.Method, e.Request.Target, "->", e.Response.Status)
	return nil
}

func Example() {
	api := httptest.NewServer(http.NotFoundHandler())
	defer api.Close()
	target, _ := url.Parse(api.URL)
	ln, _ := net.Listen("tcp", "127.0.0.1:0")

	p := &proxy.Proxy{Target: target, Recorder: printer{}}
	served := make(chan error, 1)
	go func() { served <- p.Serve(ln) }()

	resp, _ := http.Get("http://" + ln.Addr().String() + "/orders/7")
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()

	_ = p.Shutdown(context.Background())
	fmt.Println("served:", <-served)
	// Output:
	// recorded: GET /orders/7 -> 404
	// served: <nil>
}
