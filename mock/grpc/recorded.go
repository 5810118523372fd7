package grpc

import (
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

// Recorded is an exchange with a real service, host:port, as its calls stand in a recording: with its messages as JSON,
// and its status named. What is no call, or cannot be read, is returned as it is.
func (s Services) Recorded(e exchange.Exchange) exchange.Exchange {
	host, port, err := net.SplitHostPort(e.Addr)
	number, wrong := strconv.Atoi(port)
	if err != nil || wrong != nil || e.Response == nil || e.Response.Cut > 0 || e.Request.Cut > 0 {
		return e
	}
	path, _ := exchange.SplitTarget(e.Request.Target)
	c, ok := s.Call(host, number, path, e.Request.Header.Get("Content-Type"))
	if !ok {
		return e
	}
	asked := c.Request(e.Request.Body, e.Request.Header.Get("Grpc-Encoding"))
	status, said, trailed := ended(e.Response)
	if c.Why() != "" || !trailed || e.Response.Status != http.StatusOK {
		return e
	}
	answer := []byte(nil)
	if status == OK {
		encoding := e.Response.Header.Get("Grpc-Encoding")
		if answer, err = c.method.toJSON(e.Response.Body, encoding, c.method.desc.Output()); err != nil {
			return e
		}
	}
	line, _, _ := strings.Cut(string(e.Request.Head), "\r\n")
	e.Request = exchange.ParseRequest(message(line, e.Request.Header, nil, asked))
	named := wire.Fields{{Name: StatusName, Value: status.String()}}
	if said != "" {
		named = append(named, wire.Field{Name: StatusReason, Value: said})
	}
	line = "HTTP/2.0 " + strconv.Itoa(status.HTTP()) + " " + http.StatusText(status.HTTP())
	e.Response = exchange.ParseResponse(message(line, e.Response.Header, named, answer))
	return e
}

// ended is the status with which an answer ended, in its trailers or, where there is no body, in its head.
func ended(r *exchange.Response) (s Status, said string, ok bool) {
	fields := r.Header
	if len(r.Trailer) > 0 {
		fields = exchange.ParseResponse(exchange.Message{Head: append([]byte("HTTP/2.0 200 OK\r\n"), r.Trailer...)}).Header
	}
	n, err := strconv.Atoi(fields.Get("Grpc-Status"))
	return Status(n), oneLine(unpercent(fields.Get("Grpc-Message"))), err == nil
}

// message is a message in the form of a recording: with some fields besides, and without those of its transfer.
func message(line string, header, besides wire.Fields, body []byte) exchange.Message {
	var fields wire.Fields
	for _, f := range header {
		switch name := http.CanonicalHeaderKey(f.Name); {
		case name == "Content-Type":
			f.Value = MediaType
		case name == "Te" || slices.Contains(ofForm, name):
			continue
		}
		fields = append(fields, f)
	}
	head := append([]byte(line+"\r\n"), wire.FieldLines(append(fields, besides...))...)
	return exchange.Message{Head: head, Body: body}
}
