package grpc

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// MediaType is the type of messages in a recording, in the place of that of protocol buffers.
const MediaType = "application/json"

// Services are the descriptions of services, by their names: host:port, or the host for all of its ports.
type Services map[string]*Description

// of is the description of a service, host:port; nil where there is none.
func (s Services) of(host string, port int) *Description {
	if d := s[net.JoinHostPort(host, strconv.Itoa(port))]; d != nil {
		return d
	}
	return s[host]
}

// IsCall reports whether a type is that of a call's body.
func IsCall(contentType string) bool {
	kind := exchange.MediaType(contentType)
	return kind == "application/grpc" || strings.HasPrefix(kind, "application/grpc+")
}

// Call is a call of gRPC that a service was made.
type Call struct {
	method *Method // nil where it is not known
	why    string  // it cannot be answered
}

// Call returns a call by its path; ok is false where a request is none by its type.
func (s Services) Call(host string, port int, path, contentType string) (c *Call, ok bool) {
	if !IsCall(contentType) {
		return nil, false
	}
	c = &Call{}
	d := s.of(host, port)
	if d != nil {
		c.method = d.Method(path)
	}
	switch kind := exchange.MediaType(contentType); {
	case d == nil:
		c.why = fmt.Sprintf("it is a call of gRPC, and --spec %s=FILE names no description of that service", host)
	case c.method == nil:
		c.why = "the description of this service has no such method"
	case !c.method.Unary():
		c.why = "the method is a stream, and only calls with one message and one answer are mocked"
	case kind != "application/grpc" && kind != "application/grpc+proto":
		c.why = "its messages are " + kind + ", and only protocol buffers are read"
	}
	return c, true
}

// Why says why a call cannot be answered by stubs; "" where it can.
func (c *Call) Why() string { return c.why }

// Request is the JSON of what a call asks. Where it cannot be read, that is why it cannot be answered.
func (c *Call) Request(body []byte, encoding string) []byte {
	if c.why != "" {
		return nil
	}
	text, err := c.method.toJSON(body, encoding, c.method.desc.Input())
	if err != nil {
		c.why = "its message cannot be read: " + err.Error()
	}
	return text
}

// Answer is an answer to a call, in the form of stubs.
type Answer struct {
	Status int // of HTTP
	Header http.Header
	Body   []byte // JSON, or a text that says why there is none
}

// Named is an answer with its status named, its HTTP status the one that stands for it, and its type. One that cannot
// be sent is an answer that says so, and an error.
func (c *Call) Named(a Answer) (Answer, error) {
	a.Header = a.Header.Clone()
	if a.Header == nil {
		a.Header = http.Header{}
	}
	status, err := a.status()
	if err == nil && status == OK && c.method != nil {
		_, err = c.method.fromJSON(a.Body, c.method.desc.Output())
	}
	if err != nil {
		status, a.Body = Internal, nil
		a.Header.Set(StatusReason, "the mock cannot answer: "+err.Error())
	}
	a.Header.Set(StatusName, status.String())
	if said := a.reason(); status != OK && said != "" {
		a.Header.Set(StatusReason, said)
	}
	a.Status = status.HTTP()
	if status == OK {
		a.Header.Set("Content-Type", MediaType)
	}
	return a, err
}

// status is the one that an answer names, or that its HTTP status stands for.
func (a Answer) status() (Status, error) {
	name := a.Header.Get(StatusName)
	if name == "" {
		return StatusOf(a.Status), nil
	}
	s, ok := StatusNamed(name)
	if !ok {
		return 0, fmt.Errorf("unknown %s %q: want one such as NOT_FOUND", strings.ToLower(StatusName), name)
	}
	return s, nil
}

// maxReason bounds what is said of a failure: many clients take 8 KiB of fields.
const maxReason = 1 << 10

// reason is what an answer that is not OK says.
func (a Answer) reason() string {
	text := a.Header.Get(StatusReason)
	if text == "" && exchange.MediaType(a.Header.Get("Content-Type")) == "text/plain" {
		text = string(bytes.TrimSpace(a.Body))
	}
	return oneLine(text[:min(len(text), maxReason)])
}

// oneLine is a text as a field of a head can have it.
func oneLine(text string) string {
	return strings.TrimSpace(strings.Map(func(c rune) rune {
		if c < ' ' {
			return ' '
		}
		return c
	}, text))
}

// ofForm are the fields of an answer that do not go to the client as they are.
var ofForm = []string{StatusName, StatusReason, "Content-Type", "Content-Length", "Content-Encoding", "Transfer-Encoding",
	"Connection", "Trailer", "Grpc-Status", "Grpc-Message", "Grpc-Encoding"}

// Write sends an answer that [Call.Named] made.
func (c *Call) Write(w http.ResponseWriter, a Answer) {
	status, err := a.status()
	message := []byte(nil)
	if err == nil && status == OK {
		message, err = c.method.fromJSON(a.Body, c.method.desc.Output())
	}
	reason := a.reason()
	if err != nil { // of a body that was changed since it was named
		status, reason = Internal, err.Error()
	}
	for name, values := range a.Header {
		if !slices.Contains(ofForm, name) {
			w.Header()[name] = values
		}
	}
	w.Header().Set("Content-Type", "application/grpc")
	w.Header().Set("Grpc-Accept-Encoding", "gzip")
	w.WriteHeader(http.StatusOK)
	if status == OK {
		_, _ = w.Write(message) // what cannot be written nobody waits for
	}
	w.Header().Set(http.TrailerPrefix+"Grpc-Status", strconv.Itoa(int(status)))
	if status != OK && reason != "" {
		w.Header().Set(http.TrailerPrefix+"Grpc-Message", percent(reason))
	}
}

// Asked are the fields of a call as they stand in a recording, beside JSON.
func Asked(h http.Header) http.Header {
	h = h.Clone()
	h.Set("Content-Type", MediaType)
	for _, name := range []string{"Te", "Grpc-Encoding", "Content-Length"} {
		h.Del(name)
	}
	return h
}
