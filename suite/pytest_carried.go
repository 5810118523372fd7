package suite

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/compare"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
)

// minHost is the least length of an authority that is looked for in texts.
const minHost = 5

// minTold is how many runs must agree before a value is taken to be made of a bound one.
const minTold = 2

// carried asserts that the value l of a place that moves is a value that an answer gave, or a text that holds one, where
// each run bears that out; raw is the recorded JSON token. It reports whether it did.
func (a *asserting) carried(place exchange.Place, raw, l string) bool {
	value, isText := jsonText(raw)
	if !isText || raw[0] != '"' {
		value = raw
	}
	for _, b := range slices.Backward(a.byValue[value]) { // the latest is the likeliest
		if b.Producer.Seq < a.e.Seq && a.follows(b, place, "\x00") {
			if place.Root() == "body" {
				l = "text_of(" + l + ")"
			}
			a.out = append(a.out, "assert "+l+" == bound["+pyString(b.Name)+"]")
			return true
		}
	}
	if !isText || a.mode != Relax {
		return false
	}
	if a.ownHost(place, value, l) {
		return true
	}
	path := afterAuthority(value)
	for i := len(a.src.Bindings) - 1; i >= 0; i-- {
		b := &a.src.Bindings[i]
		ref := exchange.Ref{Seq: a.e.Seq, Place: place}
		if b.Producer == ref || b.Producer.Seq > a.e.Seq || b.Value == path || !strings.Contains(path, b.Value) {
			continue
		}
		template := strings.ReplaceAll(path, b.Value, "\x00")
		if a.holdsSecret(template) || !a.follows(b, place, template) {
			continue
		}
		pieces := templatePieces(template, "bound["+pyString(b.Name)+"]")
		scheme, own := a.beginsWithHost(place, value)
		switch {
		case path == value:
			a.out = append(a.out, "assert "+l+" == "+pyText(join(pieces)))
		case own:
			pieces = append([]piece{{scheme, false}, {"res.host", true}}, pieces...)
			a.out = append(a.out, "assert "+l+" == "+pyText(join(pieces)))
		default:
			a.out = append(a.out, "assert "+l+".endswith("+pyText(join(pieces))+")")
		}
		return true
	}
	return false
}

// ownHost asserts that a text that moves is the recorded one with the host that was asked for in place of the recorded
// one, where each run bears that out. It reports whether it did.
func (a *asserting) ownHost(place exchange.Place, value, l string) bool {
	host := a.e.Request.Header.Get("Host")
	template := strings.ReplaceAll(value, host, "\x00")
	f := a.op.At(place)
	if len(host) < minHost || template == value || f == nil || f.Holds.Echo != string(hostPlace) || a.holdsSecret(template) ||
		!a.eachText(place, func(s, host string) bool { return s == strings.ReplaceAll(template, "\x00", host) }) {
		return false
	}
	a.out = append(a.out, "assert "+l+" == "+pyText(join(templatePieces(template, "res.host"))))
	return true
}

// hostPlace is the authority that the client asked for, as [volatility.Holds] names it.
var hostPlace = exchange.HeaderPlace("Host")

// beginsWithHost reports whether a text is, in the recording and in each run, a URL of the host that was asked for, and
// what stands before that host.
func (a *asserting) beginsWithHost(place exchange.Place, value string) (scheme string, ok bool) {
	host := a.e.Request.Header.Get("Host")
	i := strings.Index(value, "://")
	if i < 0 || host == "" || !strings.HasPrefix(value[i+3:], host+"/") {
		return "", false
	}
	scheme = value[:i+3]
	return scheme, a.eachText(place, func(s, host string) bool { return strings.HasPrefix(s, scheme+host+"/") })
}

// eachText reports whether the texts of a place in the runs' answers of the recorded status all are as wanted. ok is given
// the text and the host that was asked for.
func (a *asserting) eachText(place exchange.Place, ok func(s, host string) bool) bool {
	for _, o := range a.step.Observations {
		if o.Response == nil || o.Response.Status != a.e.Response.Status {
			continue
		}
		host := o.Sent.Header.Get("Host")
		if host == "" { // not kept by the source
			host = a.e.Request.Header.Get("Host")
		}
		raw, there := compare.At(o.Response, place)
		s, isText := jsonText(raw)
		if !there || !isText || !ok(s, host) {
			return false
		}
	}
	return true
}

// templatePieces puts an expression in place of each NUL of a template.
func templatePieces(template, expr string) []piece {
	var out []piece
	for i, text := range strings.Split(template, "\x00") {
		if i > 0 {
			out = append(out, piece{expr, true})
		}
		if text != "" {
			out = append(out, piece{text, false})
		}
	}
	return out
}

// afterAuthority returns an absolute URL from its path on: where the API is may differ from run to run.
func afterAuthority(s string) string {
	for _, scheme := range []string{"http://", "https://"} {
		if rest, ok := strings.CutPrefix(s, scheme); ok {
			if i := strings.IndexByte(rest, '/'); i >= 0 {
				return rest[i:]
			}
		}
	}
	return s
}

// follows reports whether, in each run that tells, a place had the value that the binding's producer gave in it, put
// into the template in place of each NUL; and whether these values moved at all.
func (a *asserting) follows(b *exchange.Binding, place exchange.Place, template string) bool {
	producer := a.steps[b.Producer.Seq]
	if producer == nil {
		return false
	}
	gave := map[int]string{}
	for _, o := range producer.Observations {
		if v, ok := flow.Value(o.Response, b.Producer.Place); ok {
			gave[o.Run] = v
		}
	}
	told, moved := 0, false
	for _, o := range a.step.Observations {
		want, ok := gave[o.Run]
		if !ok || o.Response == nil || o.Response.Status != a.e.Response.Status {
			continue
		}
		raw, ok := compare.At(o.Response, place)
		if !ok {
			return false
		}
		if s, isText := jsonText(raw); isText && raw[0] == '"' {
			raw = afterAuthority(s)
		}
		if raw != strings.ReplaceAll(template, "\x00", want) {
			return false
		}
		told++
		moved = moved || want != b.Value
	}
	return told >= minTold && moved
}
