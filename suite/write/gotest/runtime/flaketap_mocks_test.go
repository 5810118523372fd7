// What external services answer while a test runs, and what the API asks of them. Needs the standard library only.
//
// FLAKETAP_MOCKS is where `flaketap mock serve` is told. Where that is not set, the stubs are served here, at the port of
// FLAKETAP_MOCKS_PORT: see README.md.

package apitest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// often is as often as calls in a row are counted: how often what never ends depends on the machine.
const often = 10

// services returns where external services are told what to answer.
var services = sync.OnceValues(func() (string, error) {
	if url := os.Getenv("FLAKETAP_MOCKS"); url != "" {
		return url, nil
	}
	port := os.Getenv("FLAKETAP_MOCKS_PORT")
	if port == "" {
		return "", errors.New("nothing answers for the API's external services: run `flaketap mock serve --start CMD -- go test`, or see README.md")
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		return "", err
	}
	go func() { _ = (&http.Server{Handler: &mocks{}, ReadHeaderTimeout: time.Minute}).Serve(l) }() // as long as the tests run
	return "http://" + l.Addr().String(), nil
})

// services returns where external services tell what they were asked.
func (c *client) services() string {
	c.t.Helper()
	url, err := services()
	if err != nil {
		c.t.Fatal(err)
	}
	return url
}

// mocks puts the API back to its start, and has its services answer as a file says.
func (c *client) mocks(name string) {
	c.t.Helper()
	if how := os.Getenv("FLAKETAP_RESET"); how != "" {
		if err := reset(how); err != nil {
			c.t.Fatal("reset:", err)
		}
	}
	stubs, err := os.ReadFile(filepath.Join("mocks", name+".json"))
	if err != nil {
		c.t.Fatal(err)
	}
	res, err := c.try(request{method: "PUT", target: "/stubs", base: c.services(), body: string(stubs)})
	if err != nil || res.code != http.StatusNoContent {
		c.t.Fatalf("external services cannot be told what to answer: %v %+v", err, res)
	}
}

// mocksHang is mocks for a test that leaves the API hanging: it is started anew when the test is over.
func (c *client) mocksHang(name string) {
	c.t.Helper()
	how := os.Getenv("FLAKETAP_RESTART")
	if how == "" {
		c.t.Skip("the API hangs in this test, and FLAKETAP_RESTART does not say how it is started anew")
	}
	c.mocks(name)
	c.t.Cleanup(func() {
		if err := reset(how); err != nil {
			c.t.Error("restart:", err)
		}
	})
}

// ends asserts how a request ends that is not answered: it "hangs" for so many seconds, or "breaks off".
func (c *client) ends(r request, seconds int, want string) {
	c.t.Helper()
	got := "breaks off"
	switch res, err := c.within(r, time.Duration(seconds)*time.Second); {
	case err == nil:
		got = fmt.Sprint("answers ", res.code)
	case errors.Is(err, context.DeadlineExceeded):
		got = "hangs"
	}
	if got != want {
		c.t.Errorf("%s %s %s, want %s", r.method, r.target, got, want)
	}
}

// mapping is one of WireMock's, as far as it is served here.
type mapping struct {
	ID       json.RawMessage `json:"id"`
	UUID     json.RawMessage `json:"uuid"`
	Metadata json.RawMessage `json:"metadata"`
	Name     string          `json:"name"`
	Priority int             `json:"priority"`
	Request  struct {
		Host struct {
			EqualTo string `json:"equalTo"`
		} `json:"host"`
		Port        int    `json:"port"`
		Method      string `json:"method"`
		URL         string `json:"url"`
		Path        string `json:"urlPath"`
		Pattern     string `json:"urlPattern"`
		PathPattern string `json:"urlPathPattern"`
	} `json:"request"`
	Response struct {
		Status  int             `json:"status"`
		Interim int             `json:"interimStatus"`
		Headers map[string]any  `json:"headers"`
		Body    string          `json:"body"`
		JSON    json.RawMessage `json:"jsonBody"`
		Delay   int             `json:"fixedDelayMilliseconds"`
		Fault   string          `json:"fault"`
	} `json:"response"`
	Scenario string `json:"scenarioName"`
	When     string `json:"requiredScenarioState"`
	Then     string `json:"newScenarioState"`
}

