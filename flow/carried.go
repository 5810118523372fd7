package flow

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
)

// maxCarried bounds the values of one request by which the API's calls for it are told.
const maxCarried = 256

// minDigits is the least length of a number by which a call is told: shorter ones are amounts and counts.
const minDigits = 8

// Carried returns what a request carries that may come back in what the API asks for it. Its values are those of the
// target, the header and the body, and those within them, that are distinctive: ids, tokens, addresses of mail, long
// numbers; no words, no times, and nothing that is named as a secret. Their case does not matter.
func Carried(r *exchange.Request) exchange.Carried {
	more := r.Malformed || r.Cut > 0 || r.Header.Has("Content-Encoding") && !r.Plain
	c := exchange.Carried{Trace: r.TraceID(), More: more}
	seen := map[uint64]bool{}
	var look func(sites []message.Site, depth int)
	look = func(sites []message.Site, depth int) {
		for i := range sites {
			s := &sites[i]
			if exchange.Secret(s.Place) || s.Form == message.InHeader && !carriedField(s.Name) {
				continue
			}
			if distinctive(s.Value) {
				seen[hash(strings.ToLower(s.Value))] = true
			}
			if len(seen) > maxCarried {
				c.More = true
				return
			}
			if depth < message.MaxNested {
				look(message.Nested(s), depth+1)
			}
		}
	}
	look(message.Sites(r), 0)
	for v := range seen {
		c.Values = append(c.Values, v)
	}
	slices.Sort(c.Values)
	return c
}

// Incoming returns an exchange as [exchange.Causes] looks at it: when it was under way, and what was sent.
func Incoming(seq uint64, start time.Time, took time.Duration, sent *exchange.Request) exchange.Incoming {
	return exchange.Incoming{Seq: seq, Start: start, End: start.Add(took), Carried: Carried(sent)}
}

// carriedField reports whether a header field may say what a request is about. A trace is looked at by itself.
func carriedField(name string) bool {
	return !message.OrdinaryField(name) && !strings.EqualFold(name, "traceparent") && !strings.EqualFold(name, "tracestate")
}

// dated is how times and dates begin, as texts and as digits.
var dated = regexp.MustCompile(`^(?:\d{4}-\d\d-\d\d|\d\d?:\d\d|(?:19|20)\d{6}(?:\d{6})?$|1\d{9}(?:\d{3})?(?:\d{3})?$)`)

// distinctive reports whether two requests have a value in common for no other reason than that one was made for the
// other.
func distinctive(v string) bool {
	if !words.Particular(v) || dated.MatchString(v) || message.IsURL(v) {
		return false
	}
	digits := strings.Trim(v, "0123456789") == ""
	return !digits || len(v) >= minDigits && !strings.HasSuffix(v, "000")
}
