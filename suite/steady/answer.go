package steady

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/internal/jsontree"
	"github.com/flaketap/flaketap/internal/wire"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/waits/settle"
	"github.com/tidwall/gjson"
)

// judgement is what was learned of an operation, with its fields at hand.
type judgement struct {
	*mapfile.Operation
	fields  map[exchange.Place]*mapfile.Field // by general place, those that are looked for and not there included
	related []*mapfile.Field                  // those that follow from others
}

func newJudgement(op *mapfile.Operation) *judgement {
	j := &judgement{Operation: op, fields: map[exchange.Place]*mapfile.Field{}}
	for _, f := range op.Fields {
		if len(f.Holds.Relations) > 0 {
			j.related = append(j.related, f)
		}
	}
	return j
}

// maxFields bounds the places that are remembered; an object may have any keys.
const maxFields = 1 << 14

// at returns the field of a place whose array indexes are wildcards; nil where there is none.
func (j *judgement) at(general exchange.Place) *mapfile.Field {
	if j == nil {
		return nil
	}
	f, known := j.fields[general]
	if !known {
		f = j.At(general)
		if len(j.fields) < maxFields {
			j.fields[general] = f
		}
	}
	return f
}

// answering is the work on one answer.
type answering struct {
	s         *Steady
	e         *exchange.Exchange
	t         turn
	step      *step
	rec       *exchange.Exchange
	judged    *judgement
	report    report
	wrong     map[exchange.Place]string // places at odds with those that they follow from
	textsThen parts                     // of its texts, once they were asked for
	textsNow  parts
	both      *merging       // its body and the recorded one, once they were asked for
	stages    *settle.Stages // how far the API was when this was recorded; nil where that is not known
	// apart are the places that tell that the API is at another stage now, still on its way or at another end: what moved
	// since it goes there does not move by itself, and is not held still.
	apart []exchange.Place
}

// answer returns the message that the client gets.
func (a *answering) answer() *exchange.Message {
	live := a.e.Response
	if a.t.step < 0 {
		a.pass("", "", "the recording has no such request")
		return a.renamed()
	}
	a.step = &a.s.matcher.steps[a.t.step]
	a.report.found = true
	rec, err := a.s.o.Exchange(a.step.seq)
	switch {
	case err != nil:
		a.pass("", "", "the recorded exchange cannot be read")
	case rec.Response == nil:
		a.pass("", "", "the recording has a fault here, and no answer")
	case rec.Response.Status != live.Status:
		a.pass(exchange.PlaceStatus, exchange.PlaceStatus, fmt.Sprintf("status %d, recorded %d", live.Status,
			rec.Response.Status))
	default:
		a.rec = rec
		a.judged = a.s.judged[judgedKey{a.step.operation, live.Status}]
		a.stages = a.s.o.Stages[a.step.seq]
		a.apart = a.stages.Apart(live)
		a.relate()
		a.learn()
		return a.still()
	}
	return &live.Message
}

// pass notes that something passes as it is.
func (a *answering) pass(general, place exchange.Place, reason string) {
	if len(a.report.raw) == maxRawOfOne {
		return
	}
	r := Raw{Place: place, Reason: reason, general: general}
	if a.step != nil {
		r.Operation, r.Seq = a.step.operation, a.step.seq
	} else {
		r.Operation = exchange.Operation{Method: a.e.Request.Method, Template: "?"}
		if t, ok := a.s.matcher.paths.Template(&a.e.Request); ok {
			r.Operation.Template = t
		}
	}
	a.report.raw = append(a.report.raw, r)
}

// still returns the answer with what moved put back.
func (a *answering) still() *exchange.Message {
	was := a.e.Response
	payload, err := was.Payload()
	body := payload
	codings, _ := wire.TransferCodings(was.Header)
	switch {
	case len(codings) > 0:
		a.pass(exchange.PlaceBody, exchange.PlaceBody, "sent in a transfer coding beside chunked")
	case err != nil:
		a.pass(exchange.PlaceBody, exchange.PlaceBody, "its content coding cannot be undone")
	case len(payload) > 0:
		body = a.body(payload)
	case a.t.client.Method != "HEAD" && len(a.rec.Response.Body) > 0:
		a.pass(exchange.PlaceBody, exchange.PlaceBody, "empty")
	}
	head := a.head(was.Head)
	out := &exchange.Message{Head: head, Body: was.Body, Trailer: was.Trailer}
	if !bytes.Equal(body, payload) {
		out = framed(was, head, payload, body)
	}
	a.report.same = len(a.report.raw) == 0 && bytes.Equal(out.Head, was.Head) && bytes.Equal(out.Body, was.Body)
	return out
}

