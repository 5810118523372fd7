package export

import (
	"bytes"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/mock"
)

// notExported are the fields of an answer that belong to its connection, or to its moment.
var notExported = []string{"connection", "content-encoding", "content-length", "date", "keep-alive", "transfer-encoding"}

// faults are those of a stub that an API sees as the recorded ones.
var faults = map[exchange.FaultKind]mock.Fault{exchange.FaultReset: mock.Reset, exchange.FaultEOF: mock.Empty,
	exchange.FaultTruncated: mock.Malformed, exchange.FaultUnparseable: mock.Garbage}

// Recorded makes stubs of recorded calls: one for each request, or, where that was answered otherwise later, one for
// each answer, in their order; each answers as late as the call's Latency says, in whole milliseconds. Calls that no
// service answered are left out. Secrets are shown as the redactor does;
// what would have to be matched by one is not matched.
func Recorded(calls []*exchange.External, r exchange.Redactor) []mock.Stub {
	order, answers := []string{}, map[string][]mock.Stub{}
	for _, x := range calls {
		stub, ok := recorded(x, r)
		if !ok {
			continue
		}
		key := fmt.Sprintf("%s %s %s %+v", x.Request.Method, x.Addr, x.Request.Target, stub.Request.Body)
		if answers[key] == nil {
			order = append(order, key)
		}
		answers[key] = append(answers[key], stub)
	}
	var out []mock.Stub
	for i, key := range order {
		all := answers[key]
		if !slices.ContainsFunc(all, func(s mock.Stub) bool { return !sameAnswer(s.Response, all[0].Response) }) {
			out = append(out, all[0])
			continue
		}
		state := mock.Started
		for j := range all {
			all[j].Scenario, all[j].When = fmt.Sprintf("%s, %d", all[j].Name, i+1), state
			if j+1 < len(all) {
				state = fmt.Sprintf("answer %d", j+2)
				all[j].Then = state
			}
		}
		out = append(out, all...)
	}
	return out
}

func sameAnswer(a, b mock.Response) bool {
	return a.Status == b.Status && a.Fault == b.Fault && bytes.Equal(a.Body, b.Body) &&
		maps.EqualFunc(a.Header, b.Header, slices.Equal)
}

// recorded is the stub of one call.
func recorded(x *exchange.External, r exchange.Redactor) (s mock.Stub, ok bool) {
	host, port, err := net.SplitHostPort(x.Addr)
	if err != nil || x.Request.Malformed || !ofService(x) {
		return s, false
	}
	target := redact.Target(r, x.Request.Target)
	path, _ := exchange.SplitTarget(target)
	s = mock.Stub{Name: x.Request.Method + " " + x.Addr + path, Response: mock.Response{Header: http.Header{}}}
	of := mock.EqualTo(host)
	s.Request = mock.Request{Host: &of, Method: x.Request.Method}
	s.Request.Port, _ = strconv.Atoi(port) // what is no number matches any
	asks(&s.Request, x.Request.Target, target)
	if body, err := x.Request.Payload(); err == nil && len(body) > 0 && x.Request.Cut == 0 {
		if shown := redact.Body(r, x.Request.Header.Get("Content-Type"), body); bytes.Equal(shown, body) {
			if m, is := mock.EqualToJSON(body); is {
				s.Request.Body = []mock.Match{m}
			} else {
				s.Request.Body = []mock.Match{mock.EqualTo(string(body))}
			}
		}
	}
	s.Response.Delay = x.Latency.Truncate(time.Millisecond)
	if x.Fault != nil {
		s.Response.Status, s.Response.Fault = http.StatusOK, faults[x.Fault.Kind]
		return s, s.Response.Fault != ""
	}
	return s, answers(&s.Response, x.Response, r)
}

// ofService reports whether a call has an answer, or a fault, that is not our own word that there is no stub.
func ofService(x *exchange.External) bool {
	if x.Response == nil {
		return x.Fault != nil
	}
	return x.Stub != "" || x.Response.Status != http.StatusNotFound || !bytes.HasPrefix(x.Response.Body, []byte("no stub for "))
}

// asks says what a request is matched by: its target, or, where that has secrets, what is none of them.
func asks(to *mock.Request, target, shown string) {
	if target == shown {
		m := mock.EqualTo(target)
		to.URL = &m
		return
	}
	path, query := splitURL(target)
	m := mock.EqualTo(path)
	to.Path = &m
	_, same := splitURL(shown)
	for i, n := range query {
		if i < len(same) && same[i].Name == n.Name && same[i].Matcher().Text == n.Matcher().Text {
			to.Query = append(to.Query, n)
		}
	}
}

// splitURL splits a target to its path and what its parameters are, in the order of their names.
func splitURL(target string) (path string, query []mock.Named) {
	path, raw, _ := strings.Cut(target, "?")
	values, _ := url.ParseQuery(raw) // what cannot be read is not matched
	for _, name := range slices.Sorted(maps.Keys(values)) {
		query = append(query, mock.Named{Name: name, Match: mock.EqualTo(values[name][0])})
	}
	return path, query
}

// answers fills an answer as it was recorded.
func answers(to *mock.Response, from *exchange.Response, r exchange.Redactor) bool {
	body, err := from.Payload()
	if err != nil || from.Malformed || from.Status < 200 || from.Status > 599 {
		return false
	}
	to.Status = from.Status
	to.Body = redact.Body(r, from.Header.Get("Content-Type"), body)
	for _, f := range from.Header {
		if name := http.CanonicalHeaderKey(f.Name); !slices.Contains(notExported, strings.ToLower(name)) {
			to.Header[name] = append(to.Header[name], redact.Header(r, name, f.Value))
		}
	}
	return true
}
