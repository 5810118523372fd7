package mock

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"time"

	"golang.org/x/net/http/httpguts"
)

// mapping is one of WireMock's, as https://wiremock.org/docs describes it, without what is not served. What is for
// WireMock's own administration is read over.
type mapping struct {
	ID         json.RawMessage `json:"id"`
	UUID       json.RawMessage `json:"uuid"`
	Persistent json.RawMessage `json:"persistent"`
	Metadata   json.RawMessage `json:"metadata"`

	Name      string         `json:"name"`
	Priority  int            `json:"priority"`
	Request   mappedRequest  `json:"request"`
	Response  mappedResponse `json:"response"`
	Scenario  string         `json:"scenarioName"`
	WhenState string         `json:"requiredScenarioState"`
	ThenState string         `json:"newScenarioState"`
}

type mappedRequest struct {
	Host        *mappedMatch                         `json:"host"`
	Port        int                                  `json:"port"`
	Method      string                               `json:"method"`
	URL         string                               `json:"url"`
	Path        string                               `json:"urlPath"`
	Pattern     string                               `json:"urlPattern"`
	PathPattern string                               `json:"urlPathPattern"`
	Query       map[string]mappedMatch               `json:"queryParameters"`
	Headers     map[string]mappedMatch               `json:"headers"`
	Body        []mappedMatch                        `json:"bodyPatterns"`
	Basic       *struct{ Username, Password string } `json:"basicAuthCredentials"`
}

type mappedMatch struct {
	EqualTo      *string         `json:"equalTo"`
	Fold         bool            `json:"caseInsensitive"`
	Contains     *string         `json:"contains"`
	Lacks        *string         `json:"doesNotContain"`
	Matches      *string         `json:"matches"`
	Differs      *string         `json:"doesNotMatch"`
	Absent       bool            `json:"absent"`
	EqualToJSON  json.RawMessage `json:"equalToJson"`
	AnyOrder     bool            `json:"ignoreArrayOrder"`
	ExtraAllowed bool            `json:"ignoreExtraElements"`
}

type mappedResponse struct {
	Status  int                        `json:"status"`
	Interim int                        `json:"interimStatus"` // of flaketap alone
	Message string                     `json:"statusMessage"`
	Headers map[string]json.RawMessage `json:"headers"`
	Body    *string                    `json:"body"`
	JSON    json.RawMessage            `json:"jsonBody"`
	Base64  *string                    `json:"base64Body"`
	File    string                     `json:"bodyFileName"`
	Delay   int64                      `json:"fixedDelayMilliseconds"`
	Fault   Fault                      `json:"fault"`
}

// maxDelay bounds how long an answer may be held back.
const maxDelay = time.Hour

// parseMapping reads one mapping.
func parseMapping(raw []byte, body func(string) ([]byte, error)) (s Stub, err error) {
	var m mapping
	if err := strict(raw, &m); err != nil {
		return s, err
	}
	s = Stub{Name: m.Name, Priority: cmp.Or(m.Priority, defaultPriority),
		Scenario: m.Scenario, When: m.WhenState, Then: m.ThenState}
	if s.Scenario == "" && (s.When != "" || s.Then != "") {
		return s, errors.New("requiredScenarioState and newScenarioState need scenarioName")
	}
	if s.Request, err = m.Request.parse(); err != nil {
		return s, fmt.Errorf("request: %w", err)
	}
	if s.Response, err = m.Response.parse(body); err != nil {
		return s, fmt.Errorf("response: %w", err)
	}
	return s, nil
}

func (m mappedRequest) parse() (r Request, err error) {
	r = Request{Port: m.Port}
	if m.Method != "ANY" {
		r.Method = m.Method
	}
	given := 0
	for _, url := range []struct {
		text     string
		relation relation
		into     **Match
	}{
		{m.URL, equals, &r.URL}, {m.Path, equals, &r.Path},
		{m.Pattern, matches, &r.URL}, {m.PathPattern, matches, &r.Path},
	} {
		if url.text == "" {
			continue
		}
		given++
		match := Match{relation: url.relation, text: url.text}
		if url.relation == matches {
			if match.pattern, err = whole(url.text); err != nil {
				return r, err
			}
		}
		*url.into = &match
	}
	if given > 1 {
		return r, errors.New("use one of url, urlPath, urlPattern, urlPathPattern")
	}
	if m.Host != nil {
		host, err := m.Host.parse()
		if err != nil {
			return r, fmt.Errorf("host: %w", err)
		}
		host.fold = true
		r.Host = &host
	}
	if r.Query, err = parseNamed(m.Query); err != nil {
		return r, fmt.Errorf("queryParameters: %w", err)
	}
	if r.Header, err = parseNamed(m.Headers); err != nil {
		return r, fmt.Errorf("headers: %w", err)
	}
	if m.Basic != nil {
		token := base64.StdEncoding.EncodeToString([]byte(m.Basic.Username + ":" + m.Basic.Password))
		r.Header = append(r.Header, Named{"Authorization", Match{text: "Basic " + token}})
	}
	for i, one := range m.Body {
		match, err := one.parse()
		if err != nil {
			return r, fmt.Errorf("bodyPatterns, the one at %d: %w", i+1, err)
		}
		r.Body = append(r.Body, match)
	}
	return r, nil
}

