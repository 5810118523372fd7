package exchange

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// traceHeader is the header by which a request says to which trace it belongs (W3C Trace Context, section 3.2).
const traceHeader = "Traceparent"

// TraceID names what was set off by one request, at whatever service: 32 hexadecimal digits in lower case.
type TraceID string

// traceparent is version, trace-id, parent-id and flags (section 3.2.2), and what later versions than 00 add.
var traceparent = regexp.MustCompile(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$`)

// TraceID is the trace that a request says it belongs to; "" where it does not say, or not as W3C Trace Context wants it:
// no version is ff, and no id is all zeros.
func (r *Request) TraceID() TraceID {
	values := r.Header.Values(traceHeader)
	if len(values) != 1 {
		return ""
	}
	parts := traceparent.FindStringSubmatch(values[0])
	if parts == nil || parts[1] == "ff" || parts[1] == "00" && parts[4] != "" ||
		strings.Trim(parts[2], "0") == "" || strings.Trim(parts[3], "0") == "" {
		return ""
	}
	return TraceID(parts[2])
}

// Traced is an exchange that belongs to a trace: what of it tells which one made which.
type Traced struct {
	Seq        uint64
	Pass       int
	Start, End time.Time // by the recorder's clock
}

// maxTraced bounds the exchanges of one trace whose causes are looked for, in the square of their number.
const maxTraced = 1000

// TraceCauses returns, for each exchange of one trace, the position of the one that it was made for: the innermost of
// another pass that was under way when it began, as another pass is another recorder, before another service. It is 0
// where none was, where several were of which none is within the other, and in traces of more than a thousand. The
// times are those of the recorders' own clocks.
func TraceCauses(of []Traced) []uint64 {
	causes := make([]uint64, len(of))
	if len(of) > maxTraced {
		return causes
	}
	for i, x := range of {
		var around []Traced
		for _, y := range of {
			if y.Pass != x.Pass && y.under(x) {
				around = append(around, y)
			}
		}
		if len(around) == 0 {
			continue
		}
		inner := slices.MinFunc(around, func(a, b Traced) int { return a.End.Compare(b.End) })
		if !slices.ContainsFunc(around, func(y Traced) bool { return y.Start.After(inner.Start) }) {
			causes[i] = inner.Seq
		}
	}
	return causes
}

// under reports whether y was under way when x began; of two that began at once the one that ends later was there
// first.
func (y Traced) under(x Traced) bool {
	return y.Start.Before(x.Start) && y.End.After(x.Start) || y.Start.Equal(x.Start) && y.End.After(x.End)
}
