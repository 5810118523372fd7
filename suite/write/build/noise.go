package build

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// A recorded client says much that is about itself: which program it is, which codings it reads, how a browser came to
// ask. A test is another client, and leaves that out, unless an answer depends on it: says it again, names the header
// in Vary (RFC 9110, section 12.5.5), has a content coding, or unless the session asked the same operation with several
// values.

// userAgent is the name under which tests ask.
const userAgent = "flaketap-suite"

// readNoise lists the headers of a request that tell of the recorded client alone, by their names in lower case.
func (b *builder) readNoise() map[string]bool {
	values := map[string][]string{}
	depends := map[string]bool{}
	for i := range b.src.Steps {
		e := b.src.Steps[i].Exchange
		for _, h := range e.Request.Header {
			name := strings.ToLower(strings.TrimSpace(h.Name))
			sequence := e.Sequence != "" && h.Value == e.Sequence // by which the client told which one it is
			if depends[name] || !sequence && !ofClient(name, h.Value) {
				continue
			}
			if !sequence && !slices.Contains(values[name], h.Value) || values[name] == nil {
				values[name] = append(values[name], h.Value)
			}
			depends[name] = len(values[name]) > 1 || answersTo(e.Response, name, h.Value)
		}
	}
	out := map[string]bool{}
	for name := range values {
		out[name] = !depends[name]
	}
	return out
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
	return strings.Contains(text, name) || strings.Contains(text, strings.ReplaceAll(name, "-", "_")) && strings.Contains(name, "-") ||
		len(value) >= minTold && strings.Contains(text, strings.ToLower(value))
}
