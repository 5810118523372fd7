package mock

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// asked is a request as stubs are held against it.
type asked struct {
	host   string // of the service, in lower case
	port   int
	method string
	url    *url.URL
	query  url.Values
	header http.Header
	body   []byte
}

// service is the service that was asked, as host:port.
func (a asked) service() string { return net.JoinHostPort(a.host, strconv.Itoa(a.port)) }

// target is the path as it was sent, with the query.
func (a asked) target() string {
	if a.url.RawQuery != "" || a.url.ForceQuery {
		return a.url.EscapedPath() + "?" + a.url.RawQuery
	}
	return a.url.EscapedPath()
}

// bodies is the body, or none.
func (a asked) bodies() []string {
	if len(a.body) == 0 {
		return nil
	}
	return []string{string(a.body)}
}

// is reports whether one of several texts is what it has to be, as of a field that is sent twice. Where there is none,
// it is absent, and has not what it may not have.
func (m Match) is(texts ...string) bool {
	if len(texts) == 0 {
		return m.relation == absent || m.relation == lacks || m.relation == differs
	}
	return slices.ContainsFunc(texts, m.holdsOf)
}

func (m Match) holdsOf(text string) bool {
	want := m.text
	if m.fold {
		text, want = strings.ToLower(text), strings.ToLower(want)
	}
	switch m.relation {
	case equals:
		return text == want
	case contains:
		return strings.Contains(text, want)
	case lacks:
		return !strings.Contains(text, want)
	case matches:
		return m.pattern.MatchString(text)
	case differs:
		return !m.pattern.MatchString(text)
	case equalsJSON:
		got, err := decodeJSON([]byte(text))
		return err == nil && m.sameJSON(m.json, got)
	}
	return false
}

// errSeveral says that behind a value of JSON there is more.
var errSeveral = errors.New("there is more than one value")

// decodeJSON decodes one value of JSON, numbers as they are written.
func decodeJSON(data []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errSeveral
	}
	return v, nil
}

// sameJSON compares decoded values; encoding/json bounds how deep they are.
func (m Match) sameJSON(want, got any) bool {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok || len(got) < len(want) || len(got) > len(want) && !m.extraAllowed {
			return false
		}
		for key, value := range want {
			other, there := got[key]
			if !there || !m.sameJSON(value, other) {
				return false
			}
		}
		return true
	case []any:
		got, ok := got.([]any)
		return ok && m.sameList(want, got)
	case json.Number:
		got, ok := got.(json.Number)
		return ok && sameNumber(want, got)
	}
	return want == got
}

// sameNumber compares numbers as they are, so that 1 is 1.0; those too large for that as they are written.
func sameNumber(a, b json.Number) bool {
	x, err1 := a.Float64()
	y, err2 := b.Float64()
	return a == b || err1 == nil && err2 == nil && x == y
}

// maxUnordered bounds the lists that are compared in any order, which takes the square of their length.
const maxUnordered = 1000

// sameList compares lists: in order, or each element with one that no other was compared with.
func (m Match) sameList(want, got []any) bool {
	if len(got) < len(want) || len(got) > len(want) && !m.extraAllowed {
		return false
	}
	if !m.anyOrder || len(got) > maxUnordered {
		for i, value := range want {
			if !m.sameJSON(value, got[i]) {
				return false
			}
		}
		return true
	}
	taken := make([]bool, len(got))
	for _, value := range want {
		at := -1
		for i, other := range got {
			if !taken[i] && m.sameJSON(value, other) {
				at = i
				break
			}
		}
		if at < 0 {
			return false
		}
		taken[at] = true
	}
	return true
}

// misses names the first part of a request that is not what the stub is for; "" where it is for the request.
func (r Request) misses(a asked) string {
	switch {
	case !r.ofHost(a):
		return "host"
	case !r.ofService(a):
		return "port"
	case r.Path != nil && !r.Path.is(a.url.EscapedPath()), r.URL != nil && !r.URL.is(a.target()):
		return "path"
	case !r.ofMethod(a):
		return "method"
	}
	for _, m := range r.Query {
		if !m.is(a.query[m.Name]...) {
			return "query parameter " + m.Name
		}
	}
	for _, m := range r.Header {
		if !m.is(a.header.Values(m.Name)...) {
			return "header " + m.Name
		}
	}
	for _, m := range r.Body {
		if !m.is(a.bodies()...) {
			return "body"
		}
	}
	return ""
}

// nearness is how near a stub came to a request that misses this part of it. One for another service is no help; of
// those for another path, such help most as name the service, and have the method.
func (r Request) nearness(a asked, part string) int {
	switch part {
	case "host", "port":
		return 0
	case "path":
		near := 1
		if r.Service != "" || r.Host != nil {
			near += 2
		}
		if r.ofMethod(a) {
			near++
		}
		return near
	case "method":
		return 5
	}
	return 6
}

func (r Request) ofMethod(a asked) bool { return r.Method == "" || r.Method == a.method }

func (r Request) ofHost(a asked) bool {
	return (r.Service == "" || r.Service == a.service() || r.Service == a.host) && (r.Host == nil || r.Host.is(a.host))
}

// ofService reports whether a stub is for the service that was asked.
func (r Request) ofService(a asked) bool { return r.ofHost(a) && (r.Port == 0 || r.Port == a.port) }
