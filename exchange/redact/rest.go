package redact

import (
	"slices"
	"sync"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

// Rest redacts exchanges before they are stored, so that none of their secrets comes to rest. In the place of each
// stands its token: equal secrets have equal tokens, so that what a response gave and a later request used still shows.
//
// Redacted is what package exchange calls a secret: what a name says to be one, and its value wherever else it stands,
// from the exchange on in which it was named, its own request included. An exchange that held it before, under no such
// name, was given back by then: it keeps it. A Rest grows with the number of different secrets; where there are too
// many to know them all (see [Rest.Full]), those beyond are redacted where they are named and nowhere else.
//
// A Rest may be used by several goroutines.
type Rest struct {
	key []byte

	mu      sync.Mutex
	secrets exchange.Secrets
}

// NewRest returns a Rest that writes tokens with a recording's key. named is what is secret beside what is always taken
// for one, as in [exchange.Secrets].
func NewRest(key []byte, named []string) *Rest {
	return &Rest{key: key, secrets: exchange.Secrets{Named: named}}
}

// Learn makes secrets known: collect adds them.
func (r *Rest) Learn(collect func(*exchange.Secrets)) { r.learn(collect) }

// Full reports whether there were too many secrets to know them all.
func (r *Rest) Full() bool { return r.learn(func(*exchange.Secrets) {}).Known.Full() }

// Text returns a text that is no message, such as a log, to store in its place: without what it names as secrets
// itself, and without those that are known by now.
func (r *Rest) Text(text string) string { return r.learn(func(*exchange.Secrets) {}).Show("", text) }

func (r *Rest) learn(collect func(*exchange.Secrets)) shower {
	r.mu.Lock()
	defer r.mu.Unlock()
	collect(&r.secrets)
	return shower{Redactor: exchange.Redactor{Key: r.key, Known: r.secrets.Known()}, schemes: true}
}

// Exchange returns an exchange to store in the place of e, which is left as it is. It has whole bodies: no Parts.
func (r *Rest) Exchange(e *exchange.Exchange) *exchange.Exchange {
	s := r.learn(func(all *exchange.Secrets) {
		all.Exchange(e)
		streams(all, &e.Request, e.Response)
	})
	out := *e
	out.Sequence, out.Target = s.echoes(e.Sequence), s.echoes(e.Target)
	frames := websocket(&e.Request)
	out.Request = s.request(&e.Request, circumstances{torn: e.Response == nil, frames: frames})
	out.Response, out.Fault = s.answer(e.Response, circumstances{frames: frames}), s.fault(e.Fault)
	return &out
}

// Pass returns a pass to store in the place of p: what its user, and its client, wrote into it is a text.
func (r *Rest) Pass(p exchange.Pass) exchange.Pass {
	p.Label, p.Target = r.Text(p.Label), r.Text(p.Target)
	p.Marks = slices.Clone(p.Marks)
	for i := range p.Marks {
		p.Marks[i].Name = r.Text(p.Marks[i].Name)
	}
	return p
}

// External returns an external to store in the place of x, which is left as it is.
func (r *Rest) External(x *exchange.External) *exchange.External {
	out := *x
	out.Exchange = *r.Exchange(&x.Exchange)
	return &out
}

// Observation returns an observation to store in the place of o, which is left as it is.
func (r *Rest) Observation(o *exchange.Observation) *exchange.Observation {
	s := r.learn(func(all *exchange.Secrets) {
		all.Exchange(&exchange.Exchange{Request: o.Sent, Response: o.Response, Fault: o.Fault})
		streams(all, &o.Sent, o.Response)
		if o.Settling != nil && o.Settling.End != nil {
			all.Exchange(&exchange.Exchange{Request: o.Sent, Response: o.Settling.End})
			streams(all, &o.Sent, o.Settling.End)
		}
	})
	out := *o
	frames := websocket(&o.Sent)
	out.Sent = s.request(&o.Sent, circumstances{torn: o.Response == nil, frames: frames})
	out.Response, out.Fault = s.answer(o.Response, circumstances{frames: frames}), s.fault(o.Fault)
	if o.Settling != nil {
		settling := *o.Settling
		settling.End = s.answer(settling.End, circumstances{frames: frames})
		out.Settling = &settling
	}
	return &out
}

func (r shower) request(q *exchange.Request, known circumstances) exchange.Request {
	return exchange.ParseRequest(r.message(q.Message, known))
}

func (r shower) answer(a *exchange.Response, known circumstances) *exchange.Response {
	if a == nil {
		return nil
	}
	out := exchange.ParseResponse(r.message(a.Message, known))
	out.Interim = r.head(a.Interim)
	return out
}

func (r shower) fault(f *exchange.Fault) *exchange.Fault {
	if f == nil {
		return nil
	}
	out := *f
	out.Text = r.Show("", f.Text)
	out.Seen, out.Told = r.message(f.Seen, circumstances{torn: true}), r.message(f.Told, circumstances{})
	return &out
}

// websocket reports whether a request asks for a WebSocket, in HTTP/1 or HTTP/2 (RFC 8441).
func websocket(q *exchange.Request) bool {
	return q.Header.HasToken("Upgrade", "websocket") || q.Header.HasToken(":protocol", "websocket")
}

// streams collects the secrets of what stands behind a body, or in its place: trailers, frames of WebSockets, the heads
// of interim answers.
func streams(all *exchange.Secrets, q *exchange.Request, a *exchange.Response) {
	messages := []*exchange.Message{&q.Message}
	if a != nil {
		messages = append(messages, &a.Message)
		for rest := a.Interim; len(rest) > 0; {
			n := wire.HeadEnd(rest)
			if n <= 0 {
				break
			}
			fields(all, rest[:n])
			rest = rest[n:]
		}
	}
	for _, m := range messages {
		if len(m.Trailer) > 0 {
			fields(all, append([]byte("trailer\r\n"), m.Trailer...))
		}
		if _, chunked := wire.TransferCodings(wire.ParseHead(m.Head).Fields); chunked && !m.Plain {
			_, trailers, _ := wire.Dechunk(m.Body)
			for _, f := range trailers {
				all.Header(f.Name, f.Value)
			}
		}
		switch {
		case len(m.Tunnel) == 0:
		case websocket(q):
			framed(all, m.Tunnel)
		default:
			all.Text(string(m.Tunnel))
		}
	}
}

func fields(all *exchange.Secrets, head []byte) {
	for _, f := range wire.ParseHead(head).Fields {
		all.Header(f.Name, f.Value)
	}
}

// framed collects the secrets of the messages of a WebSocket.
func framed(all *exchange.Secrets, b []byte) {
	pieces := wire.WebSocket(b)
	for _, message := range messages(pieces) {
		all.Text(string(joined(pieces, message)))
	}
}
