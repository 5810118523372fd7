package exchange

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The cause of a call is the exchange that was under way alone; a plain count says the same of any times.
func TestCauses(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	rapid.Check(t, func(t *rapid.T) {
		var incoming []Incoming
		for i := range rapid.IntRange(0, 8).Draw(t, "exchanges") {
			start := rapid.IntRange(0, 30).Draw(t, "start")
			incoming = append(incoming, Incoming{Seq: uint64(i + 1), Start: at(start), End: at(start + rapid.IntRange(0, 10).Draw(t, "took"))})
		}
		var externals []Outgoing
		for range rapid.IntRange(0, 8).Draw(t, "externals") {
			externals = append(externals, Outgoing{External: &External{Exchange: Exchange{Start: at(rapid.IntRange(0, 45).Draw(t, "asked"))}}})
		}
		var want []Cause
		for _, x := range externals {
			var c Cause
			for _, e := range incoming {
				if !x.Start.Before(e.Start) && !x.Start.After(e.End) {
					c.Seq, c.By, c.UnderWay = e.Seq, ByTime, c.UnderWay+1
				}
			}
			if c.UnderWay != 1 {
				c.Seq, c.By = 0, ""
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
	call := func(ms int, target string) Outgoing {
		return Outgoing{External: &External{Exchange: Exchange{Scheme: "https", Addr: "flags.example.com:443", Start: time.UnixMilli(int64(ms)),
			Request: Request{Method: "GET", Target: target}}}}
	}
	every := func(from, to, by int, target string) (all []Outgoing) {
		for ms := from; ms <= to; ms += by {
			all = append(all, call(ms, target))
		}
		return all
	}
	// Ten exchanges of 300 ms, one a second, the first after four seconds.
	var incoming []Incoming
	for i := range 10 {
		start := time.UnixMilli(int64(4000 + 1000*i))
		incoming = append(incoming, Incoming{Seq: uint64(i + 1), Start: start, End: start.Add(300 * time.Millisecond)})
	}
	for name, c := range map[string]struct {
		calls []Outgoing
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

// What the API asks in the background, too, is for the exchange of which it carries distinctive values.
func TestCausesBesideTheBackground(t *testing.T) {
	var incoming []Incoming
	var calls []Outgoing
	for ms := 0; ms < 20_000; ms += 300 {
		calls = append(calls, Outgoing{External: &External{Exchange: Exchange{Scheme: "https", Addr: "a:443", Start: time.UnixMilli(int64(ms)),
			Request: Request{Method: "POST", Target: "/graphql"}}}})
	}
	start := time.UnixMilli(10_000)
	incoming = append(incoming, Incoming{Seq: 1, Start: start, End: start.Add(time.Second), Carried: Carried{Values: []uint64{7}}})
	own := calls[0]
	own.External = &External{Exchange: own.Exchange}
	own.Start, own.Carried = start.Add(50*time.Millisecond), Carried{Values: []uint64{7}}
	causes := Causes(incoming, append(calls, own))
	if got := causes[len(calls)]; got.Seq != 1 || got.Background {
		t.Errorf("what carries a value of the exchange is caused by %+v", got)
	}
	if got := causes[34]; !got.Background { // at 10.2 s
		t.Errorf("what carries nothing is caused by %+v", got)
	}
}

// asking makes calls and exchanges of a line each: what it is, from and to when in milliseconds, the trace, and values.
type asking struct {
	from, to int
	trace    TraceID
	values   []uint64
	more     bool
}

func (a asking) carried() Carried { return Carried{Trace: a.trace, Values: a.values, More: a.more} }

// What an external carries tells for which of several exchanges it is; where that is not certain, nothing is said.
func TestCausesByWhatIsCarried(t *testing.T) {
	type exchanges = []asking
	with := func(values ...uint64) []uint64 { return values }
	for name, c := range map[string]struct {
		of    exchanges
		calls []asking // whose from is when
		want  []Cause  // without UnderWay
	}{
		"its value":                  {exchanges{{0, 90, "", with(1, 2), false}, {0, 90, "", with(2, 3), false}}, []asking{{from: 10, values: with(3)}}, []Cause{{Seq: 2, By: ByValues}}},
		"a value of both":            {exchanges{{0, 90, "", with(1, 2), false}, {0, 90, "", with(2, 3), false}}, []asking{{from: 10, values: with(2)}}, []Cause{{}}},
		"a value of both and one":    {exchanges{{0, 90, "", with(1, 2), false}, {0, 90, "", with(2, 3), false}}, []asking{{from: 10, values: with(1, 2)}}, []Cause{{Seq: 1, By: ByValues}}},
		"values of two":              {exchanges{{0, 90, "", with(1), false}, {0, 90, "", with(3), false}}, []asking{{from: 10, values: with(1, 3)}}, []Cause{{}}},
		"nothing":                    {exchanges{{0, 90, "", with(1), false}, {0, 90, "", with(3), false}}, []asking{{from: 10}}, []Cause{{}}},
		"one may carry more":         {exchanges{{0, 90, "", with(1), false}, {0, 90, "", nil, true}}, []asking{{from: 10, values: with(1)}}, []Cause{{}}},
		"the other has ended":        {exchanges{{0, 90, "", with(1), false}, {0, 90, "", with(2), false}, {0, 5, "", with(3), false}}, []asking{{from: 10, values: with(3)}}, []Cause{{}}},
		"its trace":                  {exchanges{{0, 90, "a", nil, false}, {0, 90, "b", nil, false}}, []asking{{from: 10, trace: "b"}}, []Cause{{Seq: 2, By: ByTrace}}},
		"its trace, not its values":  {exchanges{{0, 90, "a", with(1), false}, {0, 90, "b", with(2), false}}, []asking{{from: 10, trace: "b", values: with(1)}}, []Cause{{Seq: 2, By: ByTrace}}},
		"a trace of its own":         {exchanges{{0, 90, "a", with(1), false}, {0, 90, "b", with(2), false}}, []asking{{from: 10, trace: "x", values: with(1)}}, []Cause{{Seq: 1, By: ByValues}}},
		"a trace of two":             {exchanges{{0, 90, "a", nil, false}, {0, 90, "a", nil, false}, {0, 90, "", with(1), false}}, []asking{{from: 10, trace: "a", values: with(1)}}, []Cause{{}}},
		"two of a trace by values":   {exchanges{{0, 90, "a", with(1), false}, {0, 90, "a", with(2), false}, {0, 90, "", with(2), false}}, []asking{{from: 10, trace: "a", values: with(2)}}, []Cause{{Seq: 2, By: ByValues}}},
		"one trace for all, in turn": {exchanges{{0, 9, "a", nil, false}, {20, 90, "a", nil, false}}, []asking{{from: 30, trace: "a"}}, []Cause{{Seq: 2, By: ByTrace}}},
		"late by its trace":          {exchanges{{0, 9, "a", nil, false}, {20, 90, "b", nil, false}}, []asking{{from: 30, trace: "a"}}, []Cause{{Seq: 1, By: ByTrace}}},
		"later by its trace":         {exchanges{{0, 9, "a", nil, false}}, []asking{{from: 9000, trace: "a"}}, []Cause{{Seq: 1, By: ByTrace}}},
		"late for one of two":        {exchanges{{0, 9, "a", nil, false}, {0, 9, "a", nil, false}, {20, 90, "", nil, false}}, []asking{{from: 30, trace: "a"}}, []Cause{{}}},
		"what is in the API's state": {exchanges{{0, 9, "", with(1), false}, {20, 90, "", with(2), false}}, []asking{{from: 30, values: with(1)}}, []Cause{{Seq: 2, By: ByTime}}},
		"late work there":            {exchanges{{0, 9, "", with(1), false}, {20, 90, "", with(2), false}}, []asking{{from: 30, values: with(1)}, {from: 95, values: with(2)}}, []Cause{{Seq: 1, By: ByValues}, {Seq: 2, By: ByValues}}},
		"late work, or its own":      {exchanges{{0, 9, "", with(1), false}, {20, 90, "", with(1, 2), false}}, []asking{{from: 30, values: with(1)}, {from: 95, values: with(2)}}, []Cause{{Seq: 2, By: ByTime}, {Seq: 2, By: ByValues}}},
		"long after":                 {exchanges{{0, 9, "", with(1), false}}, []asking{{from: 300, values: with(1)}}, []Cause{{}}},
	} {
		var incoming []Incoming
		for i, e := range c.of {
			incoming = append(incoming, Incoming{Seq: uint64(i + 1), Start: time.UnixMilli(int64(e.from)), End: time.UnixMilli(int64(e.to)), Carried: e.carried()})
		}
		var calls []Outgoing
		for _, x := range c.calls {
			calls = append(calls, Outgoing{&External{Exchange: Exchange{Start: time.UnixMilli(int64(x.from))}}, x.carried()})
		}
		got := Causes(incoming, calls)
		for i := range got {
			got[i].UnderWay = 0
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
