package flow

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// maxOutlined bounds the members of a body that an outline keeps the names of.
const maxOutlined = 256

// Outliner makes outlines of exchanges: what [Sequences] and [Operations] look at once the bindings are known, in a few
// hundred bytes whatever the size of the messages. The zero value is ready.
type Outliner struct {
	shapes  map[string][]byte
	answers map[answerShape]*exchange.Response // what outlines have in common
	texts   map[string]string
}

// answerShape is all that the outline of an answer says.
type answerShape struct {
	status int
	shape  string
}

// maxTexts bounds the texts that outlines share.
const maxTexts = 1 << 12

// one returns a text that keeps nothing around it in memory, the same for equal ones.
func (o *Outliner) one(text string) string {
	if known, ok := o.texts[text]; ok {
		return known
	}
	kept := strings.Clone(text)
	if o.texts == nil {
		o.texts = map[string]string{}
	}
	if len(o.texts) < maxTexts {
		o.texts[kept] = kept
	}
	return kept
}

// Outline returns the outline of e, which keeps nothing of e's bytes. Of a body that tells routes apart it has a JSON
// object with the names of the members.
func (o *Outliner) Outline(e *exchange.Exchange) *exchange.Exchange {
	out := &exchange.Exchange{Seq: e.Seq, Pass: e.Pass, Conn: e.Conn, Sequence: o.one(e.Sequence), Addr: o.one(e.Addr),
		Start: e.Start, Latency: e.Latency}
	out.Request.Method, out.Request.Target = o.one(e.Request.Method), strings.Clone(e.Request.Target)
	if e.Response == nil {
		out.Fault = &exchange.Fault{}
		if e.Fault != nil {
			out.Fault.Kind = e.Fault.Kind
		}
		return out
	}
	out.Response = o.answer(e.Response)
	return out
}

// answer returns the outline of an answer, one and the same for all that look alike.
func (o *Outliner) answer(r *exchange.Response) *exchange.Response {
	var body []byte
	if r.Status/100 == 2 {
		body = o.shape(r)
	}
	key := answerShape{r.Status, string(body)}
	if known := o.answers[key]; known != nil {
		return known
	}
	out := &exchange.Response{Status: r.Status, Message: exchange.Message{Plain: body != nil, Body: body}}
	if o.answers == nil {
		o.answers = map[answerShape]*exchange.Response{}
	}
	o.answers[key] = out
	return out
}

// shape returns the least body that sameKind judges as it does the whole.
func (o *Outliner) shape(r *exchange.Response) []byte {
	body, _ := r.Payload()
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return nil
	}
	shape := body[:1]
	var members map[string]json.RawMessage
	if body[0] == '{' && json.Unmarshal(body, &members) == nil {
		names := slices.Sorted(maps.Keys(members))
		least := make(map[string]int, len(names))
		for _, name := range names[:min(len(names), maxOutlined)] {
			least[name] = 0
		}
		shape, _ = json.Marshal(least) // a map of numbers always encodes
	}
	if known, ok := o.shapes[string(shape)]; ok {
		return known
	}
	if o.shapes == nil {
		o.shapes = map[string][]byte{}
	}
	kept := bytes.Clone(shape)
	o.shapes[string(kept)] = kept
	return kept
}
