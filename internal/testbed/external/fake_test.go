package external

import (
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// proof is what the services have to answer for each label to be seen: proof.json.
type proof struct {
	// Calls are the calls of the services and what they answer where a case says nothing else.
	Calls []proofCall `json:"calls"`
	// Cases have, by the ID of a label and the name of a call, what is answered instead: one after the other, the last
	// again and again.
	Cases map[string]map[string]replies `json:"cases"`
}

type proofCall struct {
	Name    string `json:"name"`
	Service string `json:"service"`
	Method  string `json:"method"`
	Path    Regexp `json:"path"`
	Answer  reply  `json:"answer"`
}

// reply is one answer of a service.
type reply struct {
	Status  int               `json:"status"` // that of the call's usual answer where it is 0
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"`
	Merge   map[string]any    `json:"merge"` // a JSON Merge Patch of the usual body
	Text    string            `json:"text"`  // a body that is no JSON
	Reset   bool              `json:"reset"` // the connection is reset
	Silent  bool              `json:"silent"`
}

// replies is one reply or a list of them.
type replies []reply

func (r *replies) UnmarshalJSON(data []byte) error {
	if strings.HasPrefix(string(data), "[") {
		return json.Unmarshal(data, (*[]reply)(r))
	}
	*r = replies{{}}
	return json.Unmarshal(data, &(*r)[0])
}

// tooMany is the number of calls after which whoever watches an API has seen enough of it.
const tooMany = 20

// fake answers in the place of all services of an API.
type fake struct {
	calls    []proofCall
	services []*httptest.Server
	env      string // the variable SERVICES

	mu      sync.Mutex
	answers map[string]replies
	served  map[string]int
	seen    []Call
	enough  func() // called at the call that is one too many
	over    chan struct{}
}

func newFake(t *testing.T, labels *Labels, calls []proofCall) *fake {
	f := &fake{calls: calls, over: make(chan struct{})}
	pairs := []string{}
	for _, s := range labels.Services {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { f.serve(s, w, r) }))
		f.services = append(f.services, server)
		pairs = append(pairs, s.Name+"="+server.URL)
	}
	f.env = "SERVICES=" + strings.Join(pairs, ",")
	t.Cleanup(func() {
		f.begin(nil, func() {})
		for _, s := range f.services {
			s.Close()
		}
	})
	return f
}

// begin ends what the last case keeps waiting, and answers as another case has it.
func (f *fake) begin(answers map[string]replies, enough func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.over)
	f.over, f.answers, f.served, f.seen, f.enough = make(chan struct{}), answers, map[string]int{}, nil, enough
}

// taken returns the calls since the last time, or since the case began.
func (f *fake) taken() []Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	seen := f.seen
	f.seen = nil
	return seen
}

// next chooses the answer to a call, and takes note of the call.
func (f *fake) next(s Service, r *http.Request) (answer reply, over <-chan struct{}, enough func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	answer = reply{Status: http.StatusNotFound, Text: "no such resource"}
	i := slices.IndexFunc(f.calls, func(c proofCall) bool {
		return c.Service == s.Name && c.Method == r.Method && c.Path.in(r.URL.RequestURI())
	})
	if i >= 0 {
		c := f.calls[i]
		answer = c.Answer
		if list := f.answers[c.Name]; len(list) > 0 {
			answer = list[min(f.served[c.Name], len(list)-1)].over(c.Answer)
		}
		f.served[c.Name]++
	}
	call := Call{Method: r.Method, Host: s.Host, Path: r.URL.RequestURI(), Status: answer.Status}
	if answer.Reset || answer.Silent {
		call.Status = 0
	}
	if f.seen = append(f.seen, call); len(f.seen) == tooMany {
		f.enough()
	}
	return answer, f.over, f.enough
}

// over returns the reply with what it does not say taken from the usual one.
func (r reply) over(usual reply) reply {
	if r.Status == 0 {
		r.Status = usual.Status
	}
	if r.Merge != nil {
		r.Body, _ = json.Marshal(merge(usual.Body, r.Merge))
	} else if r.Body == nil && r.Text == "" && r.Status < 300 {
		r.Body = usual.Body
	}
	return r
}

// merge applies a JSON Merge Patch (RFC 7396) to an object, or to null.
func merge(body json.RawMessage, patch map[string]any) map[string]any {
	var out map[string]any
	if json.Unmarshal(body, &out) != nil || out == nil {
		out = map[string]any{}
	}
	for name, value := range patch {
		inner, isObject := value.(map[string]any)
		switch {
		case value == nil:
			delete(out, name)
		case isObject:
			old, _ := json.Marshal(out[name])
			out[name] = merge(old, inner)
		default:
			out[name] = value
		}
	}
	return out
}

func (f *fake) serve(s Service, w http.ResponseWriter, r *http.Request) {
	answer, over, enough := f.next(s, r)
	switch {
	case answer.Silent:
		select {
		case <-over:
		case <-r.Context().Done(): // the API waits no longer
		case <-time.After(timeout + patience):
			enough()
			<-over
		}
		panic(http.ErrAbortHandler)
	case answer.Reset:
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.(*net.TCPConn).SetLinger(0)
			conn.Close()
		}
		return
	}
	for name, value := range answer.Headers {
		w.Header().Set(name, value)
	}
	body := []byte(answer.Text)
	if answer.Text == "" && answer.Body != nil {
		w.Header().Set("Content-Type", "application/json")
		body = answer.Body
	} else if answer.Text == "" {
		body = []byte(`{"error": "as it was asked for"}`)
	}
	if answer.Status == http.StatusNoContent {
		body = nil
	}
	w.WriteHeader(answer.Status)
	w.Write(body)
}

// damaged returns the case in which one place of a call's usual answer is gone, null, or of another type, for each place.
func damaged(c proofCall) []map[string]replies {
	var out []map[string]replies
	var whole any
	if json.Unmarshal(c.Answer.Body, &whole) != nil {
		return nil
	}
	emit := func() {
		data, _ := json.Marshal(whole)
		out = append(out, map[string]replies{c.Name: {{Status: c.Answer.Status, Body: data}}})
	}
	damage(whole, func(set func(any), was any) {
		for _, value := range []any{nil, "", "odd", 0, -1, 1e9, true, []any{}, []any{nil}, map[string]any{}} {
			set(value)
			emit()
		}
		set(was)
	}, emit)
	return out
}

// damage visits every place below a value, and leaves every member out once.
func damage(value any, visit func(set func(any), was any), emit func()) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			was := v[name]
			delete(v, name)
			emit()
			v[name] = was
			visit(func(x any) { v[name] = x }, was)
			damage(was, visit, emit)
		}
	case []any:
		for i, was := range v {
			visit(func(x any) { v[i] = x }, was)
			damage(was, visit, emit)
		}
	}
}
