package mock

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

// Recorder takes what services are asked, with the answers.
type Recorder struct {
	// Record is given each call once it is answered; several goroutines may do that at once.
	Record func(*exchange.External)
	// MaxBody bounds, in bytes, what of a body is handed over.
	MaxBody int64
}

// record hands a call over, and what became of it. Of the request more was sent than is known of its body.
func (h *handler) record(r *http.Request, call Call, body []byte, more int64, began time.Time, resp Response) {
	if h.Recorder == nil {
		return
	}
	x := &exchange.External{Stub: call.Stub, Exchange: exchange.Exchange{Scheme: call.Scheme, Addr: call.Service,
		Start: began, Latency: time.Since(began)}}
	proto := "HTTP/1.1"
	if r.ProtoMajor == 2 {
		proto = "HTTP/2.0"
	}
	request := h.Recorder.message(fmt.Sprintf("%s %s %s", call.Method, call.Target, proto),
		append(wire.Fields{{Name: "Host", Value: r.Host}}, fields(r.Header)...), body)
	request.Cut += more
	x.Request = exchange.ParseRequest(request)
	if r.Method == http.MethodHead {
		resp.Body = nil
	}
	answer := h.Recorder.message(fmt.Sprintf("%s %d %s", proto, resp.Status, http.StatusText(resp.Status)), fields(resp.Header), resp.Body)
	if resp.Fault == "" {
		x.Response = exchange.ParseResponse(answer)
	} else if x.Fault = resp.Fault.seen(); resp.Fault == Malformed {
		x.Fault.Seen.Head = answer.Head
	}
	h.Recorder.Record(x)
}

// gaveUp is the fault of an API that does not wait for its answer, or is no more.
const gaveUp Fault = "the API gave up"

// seen is what an API sees of a fault.
func (f Fault) seen() *exchange.Fault {
	seen := exchange.Fault{Kind: exchange.FaultUnparseable, Text: string(f)} // of Garbage
	switch f {
	case Reset:
		seen.Kind = exchange.FaultReset
	case Empty:
		seen.Kind = exchange.FaultEOF
	case Malformed:
		seen.Kind = exchange.FaultTruncated
	case gaveUp:
		seen.Kind = exchange.FaultClient
	}
	return &seen
}

// message is a message with a start line; its body is without the framing of the connection.
func (r *Recorder) message(line string, f wire.Fields, body []byte) exchange.Message {
	n := min(int64(len(body)), max(r.MaxBody, 0))
	return exchange.Message{Head: append([]byte(line+"\r\n"), wire.FieldLines(f)...), Body: body[:n:n], Cut: int64(len(body)) - n}
}

// fields are the fields of a header, sorted, because their order is not known.
func fields(h http.Header) (all wire.Fields) {
	for name, values := range h {
		for _, value := range values {
			all = append(all, wire.Field{Name: name, Value: value})
		}
	}
	slices.SortStableFunc(all, func(a, b wire.Field) int { return strings.Compare(a.Name, b.Name) })
	return all
}