// body returns the payload with what moved put back.
func (a *answering) body(live []byte) []byte {
	recorded, err := a.rec.Response.Payload()
	switch {
	case bytes.Equal(recorded, live):
		return live
	case err != nil:
		a.pass(exchange.PlaceBody, exchange.PlaceBody, "the recorded body cannot be unpacked")
		return live
	case len(recorded) == 0:
		a.pass(exchange.PlaceBody, exchange.PlaceBody, "the recorded answer has no body")
		return live
	case a.rec.Response.Cut > 0:
		a.pass(exchange.PlaceBody, exchange.PlaceBody, "the recorded body is not whole")
		return live
	}
	if m := a.trees(recorded, live); m != nil {
		if m.r != nil && m.l != nil {
			return []byte(m.live[:m.l.Start] + m.value(whole, m.r, m.l) + m.live[m.l.End:])
		}
		if m.r != m.l {
			a.pass(exchange.PlaceBody, exchange.PlaceBody, "no JSON that can be read")
			return live
		}
	}
	return a.text(recorded, live)
}

// trees reads both bodies as JSON; nil where they are said to be none.
func (a *answering) trees(recorded, live []byte) *merging {
	if a.both == nil && compare.IsJSON(a.e.Response.MediaType()) && compare.IsJSON(a.rec.Response.MediaType()) {
		a.both = &merging{answering: a, recorded: string(recorded), live: string(live),
			arranged: map[[2]*jsontree.Node]*arrangement{}}
		a.both.r, a.both.l = editable(a.both.recorded), editable(a.both.live)
	}
	return a.both
}

// editable reads a text as JSON whose values can be replaced; nil where that cannot be done. JSON readers disagree
// about what is not UTF-8.
func editable(src string) *jsontree.Node {
	if !utf8.ValidString(src) {
		return nil
	}
	n, err := jsontree.Parse(src, jsontree.Bounds{})
	if err != nil {
		return nil
	}
	return n
}

// text returns a body that is no JSON, or the recorded one.
func (a *answering) text(recorded, live []byte) []byte {
	rRaw, _ := compare.At(a.rec.Response, exchange.PlaceBody)
	lRaw, _ := compare.At(a.e.Response, exchange.PlaceBody)
	if rRaw == "" || lRaw == "" || container(rRaw) || container(lRaw) {
		a.pass(exchange.PlaceBody, exchange.PlaceBody, "too large, or too deep, to be edited")
		return live
	}
	shown := a.hold(whole, rRaw, lRaw)
	switch {
	case shown == rRaw:
		return recorded
	case shown == lRaw || strings.HasPrefix(lRaw, `"binary:`):
		return live
	}
	return []byte(jsontree.Unquote(shown))
}

// at is a place: with wildcards, in the recorded answer, in the live one.
type at struct {
	general, recorded, live exchange.Place
	onTheWay                bool // in an object that was recorded at a stage that the API goes on from
}

// whole is the body.
var whole = at{general: exchange.PlaceBody, recorded: exchange.PlaceBody, live: exchange.PlaceBody}

func (p at) key(k string) at {
	return at{p.general.Key(k), p.recorded.Key(k), p.live.Key(k), p.onTheWay}
}

func (p at) index(r, l int) at {
	return at{p.general.Each(), p.recorded.Index(r), p.live.Index(l), p.onTheWay}
}

// moves returns the field of a place that is known to move in this answer; nil where none is.
func (a *answering) moves(general exchange.Place) *mapfile.Field {
	f := a.judged.at(general)
	if f == nil || !f.AppliesTo(a.step.exact) || slices.Contains(a.apart, general) {
		return nil
	}
	return f
}

