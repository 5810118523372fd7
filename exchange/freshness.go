package exchange

import (
	"strconv"
	"strings"
	"time"
)

// maxFreshness bounds what is taken for a time to live: a header may name any number.
const maxFreshness = 10 * 366 * 24 * time.Hour

// Freshness is how long an answer says that it may be kept from when it was sent, as RFC 9111, section 4.2.1, reads it:
// by Cache-Control (s-maxage before max-age), else by Expires and Date; less its Age. 0 where it says nothing, or that
// it may not be kept.
func (r *Response) Freshness() time.Duration {
	var kept time.Duration
	shared := false
	for directive := range strings.SplitSeq(strings.ToLower(r.Header.Get("Cache-Control")), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch name {
		case "no-store", "no-cache":
			return 0
		case "max-age", "s-maxage":
			if shared && name == "max-age" {
				continue
			}
			kept, shared = seconds(strings.Trim(value, `"`)), name == "s-maxage"
			if kept == 0 {
				return 0
			}
		}
	}
	if kept == 0 {
		until, ok := httpTime(r.Header.Get("Expires"))
		if !ok {
			return 0
		}
		from, ok := httpTime(r.Header.Get("Date"))
		if !ok {
			return 0
		}
		kept = until.Sub(from)
	}
	return min(max(kept-seconds(r.Header.Get("Age")), 0), maxFreshness)
}

// httpTime reads a date of HTTP in the three forms of RFC 9110, section 5.6.7.
func httpTime(text string) (time.Time, bool) {
	if text == "" {
		return time.Time{}, false
	}
	for _, form := range []string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC} {
		if t, err := time.Parse(form, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// seconds reads a number of seconds, 0 where it is none.
func seconds(text string) time.Duration {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return time.Duration(min(n, int64(maxFreshness/time.Second))) * time.Second
}