// parseNamed reads what parameters or headers have to be, in the order of their names.
func parseNamed(all map[string]mappedMatch) (out []Named, err error) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		m, err := all[name].parse()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, Named{name, m})
	}
	return out, nil
}

func (m mappedMatch) parse() (out Match, err error) {
	given := 0
	for _, one := range []struct {
		text     *string
		relation relation
	}{{m.EqualTo, equals}, {m.Contains, contains}, {m.Lacks, lacks}, {m.Matches, matches}, {m.Differs, differs}} {
		if one.text != nil {
			given++
			out = Match{relation: one.relation, text: *one.text, fold: m.Fold}
		}
	}
	if m.Absent {
		given++
		out = Match{relation: absent}
	}
	if m.EqualToJSON != nil {
		given++
		out = Match{relation: equalsJSON, anyOrder: m.AnyOrder, extraAllowed: m.ExtraAllowed}
		if out.json, err = decodeJSON(unwrapped(m.EqualToJSON)); err != nil {
			return out, fmt.Errorf("equalToJson: %w", err)
		}
		if bytes.Contains(m.EqualToJSON, []byte("${json-unit.")) {
			return out, errors.New("equalToJson: placeholders, ${json-unit.…}, are not served")
		}
	}
	if m.Fold && m.EqualTo == nil {
		return out, errors.New("caseInsensitive is served with equalTo alone")
	}
	if given != 1 {
		return out, errors.New("want one of equalTo, contains, doesNotContain, matches, doesNotMatch, absent, equalToJson")
	}
	if out.relation == matches || out.relation == differs {
		out.pattern, err = whole(out.text)
	}
	return out, err
}

// unwrapped is JSON that may stand in a text.
func unwrapped(raw json.RawMessage) []byte {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []byte(text)
	}
	return raw
}

// whole compiles a pattern for a whole text, as Java's matches does.
func whole(pattern string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(pattern); err != nil { // by itself: the error is to tell nothing of what is put around it
		return nil, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	return regexp.Compile(`(?s)\A(?:` + pattern + `)\z`)
}

func (m mappedResponse) parse(body func(string) ([]byte, error)) (r Response, err error) {
	r = Response{Status: cmp.Or(m.Status, http.StatusOK), Interim: m.Interim, Header: http.Header{}, Fault: m.Fault,
		Delay: time.Duration(m.Delay) * time.Millisecond}
	switch {
	case r.Status/100 == 1:
		return r, fmt.Errorf("status must be a final one, 200 to 599, got %d: an interim one is interimStatus", m.Status)
	case r.Status < 200 || r.Status > 599:
		return r, fmt.Errorf("status must be 200 to 599, got %d", m.Status)
	case r.Interim != 0 && r.Interim/100 != 1 || r.Interim == http.StatusSwitchingProtocols:
		return r, fmt.Errorf("interimStatus must be 100 to 199, but not 101, which is a final one, got %d", m.Interim)
	case r.Delay < 0 || r.Delay > maxDelay:
		return r, fmt.Errorf("fixedDelayMilliseconds must be 0 to %d, got %d", maxDelay.Milliseconds(), m.Delay)
	case r.Fault != "" && !slices.Contains(Faults(), r.Fault):
		return r, fmt.Errorf("unknown fault %q: want one of %s, %s, %s, %s, %s", r.Fault, Reset, Empty, Malformed, Garbage, Untrusted)
	}
	for name, raw := range m.Headers {
		var one string
		var several []string
		switch {
		case json.Unmarshal(raw, &one) == nil:
			r.Header[http.CanonicalHeaderKey(name)] = []string{one}
		case json.Unmarshal(raw, &several) == nil:
			r.Header[http.CanonicalHeaderKey(name)] = several
		default:
			return r, fmt.Errorf("headers: %s must be a text or a list of texts", name)
		}
		if !httpguts.ValidHeaderFieldName(name) || slices.ContainsFunc(r.Header.Values(name), unsendable) {
			return r, fmt.Errorf("headers: %q cannot be sent: want a name without blanks, and values without line breaks", name)
		}
	}
	r.Body, err = m.body(body)
	return r, err
}

// unsendable reports whether a value of a header would not be sent as it is.
func unsendable(value string) bool { return !httpguts.ValidHeaderFieldValue(value) }

// body is the answer's body, from the one place where it stands.
func (m mappedResponse) body(file func(string) ([]byte, error)) (out []byte, err error) {
	given := 0
	if m.Body != nil {
		given, out = given+1, []byte(*m.Body)
	}
	if m.JSON != nil {
		var compact bytes.Buffer
		if err := json.Compact(&compact, m.JSON); err != nil {
			return nil, fmt.Errorf("jsonBody: %w", err)
		}
		given, out = given+1, compact.Bytes()
	}
	if m.Base64 != nil {
		given++
		if out, err = base64.StdEncoding.DecodeString(*m.Base64); err != nil {
			return nil, fmt.Errorf("base64Body: %w", err)
		}
	}
	if m.File != "" {
		given++
		if !fs.ValidPath(m.File) {
			return nil, fmt.Errorf("bodyFileName must be a path within __files, got %q", m.File)
		}
		if out, err = file(m.File); err != nil {
			return nil, fmt.Errorf("bodyFileName: %w", err)
		}
	}
	if given > 1 {
		return nil, errors.New("use one of body, jsonBody, base64Body, bodyFileName")
	}
	return out, nil
}