// hold returns what the client sees of a value that is not the recorded one: both are raw JSON tokens.
func (a *answering) hold(p at, recorded, live string) string {
	if recorded == live || compare.Same(recorded, live) {
		return live
	}
	n := a.s.names
	if recorded[0] == live[0] || live[0] != '"' && recorded[0] != '"' {
		was, now := textOf(recorded), textOf(live)
		if shown, ok := n.agree(was, now, a.mayNameOne(p)); ok {
			a.report.ids++
			return tokenLike(shown, was, recorded, now, live)
		}
	}
	f := a.moves(p.general)
	switch {
	case a.tells(p, recorded, live):
		return a.rename(live)
	case f == nil:
		a.pass(p.general, p.live, "not known to move")
		return a.rename(live)
	case len(exchange.Tokens(recorded)) > 0:
		a.pass(p.general, p.live, "redacted in the recording")
		return live
	}
	if reason := a.refuses(f, p, recorded, live); reason != "" {
		a.pass(p.general, p.live, reason)
		return a.rename(live)
	}
	a.report.hold(f.Category)
	if recorded[0] == '"' && live[0] == '"' {
		was := textOf(recorded)
		n.putText(was, textOf(live), timed(f))
		if own, ok := translate(was, n.own); ok {
			return jsontree.Quote(own)
		}
	} else {
		n.put(recorded, live, timed(f))
	}
	return recorded
}

// textOf returns the text of a string token, and any other token as it is.
func textOf(raw string) string {
	if raw[0] == '"' {
		return jsontree.Unquote(raw)
	}
	return raw
}

// tokenLike writes a text as a token: one of two that are there already, where it is theirs.
func tokenLike(shown, was, recorded, now, live string) string {
	switch {
	case shown == was:
		return recorded
	case shown == now:
		return live
	case live[0] == '"':
		return jsontree.Quote(shown)
	case !isNumber(shown):
		return live
	}
	return shown
}

// isNumber reports whether a text may stand in JSON as it is: a number, and none with zeros before it.
func isNumber(text string) bool {
	return text != "" && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') && gjson.Valid(text)
}

// rename returns a token with the ids in it as the client knows them.
func (a *answering) rename(raw string) string {
	if raw[0] == '{' || raw[0] == '[' {
		return raw
	}
	text, ok := a.s.names.toRecorded(textOf(raw))
	if !ok || raw[0] != '"' && !isNumber(text) {
		return raw
	}
	a.report.ids++
	if raw[0] == '"' {
		return jsontree.Quote(text)
	}
	return text
}

// refuses says what of a value is not what was learned of its place; "" where all is.
func (a *answering) refuses(f *mapfile.Field, p at, recorded, live string) string {
	h := &f.Holds
	if err := h.Satisfied(live, a.e.Start); err != nil {
		return err.Error()
	}
	if reason := a.wrong[p.general]; reason != "" {
		return reason
	}
	if h.Order != "" && live[0] == '"' && recorded[0] == '"' && !compare.Shuffled(textOf(recorded), textOf(live)) {
		return "not the recorded words in another order"
	}
	for _, refuse := range []func(*mapfile.Field, at, string, string) string{a.echoes, a.bound, a.rises, a.parts} {
		if reason := refuse(f, p, recorded, live); reason != "" {
			return reason
		}
	}
	return ""
}

// echoes holds a value against the request that it repeats.
func (a *answering) echoes(f *mapfile.Field, _ at, _, live string) string {
	place := exchange.Place(f.Holds.Echo)
	if place == "" || place == "/header/host" {
		return ""
	}
	text := textOf(live)
	if value, ok := message.ValueAt(&a.t.sent, place); ok && value != text {
		return "not " + string(place) + " of the request"
	}
	return ""
}

// bound holds a value against the one that an earlier answer gave.
func (a *answering) bound(f *mapfile.Field, _ at, recorded, live string) string {
	if f.Holds.Bound == "" {
		return ""
	}
	was, now, n := textOf(recorded), textOf(live), a.s.names
	known := n.bound[was]
	for _, v := range known {
		if v == now {
			return ""
		}
	}
	if len(known) > 0 {
		return "not what " + f.Holds.Bound + " gave"
	}
	return ""
}