// isFor reports whether a stub is for a request to a service.
func (m *mapping) isFor(service, method, target string) bool {
	host, port, _ := net.SplitHostPort(service)
	path, _, _ := strings.Cut(target, "?")
	whole := func(pattern, text string) bool {
		re, err := regexp.Compile(`(?s)\A(?:` + pattern + `)\z`)
		return pattern == "" || err == nil && re.MatchString(text)
	}
	r := m.Request
	return (r.Method == "" || r.Method == "ANY" || r.Method == method) &&
		(r.Host.EqualTo == "" || strings.EqualFold(r.Host.EqualTo, host)) && (r.Port == 0 || strconv.Itoa(r.Port) == port) &&
		(r.URL == "" || r.URL == target) && (r.Path == "" || r.Path == path) &&
		whole(r.Pattern, target) && whole(r.PathPattern, path)
}

// asked is a call to a service.
type asked struct {
	Service string          `json:"service"`
	Method  string          `json:"method"`
	Target  string          `json:"target"`
	Body    json.RawMessage `json:"body,omitempty"`
	Times   int             `json:"times"`

	begun, ended time.Time // ended when it is about to be answered
}

func (a *asked) compare(b *asked) int {
	return cmp.Or(cmp.Compare(a.Service, b.Service), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Target, b.Target),
		bytes.Compare(a.Body, b.Body))
}

// mocks serves stubs: the first segment of a path is the service, as in http://127.0.0.1:9000/rates.example.com:443/latest.
type mocks struct {
	sync.Mutex
	stubs  []mapping
	states map[string]string
	calls  []*asked
}

func (m *mocks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	switch {
	case err != nil:
		panic(http.ErrAbortHandler)
	case r.Method == http.MethodPut && r.URL.Path == "/stubs":
		if err := m.load(body); err != nil {
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodGet && r.URL.Path == "/calls":
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"calls": m.asked()})
	default:
		service, target, _ := strings.Cut(strings.TrimPrefix(r.RequestURI, "/"), "/")
		m.answer(w, r, &asked{Service: service, Method: r.Method, Target: "/" + target, Body: asJSONValue(body), begun: time.Now()})
	}
}

// asJSONValue is a body as it is compared: JSON, or a text.
func asJSONValue(body []byte) json.RawMessage {
	var compact bytes.Buffer
	if len(body) == 0 || json.Compact(&compact, body) == nil {
		return compact.Bytes()
	}
	return json.RawMessage(quote(string(body)))
}

func (m *mocks) load(body []byte) error {
	var file struct {
		Mappings []json.RawMessage `json:"mappings"`
	}
	if err := json.Unmarshal(body, &file); err != nil {
		return err
	}
	stubs := make([]mapping, len(file.Mappings))
	for i, raw := range file.Mappings {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if err := d.Decode(&stubs[i]); err != nil {
			return fmt.Errorf("what is not served here needs flaketap mock serve: %w", err)
		}
	}
	slices.Reverse(stubs)
	slices.SortStableFunc(stubs, func(a, b mapping) int { return cmp.Compare(cmp.Or(a.Priority, 5), cmp.Or(b.Priority, 5)) })
	m.Lock()
	defer m.Unlock()
	m.stubs, m.states, m.calls = stubs, map[string]string{}, nil
	return nil
}

// choose returns the stub that is for a call, nil where there is none.
func (m *mocks) choose(call *asked) *mapping {
	m.Lock()
	defer m.Unlock()
	m.calls = append(m.calls, call)
	for i := range m.stubs {
		s := &m.stubs[i]
		if s.isFor(call.Service, call.Method, call.Target) && (s.When == "" || s.When == cmp.Or(m.states[s.Scenario], "Started")) {
			if s.Then != "" {
				m.states[s.Scenario] = s.Then
			}
			return s
		}
	}
	return nil
}

