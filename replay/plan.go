package replay

import (
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/wire"
)

// step is one exchange, ready to be sent.
type step struct {
	exchange *exchange.Exchange
	skip     string // why it is not sent; "" where it is
	line     line   // the connection that carries it
	request  exchange.Request
	alone    bool // on a connection of its own, which may have carried others
	fresh    bool // on a new connection
	last     bool // on its connection
	// retry says that the request may be sent once more where a kept connection turns out to be closed: there is an
	// answer on record, so the API does not close on this request by itself.
	retry bool
	// patience bounds the exchange in place of the run's timeout; 0 leaves that.
	patience time.Duration
	// hangUp says that the recorded client gave up, having sent less than it had announced.
	hangUp bool
	gate   *gate // nil where nothing is sent at the same instant
}

// The reasons for which an exchange is not played, beside those of [exchange.Exchange.Unsendable].
const (
	skipCut     = "it was not stored in full"
	skipForeign = "went to another host than the recorded target"
	skipNowhere = "named no host to go to"
)

// plan decides what becomes of an exchange.
func (r *run) plan(e *exchange.Exchange) *step {
	st := &step{exchange: e, line: line{to: r.endpoint(e)}, skip: r.skip(e)}
	if st.skip != "" {
		return st
	}
	st.request = onWire(r.player.Renewal().Fill(r.carrier.Request(e), e.Start, time.Now()), e.Addr)
	st.request = r.rename(st.request, e.Addr, st.line.to)
	st.request = flow.Renew(st.request, e.Start, time.Now())
	if r.player.Order != nil {
		st.line.pass, st.line.conn, st.last = e.Pass, e.Conn, e.Conn != 0 && r.player.Order.Closes(e)
	}
	st.alone = e.Fault != nil || e.Request.Malformed
	st.retry = e.Response != nil
	if e.Fault != nil && e.Fault.Kind == exchange.FaultClient {
		st.patience = max(time.Second, 2*e.Latency)
		st.hangUp = !whole(&e.Request)
	}
	return st
}

// skip returns why an exchange is not sent, "" where it is.
func (r *run) skip(e *exchange.Exchange) string {
	why := e.Unsendable()
	switch {
	case why != "":
	case e.Request.Cut > 0:
		why = skipCut
	case r.player.Target != nil && r.player.Recorded != "" && e.Addr != r.player.Recorded:
		why = skipForeign
	case r.player.Target == nil && e.Addr == "":
		why = skipNowhere
	case r.player.Skip != nil:
		why = r.player.Skip(e)
	}
	return why
}

// Destination returns the scheme and address, as a URL, that the player would send an exchange's request to, and why it
// would not send it: "" where it would. It sends nothing.
func (p *Player) Destination(e *exchange.Exchange) (to, skip string) {
	r := &run{player: p}
	return r.endpoint(e).String(), r.skip(e)
}

// whole reports whether the bytes of a request are all that its head announces.
func whole(r *exchange.Request) bool {
	f := wire.NewRequestFramer()
	f.Feed(r.Head)
	_, state := f.Feed(r.Body)
	return state == wire.Done
}

// endpoint is where requests are sent.
type endpoint struct {
	scheme, addr string
	http2        bool // HTTP/2 is spoken there; else HTTP/1.1
}

// String returns the endpoint as a URL.
func (t endpoint) String() string { return t.scheme + "://" + t.addr }

// endpoint returns where an exchange is to be played.
func (r *run) endpoint(e *exchange.Exchange) endpoint {
	http2 := e.Request.Proto == "HTTP/2.0" && !e.Request.Plain
	if u := r.player.Target; u != nil {
		return endpoint{u.Scheme, withPort(u.Host, u.Scheme), http2}
	}
	scheme := e.Scheme
	if scheme == "" {
		scheme = "http"
	}
	return endpoint{scheme, withPort(e.Addr, scheme), http2}
}

// onWire returns a request as it can be sent in HTTP/1. Most are already: they were recorded from the wire. One that a
// file kept (Plain) gets its framing back: the body as one chunk where it was chunked, else with its length; a content
// coding that is no longer there is not announced.
func onWire(r exchange.Request, addr string) exchange.Request {
	if r.Malformed || !r.Plain {
		return r
	}
	proto := r.Proto
	if !strings.HasPrefix(proto, "HTTP/1.") {
		proto = "HTTP/1.1"
	}
	body := r.Body
	_, chunked := wire.TransferCodings(r.Header)
	if chunked {
		body = wire.Chunk(body)
	}
	head := append([]byte(nil), r.Method+" "+r.Target+" "+proto+"\r\n"...)
	field := func(name, value string) { head = append(head, name+": "+value+"\r\n"...) }
	if !r.Header.Has("Host") {
		field("Host", addr)
	}
	for _, f := range r.Header {
		switch strings.ToLower(f.Name) {
		case "content-encoding", "content-length":
		case "transfer-encoding":
			if chunked {
				field(f.Name, "chunked")
			}
		default:
			field(f.Name, f.Value)
		}
	}
	if !chunked && (len(body) > 0 || r.Header.Has("Content-Length")) {
		field("Content-Length", strconv.Itoa(len(body)))
	}
	return exchange.ParseRequest(exchange.Message{Head: append(head, "\r\n"...), Body: body})
}
