package report

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

const (
	ellipsis = "…"
	cutOff   = "cut off" // in place of how long something took that never came to its end
)

// show returns s fit to be looked at, at most limit columns wide: a longer text ends in an ellipsis. What would not be
// seen, or would change how its neighbours are seen (controls, zero-width and bidirectional marks, odd spaces, bytes
// that are no UTF-8), is written as an escape.
func show(s string, limit int) string {
	out, _ := shorten(s, limit)
	return out
}

// shorten does what show promises, and says whether something was left out. It reads no more of s than it shows.
func shorten(s string, limit int) (out string, cut bool) {
	var b strings.Builder
	used, fits := 0, 0
	for rest := s; rest != ""; {
		piece, size := visible(rest)
		rest = rest[size:]
		used += columns(piece)
		if used > limit {
			return b.String()[:fits] + ellipsis, true
		}
		b.WriteString(piece)
		if used < limit {
			fits = b.Len()
		}
	}
	return b.String(), false
}

// showEnds is show for texts whose end tells as much as their beginning, as that of a path does: a longer text loses
// its middle.
func showEnds(s string, limit int) string {
	whole, cut := shorten(s, limit)
	if !cut {
		return whole
	}
	room := limit / 2
	from := max(0, len(s)-utf8.UTFMax*room)
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	var pieces []string
	for rest := s[from:]; rest != ""; {
		piece, size := visible(rest)
		pieces = append(pieces, piece)
		rest = rest[size:]
	}
	tail, used := "", 0
	for i := len(pieces) - 1; i >= 0 && used+columns(pieces[i]) <= room; i-- {
		tail = pieces[i] + tail
		used += columns(pieces[i])
	}
	return show(s, limit-used) + tail
}

// visible returns what to show for the first character of s, and how many bytes of s it stands for. Escapes are those
// of JSON, since most of what is shown is JSON.
func visible(s string) (piece string, size int) {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf(`\x%02x`, s[0]), 1
	case unicode.IsPrint(r):
		return s[:size], size
	case r == '\n':
		return `\n`, size
	case r == '\r':
		return `\r`, size
	case r == '\t':
		return `\t`, size
	case r > math.MaxUint16:
		return fmt.Sprintf(`\u{%x}`, r), size
	}
	return fmt.Sprintf(`\u%04x`, r), size
}

// columns returns how wide a terminal shows s. Combining marks count as one, so that no number of them makes a line
// that ends nowhere.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n++
		if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
			n++
		}
	}
	return n
}

// token shows a raw JSON token; one that had to be shortened says how long it is.
func token(raw json.RawMessage, limit int) string {
	out, cut := shorten(string(raw), limit)
	if !cut {
		return out
	}
	size := fmt.Sprintf(" (%d bytes)", len(raw))
	return show(string(raw), max(limit-len(size), 1)) + size
}

// percent returns a share, rounded up to two digits: a bound must not look better than it is.
func percent(share float64) string {
	switch p := share * 100; {
	case math.IsNaN(p) || p > 99:
		return "100 %"
	case p <= 0:
		return "0 %"
	case p < 0.1:
		return "0.1 %"
	case p < 10:
		return fmt.Sprintf("%.1f %%", math.Ceil(p*10-1e-9)/10)
	default:
		return fmt.Sprintf("%.0f %%", math.Ceil(p-1e-9))
	}
}

// clock returns a time to the second, in UTC.
func clock(t time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// took returns how long something lasted, and says where it never came to its end.
func took(from, to time.Time) string {
	if to.IsZero() {
		return cutOff
	}
	d := to.Sub(from)
	if d < 10*time.Second {
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// address returns scheme, host and path of a URL: user information and query may hold credentials.
func address(raw string, limit int) string {
	if raw == "" {
		return ""
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return "not readable"
	}
	return show((&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String(), limit)
}

// count returns a number with its noun: "1 run", "3 runs".
func count[N int | uint64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Share says how many of a whole there are, "3/10"; "-" of nothing.
func Share(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d", n, of)
}
