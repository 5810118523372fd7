package archive

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/mock/search"
)

// ofConnection are the fields that belong to the recorded connection, or follow from the body.
var ofConnection = []string{"host", "content-length", "connection", "keep-alive", "transfer-encoding", "expect",
	"accept-encoding", "upgrade", "te"}

// requests are those of a recording, one of each operation: the first that was answered 2xx, else the first. Those
// whose bytes cannot be sent again are left out.
func requests(all []*exchange.Exchange) []search.Request {
	operations := flow.Operations(all, nil)
	var order []exchange.Operation
	chosen := map[exchange.Operation]*exchange.Exchange{}
	for _, e := range all {
		if e.Request.Malformed || e.Unsendable() != "" || !strings.HasPrefix(e.Request.Target, "/") {
			continue
		}
		op := operations[e.Seq]
		before, there := chosen[op]
		if !there {
			order = append(order, op)
		}
		if !there || !succeeded(before) && succeeded(e) {
			chosen[op] = e
		}
	}
	out := make([]search.Request, 0, len(order))
	for _, op := range order {
		if r, ok := RequestOf(chosen[op]); ok {
			out = append(out, r)
		}
	}
	return out
}

func succeeded(e *exchange.Exchange) bool { return e.Response != nil && e.Response.Status/100 == 2 }

// RequestOf is a recorded request, as it is sent again; ok is false where it cannot be.
func RequestOf(e *exchange.Exchange) (r search.Request, ok bool) {
	body, err := e.Request.Payload()
	if err != nil {
		return r, false
	}
	r = search.Request{Method: e.Request.Method, Target: e.Request.Target, Header: map[string]string{}, Body: body}
	for _, f := range e.Request.Header {
		name := strings.ToLower(strings.TrimSpace(f.Name))
		if !slices.Contains(ofConnection, name) && !strings.HasPrefix(name, ":") && name != "content-encoding" {
			r.Header[name] = f.Value
		}
	}
	return r, true
}

// ParseRequest reads a request as people write it: "GET /path", or "POST /path BODY".
func ParseRequest(text string) (r search.Request, ok bool) {
	method, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	target, body, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if method == "" || strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || !strings.HasPrefix(target, "/") {
		return r, false
	}
	r = search.Request{Method: method, Target: target, Body: []byte(body), Header: map[string]string{}}
	if strings.HasPrefix(body, "{") || strings.HasPrefix(body, "[") {
		r.Header["content-type"] = "application/json"
	}
	return r, true
}
