package mocked

import (
	"strings"

	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/warmup"
)

// warming is the request of a behavior as an API is warmed up by it, where it may be: all goes well, at once.
func warming(b journaled) (r warmup.Request, may bool) {
	e := b.Trials[0][0]
	if e.Fault != nil || e.Response.Status/100 != 2 || len(b.Findings) > 0 || late(b.Stubs) {
		return r, false
	}
	sent := search.Request{Method: e.Request.Method, Target: e.Request.Target, Header: map[string]string{},
		Body: e.Request.Body}
	for _, f := range e.Request.Header {
		if name := strings.ToLower(f.Name); name != "host" && name != "content-length" {
			sent.Header[f.Name] = f.Value
		}
	}
	return warmup.Request{Sent: sent, Mappings: b.Stubs, Status: e.Response.Status,
		Services: warmup.Services(b.noted[0].Calls)}, true
}
