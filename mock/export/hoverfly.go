package export

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"unicode/utf8"

	"github.com/flaketap/flaketap/mock"
)

// Hoverfly writes stubs as a simulation of Hoverfly, version 5 of its schema. What a simulation cannot say is left
// out, and told: stubs that fail below HTTP, and matchers that it does not have.
func Hoverfly(stubs []mock.Stub) (data []byte, left []string, err error) {
	pairs := []object{}
	sequences := map[string]*sequence{}
	for _, s := range stubs {
		request, why := hoverflyRequest(s.Request)
		if lacks := lacking("Hoverfly", s.Response, mock.Faults()...); lacks != "" {
			why = lacks
		}
		if why != "" {
			left = append(left, leftOut(s, why))
			continue
		}
		response := hoverflyResponse(s.Response)
		if s.Scenario != "" {
			if sequences[s.Scenario] == nil {
				sequences[s.Scenario] = &sequence{name: fmt.Sprintf("sequence:%d", len(sequences)+1), states: map[string]int{mock.Started: 1}}
			}
			sequences[s.Scenario].put(s, request, response)
		}
		pairs = append(pairs, object{"request": request, "response": response})
	}
	data, err = written(object{"data": object{"pairs": pairs, "globalActions": object{"delays": []any{}, "delaysLogNormal": []any{}}},
		"meta": object{"schemaVersion": "v5"}})
	return data, left, err
}

// sequence is a scenario: Hoverfly begins those that are called so in the state "1".
type sequence struct {
	name   string
	states map[string]int
}

// number is the state's name.
func (q *sequence) number(state string) string {
	if q.states[state] == 0 {
		q.states[state] = len(q.states) + 1
	}
	return strconv.Itoa(q.states[state])
}

func (q *sequence) put(s mock.Stub, request, response object) {
	if s.When != "" {
		request["requiresState"] = object{q.name: q.number(s.When)}
	}
	if s.Then != "" {
		response["transitionsState"] = object{q.name: q.number(s.Then)}
	}
}

// hoverflyRequest is what a stub is for, or why that cannot be said.
func hoverflyRequest(r mock.Request) (o object, why string) {
	o = object{}
	set := func(field string, m mock.Match) {
		if said, ok := hoverflyMatcher(m); ok {
			o[field] = []object{said}
		} else {
			why = "Hoverfly has no matcher " + m.Matcher().Name + " for the " + field
		}
	}
	each := func(field string, all []mock.Named) {
		fields := object{}
		for _, n := range all {
			said, ok := hoverflyMatcher(n.Match)
			if !ok {
				why = "Hoverfly has no matcher " + n.Matcher().Name + " for " + n.Name
			}
			fields[n.Name] = []object{said}
		}
		if len(fields) > 0 {
			o[field] = fields
		}
	}
	if r.Method != "" {
		set("method", mock.EqualTo(r.Method))
	}
	if m := destination(r); m != nil {
		set("destination", *m)
	}
	switch {
	case r.Path != nil:
		set("path", *r.Path)
	case r.URL != nil && r.URL.Matcher().Name == "equalTo":
		path, query := splitURL(r.URL.Matcher().Text)
		set("path", mock.EqualTo(path))
		each("query", query)
	case r.URL != nil:
		why = "Hoverfly matches path and query apart"
	}
	if len(r.Query) > 0 {
		each("query", r.Query)
	}
	each("headers", r.Header)
	body := []object{}
	for _, m := range r.Body {
		said, ok := hoverflyMatcher(m)
		if !ok {
			why = "Hoverfly has no matcher " + m.Matcher().Name + " for the body"
		}
		body = append(body, said)
	}
	if len(body) > 0 {
		o["body"] = body
	}
	return o, why
}

// destination is the service that a stub is for, as a client names it; nil for any.
func destination(r mock.Request) *mock.Match {
	host, port := serviceOf(r)
	if r.Host != nil {
		said := r.Host.Matcher()
		if said.Name != "equalTo" {
			return r.Host
		}
		host = said.Text
	}
	if host == "" {
		return nil
	}
	if port != 0 && port != 80 && port != 443 { // none is named that is its scheme's
		host = net.JoinHostPort(host, strconv.Itoa(port))
	}
	m := mock.EqualTo(host)
	return &m
}

// hoverflyMatcher is a match in Hoverfly's words.
func hoverflyMatcher(m mock.Match) (o object, ok bool) {
	said := m.Matcher()
	pattern := func(text string) object { return object{"matcher": "regex", "value": text} }
	switch said.Name {
	case "equalTo":
		if said.CaseInsensitive {
			return pattern("(?i)^" + regexp.QuoteMeta(said.Text) + "$"), true
		}
		return object{"matcher": "exact", "value": said.Text}, true
	case "contains":
		return pattern(regexp.QuoteMeta(said.Text)), true
	case "matches":
		return pattern("^(?:" + said.Text + ")$"), true
	case "equalToJson":
		if said.IgnoreArrayOrder {
			return nil, false
		}
		text, err := json.Marshal(said.JSON)
		name := "json"
		if said.IgnoreExtraElements {
			name = "jsonpartial"
		}
		return object{"matcher": name, "value": string(text)}, err == nil
	}
	return nil, false
}

func hoverflyResponse(r mock.Response) object {
	o := object{"status": r.Status, "body": string(r.Body), "encodedBody": false, "templated": false}
	if !utf8.Valid(r.Body) {
		o["body"], o["encodedBody"] = base64.StdEncoding.EncodeToString(r.Body), true
	}
	if len(r.Header) > 0 {
		o["headers"] = r.Header
	}
	if r.Delay > 0 {
		o["fixedDelay"] = r.Delay.Milliseconds()
	}
	return o
}
