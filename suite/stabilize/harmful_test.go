package stabilize

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// The hosts that a suite sends requests to are named, each once and at most three.
func TestHostsAreNamed(t *testing.T) {
	for asked, want := range map[string]string{
		"a:80":                            "a:80",
		"a:80 b:443 a:80":                 "a:80, b:443",
		"c:1 b:1 a:1 b:1":                 "c:1, b:1, a:1",
		"a:1 b:1 c:1 d:1 e:1 a:1 d:1 e:1": "a:1, b:1, c:1 and 2 more",
	} {
		var track []*exchange.Exchange
		for addr := range strings.FieldsSeq(asked) {
			track = append(track, &exchange.Exchange{Addr: addr})
		}
		if got := listed(hostsOf(track)); got != want {
			t.Errorf("%s: %q, want %q", asked, got, want)
		}
	}
	missed := []*exchange.Exchange{{Addr: "a:80"}, {Addr: "b:443", Fault: &exchange.Fault{Kind: exchange.FaultDial}},
		{Addr: "c:443", Fault: &exchange.Fault{Kind: exchange.FaultTimeout}}}
	if got := listed(hostsOf(missed)); got != "a:80, c:443" {
		t.Errorf("%s, with one that could not be reached", got)
	}
}
