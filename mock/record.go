package mock

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
	"github.com/flaketap/flaketap/mock/grpc"
)

// Recorder takes what services are asked, with the answers.
type Recorder struct {
	// Record is given each call once it is answered; several goroutines may do that at once.
	Record func(*exchange.External)
	// MaxBody bounds, in bytes, what of a body is handed over.
	MaxBody int64
}

// asked is a request as it is recorded, with most bytes of its body at most. More was sent of it than is known.
func (h *handler) asked(r *http.Request, call Call, body []byte, more, most int64) *exchange.External {
	header := r.Header
	if grpc.IsCall(header.Get("Content-Type")) {
		header = grpc.Asked(header)
	}
	x := &exchange.External{Stub: call.Stub, Exchange: exchange.Exchange{Scheme: call.Scheme, Addr: call.Service}}
	request := message(fmt.Sprintf("%s %s %s", call.Method, call.Target, protocol(r)),
		append(wire.Fields{{Name: "Host", Value: r.Host}}, fields(header)...), body, most)
	request.Cut += more
	x.Request = exchange.ParseRequest(request)
	return x
}

// record hands a call over, and what became of it.
func (h *handler) record(r *http.Request, call Call, body []byte, more int64, began time.Time, resp Response) {
	if h.Recorder == nil {
		return
	}
	most := h.Recorder.MaxBody
	x := h.asked(r, call, body, more, most)
	x.Start, x.Latency = began, time.Since(began)
	if r.Method == http.MethodHead {
		resp.Body = nil
	}
	line := fmt.Sprintf("%s %d %s", protocol(r), resp.Status, http.StatusText(resp.Status))
	answer := message(line, fields(resp.Header), resp.Body, most)
	if resp.Fault == "" {
		x.Response = exchange.ParseResponse(answer)
	} else if x.Fault = resp.Fault.seen(); resp.Fault == Malformed {
		x.Fault.Seen.Head = answer.Head
	}
	h.Recorder.Record(x)
}

func protocol(r *http.Request) string {
	if r.ProtoMajor == 2 {
		return "HTTP/2.0"
	}
	return "HTTP/1.1"
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
func message(line string, f wire.Fields, body []byte, most int64) exchange.Message {
	n := min(int64(len(body)), max(most, 0))
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
