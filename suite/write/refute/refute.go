package refute

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// Answer is an answer that checks are held against.
type Answer struct {
	*exchange.Response
	At      time.Time         // when it came, by the clock of the API
	Host    string            // the authority that was asked; "" where it is not known
	Bound   map[string]string // what answers of the test had given by then, by name
	Secrets map[string]string // by token
}

// Weaken leaves of checks of a recorded answer what another one bears. Checks that it contradicts are given the reason
// why, where they have none.
func Weaken(checks []plan.Check, recorded *exchange.Response, a Answer, why string) []plan.Check {
	w := &weakening{Answer: a, recorded: recorded, at: Values(a.Response), why: why}
	payload, err := a.Payload()
	w.payload, w.unread = payload, err != nil
	for _, c := range checks {
		w.asserted = append(w.asserted, c.Place)
	}
	var out []plan.Check
	for _, c := range checks {
		if c.Kind != plan.CheckStatus && a.Status != w.only(c) {
			out = append(out, c)
			continue
		}
		out = append(out, w.check(c)...)
	}
	return out
}

// weakening holds checks against one answer.
type weakening struct {
	Answer
	recorded *exchange.Response
	at       func(exchange.Place) []string // the raw tokens at a place
	payload  []byte
	unread   bool // the payload cannot be read
	asserted []exchange.Place
	why      string
}

// only is the status of the answers that a check is made of.
func (w *weakening) only(c plan.Check) int {
	if c.If != 0 {
		return c.If
	}
	return w.recorded.Status
}

// check is what is left of a check. No plan has one of the kind [plan.CheckCommon].
func (w *weakening) check(c plan.Check) []plan.Check {
	switch c.Kind {
	case plan.CheckStatus:
		return w.status(c)
	case plan.CheckHeader, plan.CheckCookie:
		return w.header(c)
	case plan.CheckEmpty, plan.CheckText, plan.CheckDigest, plan.CheckSize, plan.CheckOutline, plan.CheckJSON:
		if w.unread {
			return []plan.Check{c}
		}
		return w.body(c)
	case plan.CheckItems:
		return w.items(c)
	case plan.CheckEqual:
		return w.equal(c)
	case plan.CheckHolds:
		return []plan.Check{w.holds(c)}
	case plan.CheckRelated:
		if Related(c, w.Answer) {
			return nil
		}
	case plan.CheckHash:
		if !w.hashed(c) {
			return nil
		}
	}
	return []plan.Check{c}
}

// because gives a check the reason.
func (w *weakening) because(c plan.Check) plan.Check {
	if c.Why == "" {
		c.Why = w.why
	}
	return c
}

// comment is a check that says why nothing is asserted.
func (w *weakening) comment(c plan.Check) []plan.Check {
	return []plan.Check{w.because(plan.Check{Kind: plan.CheckHolds, Place: c.Place, Why: c.Why, If: c.If, Optional: true})}
}

// typed is a check of the types that the recorded and this answer have at the place of another check.
func (w *weakening) typed(c plan.Check) []plan.Check {
	found := w.at(c.Place)
	out := plan.Check{Kind: plan.CheckHolds, Place: c.Place, Why: c.Why, If: c.If,
		Optional: len(found) == 0 || strings.Contains(string(c.Place), "/*")}
	var kinds []string
	for _, raw := range append(Values(w.recorded)(c.Place), found...) {
		if raw != "" {
			kinds = append(kinds, plan.KindOf(raw))
		}
	}
	out.Holds.Type = TypeOf(kinds)
	return []plan.Check{w.because(out)}
}

func (w *weakening) status(c plan.Check) []plan.Check {
	if len(c.Statuses) > 0 && !slices.Contains(c.Statuses, w.Status) {
		c.Statuses = append(slices.Clone(c.Statuses), w.Status)
		c = w.because(c)
	}
	return []plan.Check{c}
}

