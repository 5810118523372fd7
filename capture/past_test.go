//go:build unix

package capture

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/capture/client"
	"github.com/flaketap/flaketap/exchange"
)

// What a client does elsewhere is its own affair; that it goes to an API of the recording directly is told.
func TestSayPast(t *testing.T) {
	there, elsewhere := netip.MustParseAddrPort("127.0.0.1:8080"), netip.MustParseAddrPort("127.0.0.1:5432")
	one, both := []client.Sighting{{Addr: elsewhere, Connections: 1}}, []client.Sighting{{Addr: there, Connections: 2}, {Addr: elsewhere, Connections: 1}}
	for name, test := range map[string]struct {
		target   string // "" for a forward proxy
		recorded string // the API of the exchanges; "" for none
		seen     []client.Sighting
		want     []string // nothing where that is to be said
	}{
		"the target":                          {"http://localhost:8080", "", both, []string{"127.0.0.1:8080 directly (2 connections seen)", "base URL"}},
		"elsewhere":                           {"http://localhost:8080", "", one, nil},
		"an API of a forward proxy":           {"", "127.0.0.1:8080", both, []string{"127.0.0.1:8080 directly (2", "--target"}},
		"elsewhere, with a forward proxy":     {"", "127.0.0.1:8080", one, nil},
		"anywhere, where nothing is recorded": {"", "", both, []string{"127.0.0.1:8080, 127.0.0.1:5432 directly (3"}},
		"nowhere":                             {"", "", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			o, talk := recording(t)
			o.Target = nil
			if test.target != "" {
				o.Target, _ = url.Parse(test.target)
			}
			s, err := Open(o.Options)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			s.Proxy.Recorder = discard{}
			s.noteAPIs()
			if test.recorded != "" {
				if err := s.Proxy.Recorder.Record(&exchange.Exchange{Addr: test.recorded}); err != nil {
					t.Fatal(err)
				}
			}
			s.sayPast(t.Context(), slices.Clone(test.seen))
			if test.want == nil && talk.String() != "" {
				t.Errorf("it said %s", talk)
			}
			for _, want := range test.want {
				if !strings.Contains(talk.String(), want) {
					t.Errorf("it did not say %q but %q", want, talk)
				}
			}
		})
	}
}

type discard struct{}

func (discard) Record(*exchange.Exchange) error { return nil }
