package mock

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// Stub says how a request is answered. The files that it comes from are described in docs/external-services.md.
type Stub struct {
	Name     string // for people: its own, or the file and the number in it
	Priority int    // of several that match, the lowest answers; among equals the one that was read last
	Request  Request
	Response Response

	// Scenario is a list of answers that follow each other; "" for none. The stub answers while the scenario is in the
	// state When ("" in any), and takes it to Then ("" leaves it). A scenario begins in [Started].
	Scenario, When, Then string
}

// Started is the state in which each scenario begins.
const Started = "Started"

// defaultPriority is that of a stub which names none.
const defaultPriority = 5

// Request says which requests a stub is for. The zero Request is any.
type Request struct {
	Service string // the host, or host:port, that a file says for all of its stubs; "" for any
	Host    *Match // of the service, without its port
	Port    int    // of the service; 0 for any
	Method  string // "" for any
	URL     *Match // the path with the query, as they are sent
	Path    *Match // the path
	Query   []Named
	Header  []Named
	Body    []Match
}

// Named is what a query parameter or a header has to be. Where it is sent several times, one of them.
type Named struct {
	Name string
	Match
}

// Response is what a stub answers.
type Response struct {
	Status int
	// Interim is the status, 1xx, of an answer that goes before this one, at once, whatever the delay (RFC 9110 §15.2);
	// 0 for none. It has no header, and is not sent in HTTP/1.0. WireMock does not know it.
	Interim int
	Header  http.Header
	Body    []byte
	Delay   time.Duration
	Fault   Fault
}

// Fault is a way in which an answer fails; "" for none. The words are WireMock's.
type Fault string

// The faults.
const (
	Reset     Fault = "CONNECTION_RESET_BY_PEER"
	Empty     Fault = "EMPTY_RESPONSE"           // the connection ends without an answer
	Malformed Fault = "MALFORMED_RESPONSE_CHUNK" // the status is 200, whatever the stub says, and the body is none
	Garbage   Fault = "RANDOM_DATA_THEN_CLOSE"
	// Untrusted is of flaketap alone: the certificate of the service is one that nobody trusts, whatever the request. Who
	// takes it nonetheless gets the answer; without TLS the connection ends.
	Untrusted Fault = "UNTRUSTED_CERTIFICATE"
)

// Faults are all of them.
func Faults() []Fault { return []Fault{Reset, Empty, Malformed, Garbage, Untrusted} }

// relation is how a match compares.
type relation int

const (
	equals relation = iota
	contains
	lacks // does not contain
	matches
	differs // does not match
	absent
	equalsJSON
)

// Match says what one text of a request has to be.
type Match struct {
	relation relation
	text     string
	pattern  *regexp.Regexp // of matches and differs, for the whole text
	fold     bool           // upper and lower case are the same

	json         any // of equalsJSON, decoded
	anyOrder     bool
	extraAllowed bool
}

// shownBody bounds what is told of a body, in bytes.
const shownBody = 60

// About says in a line what the stub does: "GET rates.example.com:443/latest answers 429".
func (s Stub) About() string {
	r := s.Response
	who := cmp.Or(s.Name, "a service")
	if r.Interim != 0 {
		who += fmt.Sprintf(" answers %d, then", r.Interim)
	}
	out := fmt.Sprintf("%s answers %d", who, r.Status)
	if r.Fault != "" {
		out = fmt.Sprintf("%s ends with %s", who, r.Fault)
	} else if text := strings.ToValidUTF8(string(r.Body), "?"); len(text) > shownBody {
		out += " " + strings.ToValidUTF8(text[:shownBody], "") + "…" // no half of a character
	} else if text != "" {
		out += " " + text
		if isCut(r.Body) {
			out += "…"
		}
	}
	if r.Delay > 0 {
		out += fmt.Sprintf(", %s late", r.Delay)
	}
	return out
}

// isCut reports whether a body is an object or a list that ends too early, as that of an answer which breaks off.
func isCut(body []byte) bool {
	var v any
	return strings.IndexByte("{[", body[0]) >= 0 &&
		errors.Is(json.NewDecoder(bytes.NewReader(body)).Decode(&v), io.ErrUnexpectedEOF)
}