// rises holds a number against the one before it.
func (a *answering) rises(f *mapfile.Field, p at, _, live string) string {
	if f.Holds.Monotone != "rising" || live[0] == '"' {
		return ""
	}
	key := risingKey{a.step.operation, p.general}
	before, known := a.s.rising[key]
	if known && smaller(live, before) {
		return "smaller than in an earlier answer"
	}
	a.s.rising[key] = live
	return ""
}

// smaller compares two whole numbers as they are written.
func smaller(a, b string) bool {
	negative := strings.HasPrefix(a, "-")
	if negative != strings.HasPrefix(b, "-") {
		return negative
	}
	a, b = strings.TrimPrefix(a, "-"), strings.TrimPrefix(b, "-")
	less := len(a) < len(b) || len(a) == len(b) && a < b
	return less != negative && a != b
}

// parts holds what a text has in it against what was learned of that.
func (a *answering) parts(_ *mapfile.Field, p at, recorded, live string) string {
	if recorded[0] != '"' || live[0] != '"' {
		return ""
	}
	a.readParts()
	was, now := a.textsThen[p.recorded], a.textsNow[p.live]
	if len(was) == 0 || len(now) == 0 {
		return ""
	}
	for _, rest := range sortedKeys(was, now) {
		r, okR := was[rest]
		l, okL := now[rest]
		general := p.general + rest
		f := a.moves(general)
		switch {
		case okR && okL && (container(r) && container(l) || r == l || compare.Same(r, l)):
		case okR != okL && f != nil && f.Holds.Optional:
		case okR != okL:
			if a.within(general) {
				continue
			}
			return "part " + string(rest) + " comes or goes"
		default:
			part := at{general: general, recorded: p.recorded + rest, live: p.live + rest}
			if _, ok := a.s.names.agree(textOf(r), textOf(l), a.mayNameOne(part)); ok {
				continue
			}
			if f == nil {
				return "part " + string(rest) + " is not known to move"
			}
			if err := f.Holds.Satisfied(l, a.e.Start); err != nil {
				return "part " + string(rest) + " is " + err.Error()
			}
		}
	}
	return ""
}

// within reports whether a place lies in something that is resized, or not always there.
func (a *answering) within(general exchange.Place) bool {
	for p := general.Parent(); p != "" &&
		!strings.HasPrefix(string(p[strings.LastIndexByte(string(p), '/')+1:]), "@"); p = p.Parent() {
		if f := a.moves(p); f != nil && (f.Holds.Optional || f.Holds.MinLength != nil || f.Holds.Order != "") {
			return true
		}
	}
	return false
}

func container(raw string) bool { return raw[0] == '{' || raw[0] == '[' }

// renamed returns an answer to a request that was not recorded, with ids as the client knows them.
func (a *answering) renamed() *exchange.Message {
	was := a.e.Response
	head := edited(was.Head, func(f field) []byte {
		if apartHeader(f.name) || f.name == "set-cookie" {
			return f.line
		}
		value, ok := a.s.names.toRecorded(f.value)
		if !ok {
			return f.line
		}
		a.report.ids++
		return f.with(value)
	})
	out := &exchange.Message{Head: head, Body: was.Body}
	payload, err := was.Payload()
	if err != nil || len(payload) == 0 || !compare.IsJSON(was.MediaType()) {
		return out
	}
	src := string(payload)
	n := editable(src)
	if n == nil {
		return out
	}
	m := &merging{answering: a, live: src}
	if body := src[:n.Start] + m.renamedIn(n) + src[n.End:]; body != src {
		return framed(was, head, payload, []byte(body))
	}
	return out
}

// renamedIn returns a value with the ids in it as the client knows them.
func (m *merging) renamedIn(n *jsontree.Node) string {
	if n.Kind != '{' && n.Kind != '[' {
		return m.rename(n.Raw)
	}
	out := make([]splice, len(n.Children))
	for i := range n.Children {
		out[i].value = m.renamedIn(&n.Children[i])
	}
	return m.spliced(n, out)
}
