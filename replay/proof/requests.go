package proof

import (
	"iter"
	"net/http"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

const (
	maxReads  = 20
	maxWrites = 50
)

// Requests picks, of a recording, requests to read with and to write with: such as were answered with 2xx, each once.
// DELETE is not among them, as it may undo what the others do.
func Requests(recorded iter.Seq2[*exchange.Exchange, error]) (reads, writes []Request, err error) {
	known := map[string]bool{}
	for e, err := range recorded {
		if err != nil {
			return nil, nil, err
		}
		if len(reads) == maxReads && len(writes) == maxWrites {
			break
		}
		r := &e.Request
		served := e.Response != nil && e.Response.Status/100 == 2
		if !served || !strings.HasPrefix(r.Target, "/") || r.Method == http.MethodDelete {
			continue
		}
		body, err := r.Payload()
		if err != nil {
			continue // it could not be sent again
		}
		picked := Request{Method: r.Method, Target: r.Target, Header: headers(r), Body: body}
		key := r.Method + " " + r.Target + "\x00" + string(body)
		if known[key] {
			continue
		}
		known[key] = true
		switch {
		case r.Method == http.MethodGet && len(reads) < maxReads:
			reads = append(reads, picked)
		case !r.Safe() && len(writes) < maxWrites:
			writes = append(writes, picked)
		}
	}
	return reads, writes, nil
}

// headers are those fields of a recorded request that are the client's word, not the connection's.
func headers(r *exchange.Request) http.Header {
	h := http.Header{}
	for _, f := range r.Header {
		switch strings.ToLower(f.Name) {
		case "host", "connection", "content-length", "transfer-encoding", "content-encoding", "accept-encoding", "upgrade",
			"te", "trailer", "keep-alive", "proxy-connection", "proxy-authorization", "expect", "if-none-match", "if-modified-since":
		default:
			h.Add(f.Name, f.Value)
		}
	}
	return h
}