// header holds a header, or a cookie that is set, against the answer.
func (w *weakening) header(c plan.Check) []plan.Check {
	lines := w.Header.Values(strings.Join(c.Place.Segments()[1:], "/"))
	if c.Kind == plan.CheckCookie {
		name, known := w.filled(c.Name)
		sets := func(line string) bool {
			n, _, _ := strings.Cut(line, "=")
			return strings.TrimSpace(wire.Latin1(n)) == name
		}
		if known && !slices.ContainsFunc(lines, sets) {
			return w.comment(c)
		}
		return []plan.Check{c}
	}
	same := len(lines) == len(c.Lines)
	for i := 0; same && i < len(lines); i++ {
		want, known := w.filled(c.Lines[i])
		same = !known || want == wire.Latin1(lines[i])
	}
	if same {
		return []plan.Check{c}
	}
	return w.typed(c)
}

// equal holds a text against the answer.
func (w *weakening) equal(c plan.Check) []plan.Check {
	want, known := w.filled(c.Text)
	if !known {
		return []plan.Check{c}
	}
	found := w.at(c.Place)
	is := func(raw string) bool {
		text := plan.TextOf(raw)
		return text == want || c.Suffix && strings.HasSuffix(text, want)
	}
	otherwise := func(raw string) bool { return !is(raw) }
	switch {
	case c.Extent == plan.Among:
		if slices.ContainsFunc(found, is) {
			return []plan.Check{c}
		}
		return w.comment(c)
	case len(found) == 0, slices.ContainsFunc(found, otherwise):
		return w.typed(c)
	}
	return []plan.Check{c}
}

// holds leaves of what a check says of values no more than the type where one is otherwise. How near a time is to the
// clock, Near tells: no plan has a Clock.
func (w *weakening) holds(c plan.Check) plan.Check {
	found := w.at(c.Place)
	c.Optional = c.Optional || len(found) == 0
	for _, raw := range found {
		if c.Near != nil && !w.near(*c.Near, raw) {
			c.Near = nil
			c = w.because(c)
		}
		says := c.Holds
		says.Clock = 0
		err := says.Satisfied(raw, time.Time{})
		if err == nil && raw[0] == '[' && (c.Holds.MinLength != nil || c.Holds.MaxLength != nil) {
			if n, ok := elements(raw); ok {
				err = c.Holds.SatisfiedLength(n)
			}
		}
		if err == nil {
			continue
		}
		c = w.because(c)
		c.Holds = mapfile.Holds{Type: c.Holds.Type}
		if c.Holds.Satisfied(raw, time.Time{}) != nil {
			c.Holds.Type = TypeOf(append(strings.Split(c.Holds.Type, "|"), plan.KindOf(raw)))
		}
	}
	return c
}

// near reports whether a value is a time that lies as it should from its answer, or is null.
func (w *weakening) near(n plan.Near, raw string) bool {
	made := w.At
	if date, has := notation.TextMoment(w.Header.Get("Date")); has {
		made = date.At
	}
	within := mapfile.Holds{Clock: n.Within}
	return within.Satisfied(raw, made.Add(time.Duration(n.After)*time.Second)) == nil
}

// hashed reports whether a digest is there, or cannot be told.
func (w *weakening) hashed(c plan.Check) bool {
	content, known := "", false
	switch {
	case len(c.Given) > 0:
		content, known = w.filled(c.Given[0])
	case len(c.Of) > 0 && c.Of[0] == exchange.PlaceBody:
		content, known = string(w.payload), !w.unread
	case len(c.Of) > 0:
		if found := w.at(c.Of[0]); len(found) == 1 {
			content, known = plan.TextOf(found[0]), true
		}
	}
	found := w.at(c.Place)
	return !known || len(found) == 1 && plan.InText(plan.TextOf(found[0]), c.Hash.Of([]byte(content)), c.Length)
}

// filled is a text with its values; false where one of them is not known.
func (a *Answer) filled(t plan.Text) (string, bool) {
	var b strings.Builder
	for _, p := range t {
		value, known := p.Literal, true
		switch {
		case p.Bound != "":
			value, known = a.Bound[p.Bound]
		case p.Secret != "":
			value, known = a.Secrets[p.Secret]
		case p.Host:
			value, known = a.Host, a.Host != ""
		}
		if !known {
			return "", false
		}
		b.WriteString(p.Escape.Apply(value))
	}
	return b.String(), true
}

// digest is the SHA-256 of bytes in hex.
func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
