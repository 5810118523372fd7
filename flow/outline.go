package flow

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
)

// maxOutlined bounds the members of a body that an outline keeps the names of.
const maxOutlined = 256

// Outliner makes outlines of exchanges: what [Sequences] and [Operations] look at once the bindings are known, in a few
// hundred bytes whatever the size of the messages. The zero value is ready.
type Outliner struct{ shapes map[string][]byte }

// Outline returns the outline of e, which keeps nothing of e's bytes. Of a body that tells routes apart it has a JSON
// object with the names of the members.
func (o *Outliner) Outline(e *exchange.Exchange) *exchange.Exchange {
	out := &exchange.Exchange{Seq: e.Seq, Pass: e.Pass, Conn: e.Conn, Sequence: e.Sequence, Addr: e.Addr, Start: e.Start, Latency: e.Latency}
	out.Request.Method, out.Request.Target = e.Request.Method, e.Request.Target
	if e.Response == nil {
		out.Fault = &exchange.Fault{}
		if e.Fault != nil {
			out.Fault.Kind = e.Fault.Kind
		}
		return out
	}
	out.Response = &exchange.Response{Status: e.Response.Status}
	if e.Response.Status/100 == 2 {
		out.Response.Message = exchange.Message{Plain: true, Body: o.shape(e.Response)}
	}
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
