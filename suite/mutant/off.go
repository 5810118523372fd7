package mutant

import (
	"math/big"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// Off puts a value a little off: a number by one or by 0.01 %, a point in time by 3 seconds or an hour.
const Off Kind = "off"

// off puts numbers and points in time a little off. What Change makes of a stable number is no mutant once more.
func off() []fault {
	number := func(way string, edit func(n *big.Rat, decimals int) (string, bool)) fault {
		change := func(m Mutant, raw []byte) ([]byte, bool) {
			out, ok := editNumber(raw, edit)
			return out, ok && (m.Volatile || string(out) != string(nextNumber(raw)))
		}
		return little(way, change, func(m Mutant) string { return m.unlessVolatile(m.equality()) })
	}
	moment := func(way string, by time.Duration) fault {
		return little(way, func(_ Mutant, raw []byte) ([]byte, bool) { return later(raw, by) }, func(m Mutant) string {
			if m.Volatile {
				return "that it is within less than " + by.String() + " of the test's own clock, if it follows the clock"
			}
			return m.equality()
		})
	}
	share := number("0.01%", func(n *big.Rat, decimals int) (string, bool) {
		if decimals > 0 {
			decimals += 4
		}
		return n.Mul(n, big.NewRat(10001, 10000)).FloatString(decimals), true
	})
	ofStable := share.breaks
	share.breaks = func(m Mutant, v *seen, known Judgement) bool { return !known.Volatile && ofStable(m, v, known) }
	return []fault{
		number("+1", func(n *big.Rat, decimals int) (string, bool) {
			return n.Add(n, big.NewRat(1, 1)).FloatString(decimals), true
		}),
		number("-1", func(n *big.Rat, decimals int) (string, bool) {
			return n.Sub(n, big.NewRat(1, 1)).FloatString(decimals), true
		}),
		share, moment("3s", 3*time.Second), moment("1h", time.Hour),
	}
}

// little is a fault of a kind that shows in the value itself: there is one where the value that was seen becomes
// another.
func little(way string, token func(Mutant, []byte) ([]byte, bool), tells func(Mutant) string) fault {
	return fault{
		kind: Off, way: way, plausible: true, token: token, tells: tells,
		breaks: func(m Mutant, v *seen, _ Judgement) bool { return inBody(m) && v.becomesOther(m, token) },
	}
}

// maxDigits bounds the numbers that are put off.
const maxDigits = 40

// editNumber edits a raw number, which is neither long nor written with an exponent; it is another one then.
func editNumber(raw []byte, edit func(n *big.Rat, decimals int) (string, bool)) ([]byte, bool) {
	if !isNumber(raw) || len(raw) > maxDigits || strings.ContainsAny(string(raw), "eE") {
		return nil, false
	}
	n, ok := new(big.Rat).SetString(string(raw))
	if !ok {
		return nil, false
	}
	_, fraction, _ := strings.Cut(string(raw), ".")
	out, ok := edit(n, len(fraction))
	return []byte(out), ok && out != string(raw)
}

// isoMoment is a date and a time of day of ISO 8601, with what follows the seconds.
var isoMoment = regexp.MustCompile(`^"(\d{4}-\d\d-\d\d)([Tt ])(\d\d:\d\d:\d\d)([^"\\]*)"$`)

// later returns a point in time that is later by some time in the same notation: of ISO 8601, of HTTP, or a count of
// seconds or milliseconds since 1970, told by its number of digits.
func later(raw []byte, by time.Duration) ([]byte, bool) {
	if m := isoMoment.FindSubmatch(raw); m != nil {
		t, err := time.Parse("2006-01-02 15:04:05", string(m[1])+" "+string(m[3]))
		if err != nil {
			return nil, false
		}
		t = t.Add(by)
		return []byte(`"` + t.Format("2006-01-02") + string(m[2]) + t.Format("15:04:05") + string(m[4]) + `"`), true
	}
	if raw[0] == '"' {
		t, err := http.ParseTime(strings.Trim(string(raw), `"`))
		return []byte(`"` + t.Add(by).UTC().Format(http.TimeFormat) + `"`), err == nil
	}
	whole, _, _ := strings.Cut(string(raw), ".")
	unit := time.Second
	switch {
	case len(whole) == 13:
		unit = time.Millisecond
	case len(whole) != 10:
		return nil, false
	}
	return editNumber(raw, func(n *big.Rat, decimals int) (string, bool) {
		return n.Add(n, big.NewRat(int64(by/unit), 1)).FloatString(decimals), n.Sign() > 0
	})
}
