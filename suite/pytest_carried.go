package suite

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/compare"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
)

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
		expr := pyText(join(templatePieces(template, "bound["+pyString(b.Name)+"]")))
		if path != value {
			a.out = append(a.out, "assert "+l+".endswith("+expr+")")
		} else {
			a.out = append(a.out, "assert "+l+" == "+expr)
		}
		return true
	}
	return false
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
