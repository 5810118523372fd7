package steady

import (
	"bytes"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/internal/jsontree"
	"github.com/flaketap/flaketap/internal/wire"
)

// learn takes from an answer what later requests will need. What is in no array comes first: it helps to tell elements
// apart.
func (a *answering) learn() {
	produced, live := a.s.produced[a.step.seq], a.e.Response
	element := func(b *exchange.Binding) bool { return inArray(b.Producer.Place) }
	for _, b := range produced {
		if !element(b) {
			a.bind(b, live)
		}
	}
	if slices.ContainsFunc(produced, element) {
		live = a.inRecordedOrder()
		for _, b := range produced {
			if element(b) {
				a.bind(b, live)
			}
		}
	}
	a.s.carrier.Learn(a.step.seq, live)
}

// inArray reports whether a place may be within an array.
func inArray(p exchange.Place) bool {
	return p.Root() == "body" && slices.ContainsFunc(p.Segments(), func(s string) bool {
		return s != "" &&
			strings.Trim(s, "0123456789") == ""
	})
}

// bind notes what stands now for a value that later requests use.
func (a *answering) bind(b *exchange.Binding, live *exchange.Response) {
	value, ok := a.given(b, live)
	if !ok || value == "" {
		return
	}
	a.s.names.bind(b.Value, value)
	a.s.names.put(b.Value, value, timed(a.judged.at(b.Producer.Place)))
}

// given returns the live value of a binding. Of several cookies of one name it is that of the one that was recorded
// with its value.
func (a *answering) given(b *exchange.Binding, live *exchange.Response) (value string, ok bool) {
	place := b.Producer.Place
	if !place.Within(exchange.HeaderPlace(setCookie)) {
		return message.Value(live, place)
	}
	then, now := cookiesOf(a.rec.Response.Head), cookiesOf(live.Head)
	for j, i := range pairCookies(then, now) {
		if i < 0 {
			continue
		}
		if was, ok := message.Value(only(then[i]), place); ok && was == b.Value {
			return message.Value(only(now[j]), place)
		}
	}
	return "", false
}

// only returns an answer that sets one cookie.
func only(cookie string) *exchange.Response {
	return &exchange.Response{Header: wire.Fields{{Name: "Set-Cookie", Value: cookie}}}
}

// inRecordedOrder returns the live answer with the elements of its arrays where those stand in the recorded one that
// they are.
func (a *answering) inRecordedOrder() *exchange.Response {
	live := a.e.Response
	recorded, errR := a.rec.Response.Payload()
	payload, errL := live.Payload()
	if errR != nil || errL != nil || a.rec.Response.Cut > 0 || bytes.Equal(recorded, payload) {
		return live
	}
	m := a.trees(recorded, payload)
	if m == nil || m.r == nil || m.l == nil {
		return live
	}
	out := *live
	out.Message = exchange.Message{Head: live.Head, Body: []byte(m.inRecordedOrder(whole, m.r, m.l)), Plain: true}
	return &out
}

// inRecordedOrder returns a live value with each element of its arrays at the index that it was recorded at. In the
// place of one that is not there is an empty object, which gives nothing; what is there more stands behind.
func (m *merging) inRecordedOrder(p at, r, l *jsontree.Node) string {
	switch {
	case r.Kind == '{' && l.Kind == '{':
		recorded := r.Index()
		out := make([]splice, len(l.Children))
		for i := range l.Children {
			out[i].value = l.Children[i].Raw
			if k, ok := recorded[l.Keys[i].Text]; ok {
				out[i].value = m.inRecordedOrder(p.key(l.Keys[i].Text), &r.Children[k], &l.Children[i])
			}
		}
		return m.spliced(l, out)
	case r.Kind == '[' && l.Kind == '[':
		var out []string
		taken := make([]bool, len(l.Children))
		for i, j := range m.arrange(p, r, l).pairs {
			if j < 0 {
				out = append(out, "{}")
				continue
			}
			taken[j] = true
			out = append(out, m.inRecordedOrder(p.index(i, j), &r.Children[i], &l.Children[j]))
		}
		for j, t := range taken {
			if !t {
				out = append(out, l.Children[j].Raw)
			}
		}
		return "[" + strings.Join(out, ",") + "]"
	}
	return l.Raw
}
