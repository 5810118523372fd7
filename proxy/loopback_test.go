package proxy_test

import (
	"bufio"
	"crypto/tls"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/proxy"
)

// An API at an address of this machine may have a certificate for localhost alone; of another name, or of an authority
// that is not trusted, it may not. Those that come again with a session are looked at as well.
func TestCertificateForLocalhost(t *testing.T) {
	ca, stranger, own := newTrust(t), newTrust(t), newTrust(t)
	for _, tt := range []struct {
		name  string
		of    trust
		works bool
	}{{"localhost", ca, true}, {"127.0.0.1", ca, true}, {"shop.example", ca, false}, {"localhost", stranger, false}, {"127.0.0.1", stranger, false}} {
		leaf, err := tt.of.Leaf(tt.name)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := teller(t, &tls.Config{Certificates: []tls.Certificate{*leaf}}, "a")
		rec := newTape()
		addr := serve(t, &proxy.Proxy{Recorder: rec, Leaves: own, UpstreamTLS: &tls.Config{RootCAs: ca.pool}})
		for range 2 {
			s := tls.Client(openSocks(t, addr, a.addr()), own.client())
			if err := s.Handshake(); (err == nil) != tt.works {
				t.Errorf("a certificate for %s: %v", tt.name, err)
			}
			if !tt.works {
				wantFault(t, rec.next(t), exchange.FaultTLS, "")
				continue
			}
			ask(t, s, bufio.NewReader(s), get)
			rec.next(t)
		}
	}
}
