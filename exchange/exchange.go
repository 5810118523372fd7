package exchange

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/wire"
)

// MaxPayload bounds, in bytes, what [Message.Payload] unpacks a compressed body to.
const MaxPayload = 64 << 20

// DefaultTarget is the name of a target that the user gave none.
const DefaultTarget = "default"

// Exchange is one request and what came back: exactly one of Response and Fault is set.
type Exchange struct {
	Seq      uint64        // position in the recording, from 1; given by the store
	Pass     int           // the pass of the client that it belongs to, from 1
	Conn     uint64        // the client's connection, counted from 1 within the pass; 0 where it is not known
	Sequence string        // the client's own name for the test case it belongs to; "" where it gave none
	Target   string        // the target's name
	Scheme   string        // "http" or "https": how the target was spoken to
	Addr     string        // host:port that was dialed, or would have been
	Start    time.Time     // when the first byte of the request was seen
	Latency  time.Duration // from Start to the last byte of the answer, or to the fault

	Request  Request
	Response *Response
	Fault    *Fault
}

// Size is about how many bytes of memory the messages of an exchange take.
func (e *Exchange) Size() int {
	n := len(e.Request.Head) + len(e.Request.Body)
	if e.Response != nil {
		n += len(e.Response.Head) + len(e.Response.Body)
	}
	return n
}

// URL returns the absolute URL of the request, as dialed: the authority is Addr, whatever the client put into Host or
// into a target in absolute form. A target that is no path (CONNECT, OPTIONS *) gives the URL of the authority alone;
// any other becomes a path, so that none can reach into the authority.
func (e *Exchange) URL() string {
	base := e.Scheme + "://" + e.Addr
	target := afterAuthority(e.Request.Target)
	switch {
	case strings.HasPrefix(target, "/"):
		return base + target
	case target == "*" || target == "" || e.Request.Method == "CONNECT":
		return base
	default:
		return base + "/" + target
	}
}

// Message is what requests and responses share: the bytes that were on the wire.
type Message struct {
	// Head holds start line and fields through the blank line, byte for byte. HTTP/2 has no such bytes: its fields are
	// written as lines in the order in which they were sent, see [wire.RequestHead].
	Head []byte
	Body []byte // the body as it was on the wire: chunk framing, trailers and content coding included

	// Plain says that Body is the payload itself, without the transfer and content coding that the fields announce,
	// because the source kept no more (a HAR file). Head is then rebuilt from what the source did keep.
	Plain bool
	// Cut is the number of bytes that passed but were not stored: of the body, of Tunnel, or of a head of more than
	// 1088 KiB, which is marked Malformed besides.
	Cut int64

	// Parts are the pieces of the body before Body that its recorder took while the message was under way, so that
	// nobody had to hold it whole. They occur on the way to a store only: what is read has all of the body in Body.
	Parts []Part
	// Trailer holds the fields that HTTP/2 sent after the body, as lines like those of Head, through a blank line.
	// Those of a chunked body are in Body.
	Trailer []byte
	// Tunnel holds what was sent this way once the answer had switched the connection to another protocol (101, or 2xx
	// to CONNECT): the frames of a WebSocket, byte for byte.
	Tunnel []byte
	// Marks say when the parts of a stream passed, in ascending order; see [Streamed]. Nil for all else.
	Marks []Mark
}

// Part is a piece of a body that a recorder has taken.
type Part struct {
	Number uint64 // which piece it is, by the recorder's own count from 1; pieces with equal content may share one
	Size   int    // in bytes, at least 1
}

// PieceSize is how large, in bytes, a piece of a body is at most. Who splits a body splits it into pieces of this size
// from its start, so that equal bodies have equal pieces.
const PieceSize = 256 << 10

// payload takes transfer and content coding off the body. It unpacks to limit bytes at most.
func (m *Message) payload(fields wire.Fields, limit int64) ([]byte, error) {
	if m.Plain || len(m.Body) == 0 {
		return m.Body, nil
	}
	body := m.Body
	codings, chunked := wire.TransferCodings(fields)
	if chunked && !wire.IsHTTP2(m.Head) {
		body, _, _ = wire.Dechunk(body)
	}
	codings = append(fields.Values("Content-Encoding"), codings...)
	if len(codings) == 0 || len(body) == 0 {
		return body, nil
	}
	out, err := wire.Decode(strings.Join(codings, ","), body, limit)
	if err != nil {
		return body, fmt.Errorf("read body: %w", err)
	}
	return out, nil
}

// Request is the client's message: its bytes and the view parsed from them.
type Request struct {
	Message
	Method    string
	Target    string // the request-target as sent; origin form but for CONNECT and OPTIONS *
	Proto     string // "HTTP/1.1"
	Header    wire.Fields
	Malformed bool // the head could not be read in full
}

