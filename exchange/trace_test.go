package exchange

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	someTrace  = "4bf92f3577b34da6a3ce929d0e0e4736"
	someParent = "00f067aa0ba902b7"
)

func TestTraceID(t *testing.T) {
	good := "00-" + someTrace + "-" + someParent + "-01"
	for header, want := range map[string]TraceID{
		"traceparent: " + good: someTrace,
		"TraceParent: " + good: someTrace,
		"traceparent: cc-" + someTrace + "-" + someParent + "-01-more":             someTrace,
		"traceparent: cc-" + someTrace + "-" + someParent + "-01":                  someTrace,
		"traceparent: " + good + "\r\ntraceparent: " + good:                        "",
		"traceparent: " + good + "-more":                                           "",
		"traceparent: cc-" + someTrace + "-" + someParent + "-01more":              "",
		"traceparent: ff-" + someTrace + "-" + someParent + "-01":                  "",
		"traceparent: 00-" + strings.ToUpper(someTrace) + "-" + someParent + "-01": "",
		"traceparent: 00-" + strings.Repeat("0", 32) + "-" + someParent + "-01":    "",
		"traceparent: 00-" + someTrace + "-" + strings.Repeat("0", 16) + "-01":     "",
		"traceparent: 00-" + someTrace[:31] + "-" + someParent + "a-01":            "",
		"traceparent: 00-" + someTrace + "-" + someParent + "-0":                   "",
		"traceparent: " + strings.Repeat("-", 55):                                  "",
		"traceparent:":                  "",
		"tracestate: congo=t61rcWkgMzE": "",
		"traceparent: 00_" + someTrace + "_" + someParent + "_01": "",
		"traceparent: zz-" + someTrace + "-" + someParent + "-01": "",
		"traceparent: 00-" + someTrace + "-" + someParent + "-xx": "",
	} {
		r := ParseRequest(Message{Head: fmt.Appendf(nil, "GET / HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n", header)})
		if got := r.TraceID(); got != want {
			t.Errorf("%q: %q, want %q", header, got, want)
		}
	}
}

// A call was made for the innermost exchange of another recorder that was under way; where two overlap, nobody knows.
func TestTraceCauses(t *testing.T) {
	at := func(seq uint64, pass, from, to int) Traced {
		return Traced{Seq: seq, Pass: pass, Start: time.UnixMilli(int64(from)), End: time.UnixMilli(int64(to))}
	}
	for name, c := range map[string]struct {
		of   []Traced
		want []uint64
	}{
		"one within the other":   {[]Traced{at(1, 1, 0, 90), at(7, 2, 10, 80), at(9, 3, 20, 30)}, []uint64{0, 1, 7}},
		"two of one":             {[]Traced{at(1, 1, 0, 90), at(7, 2, 10, 20), at(9, 3, 30, 40)}, []uint64{0, 1, 1}},
		"two at once":            {[]Traced{at(1, 1, 0, 50), at(2, 1, 10, 90), at(9, 2, 20, 30)}, []uint64{0, 0, 0}},
		"one of the own pass":    {[]Traced{at(1, 1, 0, 50), at(2, 1, 10, 20)}, []uint64{0, 0}},
		"after the end":          {[]Traced{at(1, 1, 0, 10), at(2, 2, 10, 20)}, []uint64{0, 0}},
		"begun at the same time": {[]Traced{at(1, 1, 0, 90), at(2, 2, 0, 10)}, []uint64{0, 1}},
		"at the very same time":  {[]Traced{at(1, 1, 0, 10), at(2, 2, 0, 10)}, []uint64{0, 0}},
		"it goes on for longer":  {[]Traced{at(1, 1, 0, 10), at(2, 2, 5, 90)}, []uint64{0, 1}},
	} {
		if got := TraceCauses(c.of); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if got := TraceCauses(slices.Repeat([]Traced{at(1, 1, 0, 9), at(2, 2, 1, 2)}, maxTraced)); slices.Max(got) != 0 {
		t.Error("a trace of thousands has causes")
	}
}
