package exchange

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The cause of a call is the exchange that was under way alone; a plain count says the same of any times.
func TestCauses(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	rapid.Check(t, func(t *rapid.T) {
		var incoming []*Exchange
		for i := range rapid.IntRange(0, 8).Draw(t, "exchanges") {
			incoming = append(incoming, &Exchange{Seq: uint64(i + 1), Start: at(rapid.IntRange(0, 30).Draw(t, "start")),
				Latency: time.Duration(rapid.IntRange(0, 10).Draw(t, "took")) * time.Millisecond})
		}
		var externals []*External
		for range rapid.IntRange(0, 8).Draw(t, "externals") {
			externals = append(externals, &External{Exchange: Exchange{Start: at(rapid.IntRange(0, 45).Draw(t, "asked"))}})
		}
		var want []Cause
		for _, x := range externals {
			var c Cause
			for _, e := range incoming {
				if !x.Start.Before(e.Start) && !x.Start.After(e.Start.Add(e.Latency)) {
					c.Seq, c.UnderWay = e.Seq, c.UnderWay+1
				}
			}
			if c.UnderWay != 1 {
				c.Seq = 0
			}
			want = append(want, c)
		}
		if got := Causes(incoming, externals); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestExternalService(t *testing.T) {
	for at, want := range map[string]string{"https rates.example.com:443": "rates.example.com", "http 192.0.2.1:80": "192.0.2.1",
		"https [2001:db8::1]:443": "2001:db8::1", "http rates.example.com:443": "rates.example.com:443", "https a.example:8443": "a.example:8443",
		"https a.example": "a.example", " a.example:80": "a.example:80"} {
		scheme, addr, _ := strings.Cut(at, " ")
		x := External{Exchange: Exchange{Scheme: scheme, Addr: addr}}
		if got := x.Service(); got != want {
			t.Errorf("%s is %s, want %s", at, got, want)
		}
	}
}
