package volatility

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
	"github.com/flaketap/flaketap/volatility/request"
)

// maxCaptures bounds the captures of a pattern that are listed; a pattern of more gaps has none.
const maxCaptures = 16

// minSeen is how many fillings of a gap it takes for them to be said to be the request's.
const minSeen = 3

// captures names what the gaps of the template hold.
func (t *fieldStats) captures() []mapfile.Capture {
	gaps := t.values.template.Gaps()
	if len(gaps) > maxCaptures {
		return nil
	}
	var out []mapfile.Capture
	for _, g := range gaps {
		c := mapfile.Capture{Is: filling(g)}
		if len(g.Seen) >= minSeen {
			c.Echo = t.links.inText.of(g.Before)
		}
		out = append(out, c)
	}
	return out
}

var fillings = []struct {
	name string
	form func() *regexp.Regexp
}{
	{"number", lazy.Regexp(`^-?\d+(\.\d+)?$`)},
	{"date", lazy.Regexp(`^\d{4}-\d\d-\d\d$`)},
	{"time", lazy.Regexp(`^(\d{4}-\d\d-\d\d[Tt ])?\d\d?:\d\d(:\d\d([.,]\d+)?)?([Zz]|[+-]\d\d:?\d\d)?$`)},
	{"uuid", lazy.Regexp(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)},
	{"hex", lazy.Regexp(`^[0-9a-fA-F]{4,}$`)},
	{"duration", lazy.Regexp(`^([0-9.]+(ns|us|µs|μs|ms|s|m|h|d))+$`)},
	{"word", lazy.Regexp(`^\pL+$`)},
}

// filling names what a gap was seen to hold.
func filling(g compare.Gap) string {
	for _, f := range fillings {
		if len(g.Seen) > 0 && !slices.ContainsFunc(g.Seen, func(s string) bool { return !f.form().MatchString(s) }) {
			return f.name
		}
	}
	return "text"
}

// inText narrows the places of the request whose value every text holds, by what stands before it there.
type inText struct{ candidates[textEcho] }

type textEcho struct {
	place  exchange.Place
	before string // the word before the value, and what is between them
}

// maxEchoed bounds, in bytes, the texts that are searched for values of the request.
const maxEchoed = 512

// follow takes one text in, with the request that it answers.
func (c *inText) follow(v notation.Scalar, e request.Values) {
	if !c.alive() {
		return
	}
	var fit []textEcho
	if v.Kind == notation.String && len(v.Text) <= maxEchoed && strings.ContainsAny(v.Text, " /") {
		for value, places := range e {
			if len(value) < len(v.Text) && holdsWord(v.Text, value) {
				for _, before := range wordsBefore(v.Text, value) {
					for _, p := range places {
						fit = append(fit, textEcho{p, before})
					}
				}
			}
		}
	}
	slices.SortFunc(fit, func(a, b textEcho) int {
		return cmp.Or(cmp.Compare(a.place, b.place),
			cmp.Compare(a.before, b.before))
	})
	c.narrow(fit)
}

// of returns the place whose value stands in the gap after some text, "" where none does.
func (c *inText) of(before string) exchange.Place {
	for _, x := range c.list {
		worded := strings.ContainsFunc(x.before, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
		if x.before == before || worded && strings.HasSuffix(before, x.before) {
			return x.place
		}
	}
	return ""
}

// maxOccurrences bounds how often a value is looked for in one text: an id of one digit also stands in an address.
const maxOccurrences = 8

// wordsBefore returns the word before a value, up to the value, wherever a text holds it as a word.
func wordsBefore(s, value string) []string {
	var out []string
	for from := 0; from < len(s) && len(out) < maxOccurrences; {
		i := strings.Index(s[from:], value)
		if i < 0 {
			break
		}
		at := from + i
		from = at + 1
		if end := at + len(value); notation.WordByteAt(s, at-1) || end < len(s) && notation.WordByteAt(s, end) {
			continue
		}
		begin := at
		for begin > 0 && !notation.WordByteAt(s, begin-1) {
			begin--
		}
		for begin > 0 && notation.WordByteAt(s, begin-1) {
			begin--
		}
		out = append(out, s[begin:at])
	}
	return out
}