// ParseRequest makes the parsed view of a request. It never fails: what cannot be read is marked Malformed.
func ParseRequest(m Message) Request { return RequestOf(m, wire.ParseHead(m.Head)) }

// RequestOf is [ParseRequest] for callers that have read the head already: head is what m.Head parses to.
func RequestOf(m Message, head wire.Head) Request {
	r := Request{Message: m, Header: head.Fields}
	var ok bool
	r.Method, r.Target, r.Proto, ok = wire.RequestLine(head.Line)
	_, _, lengthErr := wire.ContentLength(head.Fields)
	r.Malformed = !ok || head.Err != nil || lengthErr != nil
	return r
}

// Payload returns the body without transfer and content coding. Where the coding is broken it returns the body as it
// is, with the error.
func (r *Request) Payload() ([]byte, error) { return r.payload(r.Header, MaxPayload) }

// Safe reports whether a request asks for nothing to be changed, by its method: those that RFC 9110 §9.2.1 names, and
// those of WebDAV and its kin that are registered as safe.
func (r *Request) Safe() bool {
	switch r.Method {
	case "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH":
		return true
	}
	return false
}

// Response is the API's answer: its bytes and the view parsed from them.
type Response struct {
	Message
	Interim   []byte // the heads of the 1xx responses before it, byte for byte
	Proto     string
	Status    int
	Reason    string
	Header    wire.Fields
	Malformed bool // the head could not be read in full
}

// ParseResponse makes the parsed view of a response. It never fails: what cannot be read is marked Malformed.
func ParseResponse(m Message) *Response { return ResponseOf(m, wire.ParseHead(m.Head)) }

// ResponseOf is [ParseResponse] for callers that have read the head already: head is what m.Head parses to.
func ResponseOf(m Message, head wire.Head) *Response {
	r := &Response{Message: m, Header: head.Fields}
	var ok bool
	r.Proto, r.Status, r.Reason, ok = wire.StatusLine(head.Line)
	_, _, lengthErr := wire.ContentLength(head.Fields)
	r.Malformed = !ok || head.Err != nil || lengthErr != nil
	return r
}

// StatusOf returns the status of an answer; 0 where there is none.
func StatusOf(r *Response) int {
	if r == nil {
		return 0
	}
	return r.Status
}

// Payload returns the body without transfer and content coding. Where the coding is broken it returns the body as it
// is, with the error.
func (r *Response) Payload() ([]byte, error) { return r.payload(r.Header, MaxPayload) }

// MediaType returns the media type of the body in lower case, without parameters; "" where none is given.
func (r *Response) MediaType() string { return mediaType(r.Header.Get("Content-Type")) }

// MediaType returns the media type of the body in lower case, without parameters; "" where none is given.
func (r *Request) MediaType() string { return mediaType(r.Header.Get("Content-Type")) }

// IsForm reports whether a body of a media type holds the pairs of a form. JSON is none: clients that are told nothing
// else send it under a form's type.
func IsForm(mediaType string, body []byte) bool {
	return mediaType == "application/x-www-form-urlencoded" && !looksJSON(body)
}

// looksJSON reports whether a body is an object or an array.
func looksJSON(body []byte) bool {
	first := bytes.TrimLeft(body, " \t\r\n")
	return len(first) > 0 && (first[0] == '{' || first[0] == '[') && json.Valid(body)
}

// FaultKind says what failed below HTTP.
type FaultKind string

// The kinds of fault.
const (
	FaultDial        FaultKind = "dial"        // the target could not be reached: refused, unreachable, no such host
	FaultTLS         FaultKind = "tls"         // the TLS handshake with the target failed
	FaultReset       FaultKind = "reset"       // the target reset the connection
	FaultEOF         FaultKind = "eof"         // the target closed before the first byte of its answer
	FaultTruncated   FaultKind = "truncated"   // the target closed within its answer
	FaultTimeout     FaultKind = "timeout"     // no answer within the time allowed
	FaultUnparseable FaultKind = "unparseable" // the answer is no HTTP
	FaultClient      FaultKind = "client"      // the client gave up before the answer was whole
)

// Fault is what failed below HTTP. It is never shown as an HTTP status.
type Fault struct {
	Kind FaultKind
	Text string  // the cause in words, for people
	Seen Message // the bytes of the answer that came before the fault; empty where there were none
	// Told is the answer that flaketap gave the client in the target's place, as a forward proxy; empty where it gave
	// none, and the client felt the fault as it was.
	Told Message
}

// String returns the kind and the cause, for people.
func (f *Fault) String() string {
	if f.Text == "" {
		return string(f.Kind)
	}
	return fmt.Sprintf("%s: %s", f.Kind, f.Text)
}
