package suite

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/slip"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// mendSlips has the calls of a test send what the session sent, where the generator wrote that otherwise and assertions
// fail for it. It reports whether there were any.
func (p *patcher) mendSlips(t *script.Test) bool {
	found, lang := p.slipsOf(t), p.script.Writer.Graft
	for _, x := range found.calls {
		c := t.Calls[x.Call]
		change := Change{Kind: Mended, Category: mapfile.GenErr}
		if c.Body != x.Body {
			change.Place = exchange.PlaceBody
			p.resend(&change, c.BodyAt, lang.Body(p.script, c, []script.TextPart{{Text: x.Body}}))
		}
		for _, h := range x.Headers {
			if h.Value == h.Sent {
				continue
			}
			change.Place = cmp.Or(change.Place, exchange.HeaderPlace(strings.ToLower(h.Name)))
			p.resend(&change, h.At, lang.Header(p.script, c, []script.TextPart{{Text: h.Sent}}))
		}
		if change.Before == "" {
			continue // an earlier patch did, and the executions are those of before
		}
		change.Reason = p.slipReason(t, &x)
		p.before(c.At, p.script.Comment(change.Reason+"; "+string(mapfile.GenErr)))
		p.change(change, t, c.Line)
	}
	return len(found.calls) > 0
}

// resend writes what a request sends anew.
func (p *patcher) resend(change *Change, at script.Span, text string) {
	if change.Before != "" {
		change.Before, change.After = change.Before+"\n", change.After+"\n"
	}
	change.Before += p.script.Text[at.Start:at.End]
	change.After += text
	p.edits = append(p.edits, script.Edit{Start: at.Start, End: at.End, Text: text})
}

// slipReason says what a call sends otherwise than the session did, and where that shows.
func (p *patcher) slipReason(t *script.Test, x *slip.Slip) string {
	var parts []string
	switch {
	case x.Was == x.Body:
	case slip.Filled([]rune(x.Was)) == slip.Filled([]rune(x.Body)):
		parts = append(parts, "the body without the generator's blanks")
	default:
		parts = append(parts, "the body, which the generator wrote anew")
	}
	for _, h := range x.Headers {
		parts = append(parts, fmt.Sprintf("%s: %s for %s", strings.ToLower(h.Name), h.Sent, h.Was))
	}
	var places []string
	for _, a := range t.Assertions {
		if place := string(a.Place); p.slipsOf(t).explained[a] && !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	if len(places) > maxSeen {
		places = append(places[:maxSeen], "…")
	}
	return fmt.Sprintf("sent as the session did (%s), where what is said of %s held", strings.Join(parts, ", "),
		strings.Join(places, ", "))
}
