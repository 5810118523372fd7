package volatility

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestNoMonthIsSpelled: a date is not said to be of the month, or the weekday, that the recording and its runs share.
func TestNoMonthIsSpelled(t *testing.T) {
	for _, layout := range []string{"Mon Jan _2 15:04:05 MST 2006", "Monday, 02-Jan-06 15:04:05 MST"} {
		a := &api{runs: 10, steps: 3, answer: func(c call) answer { return body(`{"v":%q}`, c.at.AddDate(0, 0, 6).Format(layout)) }}
		f := field(t, a.judge(t), "/body/v")
		later := moment0.Add(40 * 24 * time.Hour)
		if what := violates(f.Holds, fmt.Sprintf("%q", later.AddDate(0, 0, 6).Format(layout)), later); f.Category != mapfile.Time || what != "" {
			t.Errorf("%s: %s %s, 40 days later not so: %s", layout, f.Category, f.Holds.Pattern, what)
		}
	}
}

// TestShownByChance: of strings that are drawn, one in a few has no digit, or no letter. They are what they are all the
// same; words are not.
func TestShownByChance(t *testing.T) {
	draw := func(r *rand.Rand, n int, from string) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = from[r.IntN(len(from))]
		}
		return string(b)
	}
	const hex, letters = "0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for name, c := range map[string]struct {
		draw     func(r *rand.Rand) string
		odd      string // what one of the runs answers
		format   string
		category mapfile.Category
	}{
		"hex":       {func(r *rand.Rand) string { return draw(r, 16, hex) }, "1234567812345678", "hex", mapfile.Rand},
		"base64url": {func(r *rand.Rand) string { return draw(r, 22, letters) }, "abcdefghijklmnopqrstuv", "base64url", mapfile.Rand},
		"words": {func(r *rand.Rand) string {
			return []string{"accommodations01", "characterization", "representational"}[r.IntN(3)]
		}, "responsibilities", "", mapfile.Rand},
	} {
		for odd := range 11 {
			a := &api{runs: 10, steps: 1, answer: func(call call) answer {
				if call.run == odd {
					return body(`{"v":%q}`, c.odd)
				}
				return body(`{"v":%q}`, c.draw(call.rng))
			}}
			f := field(t, a.judge(t), "/body/v")
			if got := f.Holds.Canonical().Format; got != c.format || f.Category != c.category {
				t.Errorf("%s, odd in run %d: format %q, %s %v", name, odd, got, f.Category, f.Evidence)
			}
		}
	}
}

// TestKeysShownByChance: keys that are drawn are data, those too that have a digit too few to look it.
func TestKeysShownByChance(t *testing.T) {
	a := &api{runs: 10, steps: 2, answer: func(c call) answer {
		odd := []string{"pizuuHIPSXbYCwaV", "qajFdLFKtTxXRmnB"}[c.rng.IntN(2)]
		return body(`{"by":{"%016x":{"n":1},%q:{"n":2}}}`, c.rng.Uint64(), odd)
	}}
	for _, op := range a.judge(t).Operations {
		for _, f := range op.Fields {
			if strings.HasPrefix(string(f.Place), "/body/by/") && !strings.HasPrefix(string(f.Place), "/body/by/*") {
				t.Errorf("%s is a place of its own", f.Place)
			}
		}
	}
}