const (
	// sideBySide is how long every answer is held back: calls that are made side by side may come one after the other,
	// and are known as what they are only while the first has no answer.
	sideBySide = 20 * time.Millisecond
	maxHeld    = 100 // calls: nobody looks at the order of very many
)

// held is how long an answer is held back.
func (m *mocks) held() time.Duration {
	m.Lock()
	defer m.Unlock()
	if len(m.calls) > maxHeld {
		return 0
	}
	return sideBySide
}

func (m *mocks) answer(w http.ResponseWriter, r *http.Request, call *asked) {
	stub, delay := m.choose(call), m.held()
	if stub != nil {
		delay = max(delay, time.Duration(stub.Response.Delay)*time.Millisecond)
		if stub.Response.Interim != 0 {
			w.WriteHeader(stub.Response.Interim)
		}
	}
	select {
	case <-time.After(delay):
	case <-r.Context().Done():
		return
	}
	m.Lock()
	call.ended = time.Now()
	m.Unlock()
	w.Header().Set("Connection", "close") // no call depends on a connection that another left
	if stub == nil {
		http.Error(w, fmt.Sprintf("no stub for %s %s%s", call.Method, call.Service, call.Target), http.StatusNotFound)
		return
	}
	if stub.Response.Fault != "" {
		fail(w, stub.Response.Fault)
		return
	}
	w.Header()["Content-Type"] = nil
	for name, value := range stub.Response.Headers {
		list, several := value.([]any)
		if !several {
			list = []any{value}
		}
		for _, one := range list {
			w.Header().Add(name, here(name, fmt.Sprint(one), call.Service, r.Host))
		}
	}
	w.WriteHeader(cmp.Or(stub.Response.Status, http.StatusOK))
	if stub.Response.JSON != nil {
		_, _ = w.Write(stub.Response.JSON)
		return
	}
	_, _ = io.WriteString(w, stub.Response.Body)
}

// here is the value of a field of a head whose references to their own service lead here, at a host, where the service
// is the first segment of the path.
func here(name, value, service, at string) string {
	if name := http.CanonicalHeaderKey(name); name != "Location" && name != "Link" {
		return value
	}
	colon := strings.LastIndex(service, ":")
	if colon < 0 {
		return value
	}
	own := regexp.MustCompile(`(^|<)(https?://` + regexp.QuoteMeta(service[:colon]) + `(?:` + regexp.QuoteMeta(service[colon:]) + `)?)?/([^/]|$)`)
	return own.ReplaceAllStringFunc(value, func(found string) string {
		m := own.FindStringSubmatch(found)
		if m[2] != "" {
			m[2] = "http://" + at
		}
		return m[1] + m[2] + "/" + service + "/" + m[3]
	})
}

// fail ends a connection in the way of a fault.
func fail(w http.ResponseWriter, fault string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer conn.Close()
	switch fault {
	case "MALFORMED_RESPONSE_CHUNK":
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno chunk")
	case "RANDOM_DATA_THEN_CLOSE":
		_, _ = io.WriteString(conn, "\x16no HTTP\x00\xff")
	case "CONNECTION_RESET_BY_PEER":
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
	}
}

// asked lists the calls as they began; those that were under way at the same time are sorted, and repeated ones listed once.
func (m *mocks) asked() []*asked {
	m.Lock()
	defer m.Unlock()
	out := []*asked{}
	for calls := m.calls; len(calls) > 0; {
		n, until := 1, calls[0].ended
		for ; n < len(calls) && calls[n].begun.Before(until); n++ {
			if calls[n].ended.After(until) {
				until = calls[n].ended
			}
		}
		group := slices.Clone(calls[:n])
		slices.SortStableFunc(group, (*asked).compare)
		for _, call := range group {
			if last := len(out) - 1; last >= 0 && out[last].compare(call) == 0 {
				out[last].Times = min(out[last].Times+1, often)
				continue
			}
			once := *call
			once.Times = 1
			out = append(out, &once)
		}
		calls = calls[n:]
	}
	return out
}
