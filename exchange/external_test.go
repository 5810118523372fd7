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

// A call that is made as often while nothing is asked belongs to no exchange; what is asked right behind an answer, or
// more often within exchanges, does.
func TestCausesInTheBackground(t *testing.T) {
	call := func(ms int, target string) *External {
		return &External{Exchange: Exchange{Scheme: "https", Addr: "flags.example.com:443", Start: time.UnixMilli(int64(ms)),
			Request: Request{Method: "GET", Target: target}}}
	}
	every := func(from, to, by int, target string) (all []*External) {
		for ms := from; ms <= to; ms += by {
			all = append(all, call(ms, target))
		}
		return all
	}
	// Ten exchanges of 300 ms, one a second, the first after four seconds.
	var incoming []*Exchange
	for i := range 10 {
		incoming = append(incoming, &Exchange{Seq: uint64(i + 1), Start: time.UnixMilli(int64(4000 + 1000*i)), Latency: 300 * time.Millisecond})
	}
	for name, c := range map[string]struct {
		calls []*External
		apart bool
	}{
		"a scheduler":                  {every(0, 14000, 700, "/all?at=1"), true},
		"a slow one":                   {every(0, 14000, 1850, "/all"), true},
		"each exchange asks":           {every(4010, 13010, 1000, "/rates"), false},
		"both do":                      {append(every(0, 14000, 700, "/all"), every(4010, 13010, 500, "/all")...), false},
		"right behind each answer":     {append(every(4290, 8290, 1000, "/log"), every(9310, 13310, 1000, "/log")...), false},
		"at the start, and in each":    {append(every(0, 20, 10, "/keys"), every(4010, 13010, 1000, "/keys")...), false},
		"too little quiet time":        {append(every(3100, 3900, 100, "/all"), call(4100, "/all")), false},
		"twice in quiet time":          {append(every(0, 1500, 1500, "/all"), call(4100, "/all")), false},
		"other paths in quiet time":    {append(every(0, 3000, 500, "/all"), call(4100, "/one")), false},
		"while the API did not run":    {append(every(0, 3500, 500, "/all"), call(4100, "/all"), call(5100, "/all"), call(1e9, "/other")), true},
		"a kind beside one that is so": {append(every(0, 14000, 700, "/all"), every(4010, 13010, 1000, "/rates")...), true},
	} {
		apart := 0
		for i, cause := range Causes(incoming, c.calls) {
			if cause.Background {
				apart++
			}
			if cause.Background && (cause.Seq != 0 || cause.UnderWay != 1 || c.calls[i].Request.Target == "/rates") {
				t.Errorf("%s: call %d: %+v", name, i, cause)
			}
		}
		if (apart > 0) != c.apart {
			t.Errorf("%s: %d calls are in the background, want some: %v", name, apart, c.apart)
		}
	}
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
