package capture

import (
	"net"
	"strings"
	"testing"
)

// TestTransparentRules: what the recorder prints are the rules that fit it.
func TestTransparentRules(t *testing.T) {
	loop := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8877}
	for _, tt := range []struct {
		addr  *net.TCPAddr
		marks bool
		want  []string
		not   string
	}{
		{loop, true, []string{"output meta mark != 0x666c tcp dport '{ 80, 443 }' redirect to :8877\n"}, "skuid"},
		{loop, false, []string{"output meta skuid != 1000 tcp dport '{ 80, 443 }' redirect to :8877\n", "connections of user 1000, whom the recorder runs as, are left alone"}, "mark"},
		{&net.TCPAddr{IP: net.IPv6zero, Port: 1}, true, []string{"redirect to :1\n"}, "skuid"},
		{&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1}, true, []string{"docs/recording.md"}, "nft"},
	} {
		got := redirectRulesFor(tt.addr, 1000)
		if tt.marks {
			got = redirectRules(tt.addr)
		}
		for _, want := range tt.want {
			if !strings.Contains(got, want) || strings.Contains(got, tt.not) {
				t.Errorf("%s, marks %v: want %q and no %q in\n%s", tt.addr, tt.marks, want, tt.not, got)
			}
		}
	}
}

// TestTransparentElsewhere: where the system does not tell where a connection was going, the refusal says so.
func TestTransparentElsewhere(t *testing.T) {
	o := Options{Transparent: true}
	if err := o.checkTransparent(false); err == nil || !strings.Contains(err.Error(), "Linux only") {
		t.Errorf("refused with %v", err)
	}
}
