package build

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// minHost is the least length of an authority that is looked for in texts.
const minHost = 5

// minAgreeing is how many runs must agree before a value is taken to be made of a bound one.
const minAgreeing = 2

// carried asserts that the value of a place that moves is a value that an answer of the same test gave, or a text that
// holds one, where each run bears that out, or where no run could tell; raw is the recorded JSON token. It reports
// whether it did.
func (a *asserting) carried(f *mapfile.Field, place exchange.Place, raw string) bool {
	if a.mode != suite.Relax || !a.writable(place) {
		return false
	}
	value, isText := plan.TextOf(raw), raw != "" && raw[0] == '"'
	if t := a.dependence.texts[place]; t != nil {
		a.add(plan.Check{Kind: plan.CheckEqual, Place: place, Why: a.why(f, ""), Text: t})
		return true
	}
	for _, v := range slices.Backward(a.byValue[value]) { // the latest is the likeliest
		if v.Producer.Seq < a.e.Seq && a.context.gives(v) && a.follows(v, place, "\x00") {
			a.add(plan.Check{Kind: plan.CheckEqual, Place: place, Why: a.why(f, ""), Text: plan.Text{{Bound: v.Name}}})
			return true
		}
	}
	return a.askedFor(f, place, value) || isText && (a.ownHost(f, place, value) || a.holdsBound(f, place, value))
}

// askedFor asserts of an id that it is the one in the path of the request, where the path has it as it was recorded and
// all answers say so: it moves in other exchanges of the operation alone. It reports whether it did.
func (a *asserting) askedFor(f *mapfile.Field, place exchange.Place, value string) bool {
	path, _ := exchange.SplitTarget(a.e.Request.Target)
	taken := slices.ContainsFunc(a.session.Takes(a.e.Seq), func(t setup.Taken) bool { return t.Value == value })
	if taken || !idLike(place) || a.holdsSecret(value) || !slices.Contains(strings.Split(path, "/"), value) {
		return false
	}
	otherwise := func(r *exchange.Response) bool {
		raw, there := compare.At(r, place)
		return !there || plan.TextOf(raw) != value
	}
	if slices.ContainsFunc(a.answered(), otherwise) {
		return false
	}
	a.add(plan.Check{Kind: plan.CheckEqual, Place: place, Why: a.why(f, ""), Text: plan.Text{{Literal: value}}})
	return true
}

// holdsBound asserts of a text that it is the recorded one, but for a bound value in it.
func (a *asserting) holdsBound(f *mapfile.Field, place exchange.Place, value string) bool {
	path := afterAuthority(value)
	for i := len(a.src.Bindings) - 1; i >= 0; i-- {
		v := &a.src.Bindings[i]
		ref := exchange.Ref{Seq: a.e.Seq, Place: place}
		if v.Producer == ref || v.Producer.Seq > a.e.Seq || v.Value == path || !strings.Contains(path, v.Value) ||
			strings.Contains(path, "\x00") || !a.context.gives(v) {
			continue
		}
		template := strings.ReplaceAll(path, v.Value, "\x00")
		if a.holdsSecret(template) || !a.follows(v, place, template) {
			continue
		}
		c := plan.Check{Kind: plan.CheckEqual, Place: place, Why: a.why(f, ""),
			Text: templated(template, "\x00", plan.Piece{Bound: v.Name})}
		if scheme, own := a.beginsWithHost(place, value); own && path != value {
			c.Text = plan.Joined(append(plan.Text{{Literal: scheme}, {Host: true}}, c.Text...))
		} else {
			c.Suffix = path != value
		}
		a.add(c)
		return true
	}
	return false
}

// ownHost asserts that a text that moves is the recorded one with the host that was asked for in place of the recorded
// one, where each run bears that out. It reports whether it did.
func (a *asserting) ownHost(f *mapfile.Field, place exchange.Place, value string) bool {
	host := a.e.Request.Header.Get("Host")
	template := strings.ReplaceAll(value, host, "\x00")
	if len(host) < minHost || template == value || strings.Contains(value, "\x00") ||
		f.Holds.Echo != string(plan.HostPlace) || a.holdsSecret(template) ||
		!a.eachText(place, func(s, host string) bool { return s == strings.ReplaceAll(template, "\x00", host) }) {
		return false
	}
	var out plan.Text
	for _, p := range templated(template, "\x00", plan.Piece{Host: true}) {
		switch t, ok := a.context.templated(p.Literal); {
		case ok:
			out = append(out, t...)
		case a.context.holdsMade(p.Literal):
			return false
		default:
			out = append(out, p)
		}
	}
	a.add(plan.Check{Kind: plan.CheckEqual, Place: place, Why: a.why(f, ""), Text: plan.Joined(out)})
	return true
}

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

// eachText reports whether the texts of a place in the runs' answers of the recorded status all are as wanted. ok is
// given the text and the host that was asked for.
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
		s, isText := literal.FromJSON(raw)
		if !there || !isText || !ok(s, host) {
			return false
		}
	}
	return true
}

// templated puts a piece in place of each marker in a template.
func templated(template, marker string, p plan.Piece) plan.Text {
	var out plan.Text
	for i, text := range strings.Split(template, marker) {
		if i > 0 {
			out = append(out, p)
		}
		if text != "" {
			out = append(out, plan.Piece{Literal: text})
		}
	}
	return plan.Joined(out)
}

// withHost returns a text that names the host which a suite asks where it named the one that was asked: services make
// their links of it.
func withHost(t plan.Text, host string) plan.Text {
	if len(host) < minHost {
		return t
	}
	var out plan.Text
	for _, p := range t {
		if p.Literal == "" {
			out = append(out, p)
			continue
		}
		out = append(out, templated(p.Literal, host, plan.Piece{Host: true})...)
	}
	return plan.Joined(out)
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

// follows reports whether the value of a place was, in each run, the template with the bound value of that run in the
// place of each NUL; and whether these values moved at all.
func (a *asserting) follows(v *exchange.Binding, place exchange.Place, template string) bool {
	producer := a.steps[v.Producer.Seq]
	if producer == nil {
		return false
	}
	gave := map[int]string{}
	for _, o := range producer.Observations {
		if value, ok := message.Value(o.Response, v.Producer.Place); ok {
			gave[o.Run] = value
		}
	}
	agreeing, moved := 0, false
	for _, o := range a.step.Observations {
		want, ok := gave[o.Run]
		if !ok || o.Response == nil || o.Response.Status != a.e.Response.Status {
			continue
		}
		raw, ok := compare.At(o.Response, place)
		if !ok {
			return false
		}
		if s, isText := literal.FromJSON(raw); isText && raw[0] == '"' {
			raw = afterAuthority(s)
		}
		if raw != strings.ReplaceAll(template, "\x00", want) {
			return false
		}
		agreeing++
		moved = moved || want != v.Value
	}
	return agreeing >= minAgreeing && moved
}
