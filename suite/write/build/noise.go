package build

import (
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// A recorded client says much that is about itself: which program it is, which codings it reads, how a browser came to
// ask. A test is another client, and leaves that out, but where the answers of the operation depend on it: one says it
// again, names the header in Vary (RFC 9110, section 12.5.5), or has a content coding, or the same request with another
// value was answered otherwise.

// userAgent is the name under which tests ask.
const userAgent = "flaketap-suite"

// clientHeader is a header of an operation's requests, by its name in lower case.
type clientHeader struct {
	name string
	op   exchange.Operation
}

// noise is what tells of the recorded client.
type noise struct {
	headers map[string]bool       // by name in lower case
	told    map[clientHeader]bool // what answers depend on all the same
}

// is reports whether a header of a request is left out.
func (n *noise) is(b *builder, e *exchange.Exchange, name string) bool {
	name = strings.ToLower(name)
	return n.headers[name] && !n.told[clientHeader{name, b.src.Operations[e.Seq]}]
}

// readNoise finds the headers of requests that tell of the recorded client alone.
func (b *builder) readNoise() noise {
	n := noise{headers: map[string]bool{}, told: map[clientHeader]bool{}}
	type asked struct{ name, request string }
	first := map[asked]*exchange.Exchange{} // that sent a header, by what it asked for
	for i := range b.src.Steps {
		e := b.src.Steps[i].Exchange
		for _, h := range e.Request.Header {
			name := strings.ToLower(strings.TrimSpace(h.Name))
			sequence := e.Sequence != "" && h.Value == e.Sequence // by which the client told which one it is
			if !sequence && !ofClient(name, h.Value) {
				continue
			}
			n.headers[name] = true
			key := asked{name, e.Request.Method + " " + requestText(e)}
			before := first[key]
			if before == nil {
				first[key] = e
			}
			if answersTo(e.Response, name, h.Value) ||
				before != nil && !sequence && before.Request.Header.Get(name) != h.Value && b.answeredElse(before, e) {
				n.told[clientHeader{name, b.src.Operations[e.Seq]}] = true
			}
		}
	}
	return n
}

// answeredElse reports whether two exchanges were answered by other statuses, or by what says something else where the
// map knows of nothing that moves.
func (b *builder) answeredElse(one, other *exchange.Exchange) bool {
	if one.Response == nil || other.Response == nil {
		return false
	}
	return one.Response.Status != other.Response.Status || b.saysElse(one, other)
}

// ofClient reports whether a header tells of the client that sent it.
func ofClient(name, value string) bool {
	switch name {
	case "user-agent", "accept-encoding", "connection", "upgrade-insecure-requests", "priority":
		return true
	case "accept":
		return value == "*/*"
	}
	return strings.HasPrefix(name, "sec-fetch-") || strings.HasPrefix(name, "sec-ch-ua")
}

// minTold is the least length, in bytes, of a value that is looked for in answers.
const minTold = 4

// answersTo reports whether an answer tells of a header of its request.
func answersTo(r *exchange.Response, name, value string) bool {
	if r == nil {
		return false
	}
	if name == "accept-encoding" && r.Header.Has("Content-Encoding") || r.Header.HasToken("Vary", name) {
		return true
	}
	payload, _ := r.Payload()
	text := strings.ToLower(string(payload[:min(len(payload), maxText)]))
	return strings.Contains(text, name) ||
		strings.Contains(text, strings.ReplaceAll(name, "-", "_")) && strings.Contains(name, "-") ||
		len(value) >= minTold && strings.Contains(text, strings.ToLower(value))
}
