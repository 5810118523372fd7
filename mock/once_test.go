package mock

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"testing"

	"google.golang.org/grpc/peer"

	googlegrpc "google.golang.org/grpc"
)

// A server that answers once on each connection leaves clients none to send the next request on, by whatever protocol;
// any other does. It speaks HTTP/2 with those clients alone that offer nothing else.
func TestOnce(t *testing.T) {
	for _, once := range []bool{true, false} {
		at, roots := listen(t, &Server{Once: once}, "rates.example.com",
			`{"request": {"urlPath": "/a"}, "response": {"headers": {"Connection": "keep-alive"}, "body": "x"}}`)
		for _, offered := range []struct {
			one, two bool
			chosen   int
		}{{true, false, 1}, {false, true, 2}, {true, true, map[bool]int{true: 1, false: 2}[once]}} {
			transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, Protocols: new(http.Protocols),
				DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
					return new(net.Dialer).DialContext(ctx, "tcp", at)
				}}
			transport.Protocols.SetHTTP1(offered.one)
			transport.Protocols.SetHTTP2(offered.two)
			t.Cleanup(transport.CloseIdleConnections)
			for i := range 3 {
				reused := false
				ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) { reused = c.Reused }})
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://rates.example.com/a", http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				resp, err := transport.RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					t.Error(err)
				}
				resp.Body.Close() // the connection is free before the next request
				if want := i > 0 && !once; reused != want || resp.ProtoMajor != offered.chosen {
					t.Errorf("once %t, offered %+v, %s, request %d: on a connection that was there: %t", once, offered, resp.Proto, i, reused)
				}
			}
		}
	}
}

// Clients of gRPC connect again, too, and notice nothing.
func TestOnceOfGRPC(t *testing.T) {
	c := serveCalls(t, &Server{Once: true}, `{"request": {"urlPath": "/echo.v1.Echo/Say"}, "response": {"jsonBody": "hello"}}`)
	from := map[string]bool{}
	for _, conn := range []*googlegrpc.ClientConn{c.secure, c.plain} {
		for range 3 {
			var at peer.Peer
			if got := c.say(conn, "/echo.v1.Echo/Say", "x", googlegrpc.Peer(&at)); got != "hello" {
				t.Error(got)
			}
			from[at.LocalAddr.String()] = true
		}
	}
	if len(from) != 6 {
		t.Errorf("6 calls came on %d connections", len(from))
	}
}
