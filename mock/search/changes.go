package search

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock"
)

// rank is how early a change is tried.
type rank int

const (
	good     rank = iota // the plain good answer
	failure              // failures that most clients know
	value                // usual values of fields, and those of the request
	constant             // values from the API's own files, of fields that are known
	guess                // the same, of all names that may be fields
	rare                 // other statuses
)

// change is an answer of one endpoint that is not the base's.
type change struct {
	base     *base
	endpoint Endpoint
	rank     rank
	answer   Answer
	// group has all names but the known ones take a value beside the answer's fields.
	group bool
	value any
}

var (
	failures = []int{503, 429, 404, 500}
	rarer    = []int{204, 401, 403, 409, 400, 422, 502, 504, 201, 302}
	bodies   = []string{"", "null", "[]", `{"trunc`, "<html></html>"}
	usual    = []any{1, "x", true, 0, -1, "", 0.5, 1e12, nil, []any{}, map[string]any{}}
)

// changes lists what may be tried from a base.
func (h *hunt) changes(b *base, e Endpoint) []change {
	ok := Answer{Status: 200}
	var out []change
	add := func(r rank, a Answer) { out = append(out, change{base: b, endpoint: e, rank: r, answer: a}) }
	add(good, ok)
	for _, status := range failures {
		add(failure, Answer{Status: status})
	}
	add(failure, Answer{Status: 429, RetryAfter: "1"})
	for _, fault := range []mock.Fault{mock.Reset, mock.Empty, mock.Malformed} {
		add(failure, Answer{Status: 200, Fault: fault})
	}
	for _, body := range bodies {
		add(failure, Answer{Status: 200, Body: &body})
	}
	for _, status := range rarer {
		add(rare, Answer{Status: status})
	}
	current, set := b.setting[e]
	if !set || current.Status != 200 || current.Body != nil || current.Fault != "" || current.Delay != 0 {
		current = ok
	}
	late := current
	late.Delay = h.late
	add(failure, late)
	for _, field := range slices.Sorted(maps.Keys(current.Fields)) {
		add(value, current.without(field))
	}
	each := func(known, unknown rank, v any) {
		for _, field := range h.known[e] {
			add(known, current.with(field, v))
		}
		if len(h.names) > 0 {
			out = append(out, change{base: b, endpoint: e, rank: unknown, answer: current, group: true, value: v})
		}
	}
	for _, v := range usual {
		each(value, value, v)
	}
	for _, v := range h.given {
		each(value, value, v)
	}
	for _, v := range h.constants {
		each(constant, guess, v)
	}
	return out
}

// apply is the setting that a change makes; names are those that its group gives the value to.
func (c change) apply(names []string) setting {
	a := c.answer
	for _, name := range names {
		if _, there := a.Fields[name]; !there {
			a = a.with(name, c.value)
		}
	}
	return c.base.setting.with(c.endpoint, a)
}

var textInJSON = regexp.MustCompile(`"([^"\\]{1,80})"\s*[,}\]]`)

// valuesOf are the values of a request that an answer may have to give back: of the path, the query, and the body.
// Those that are named as secrets are not.
func valuesOf(r Request) (out []string) {
	add := func(v string) {
		if v != "" && !slices.Contains(out, v) && len(out) < 30 {
			out = append(out, v)
		}
	}
	u, err := url.Parse(r.Target)
	if err != nil {
		return nil
	}
	query := u.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if exchange.Secret(exchange.Place("/query").Key(name)) {
			continue
		}
		for _, v := range query[name] {
			add(v)
		}
	}
	segments := strings.Split(u.Path, "/")
	for _, s := range segments[min(2, len(segments)):] {
		add(s)
	}
	if !bearsSecret(r.Body) {
		for _, m := range textInJSON.FindAllSubmatch(r.Body, 30) {
			add(string(m[1]))
		}
	}
	return out
}

var memberName = regexp.MustCompile(`"([^"\\]{1,80})"\s*:`)

// bearsSecret reports whether a body has a member that is named as secrets are.
func bearsSecret(body []byte) bool {
	for _, m := range memberName.FindAllSubmatch(body, 1000) {
		if exchange.Secret(exchange.Place("/body").Key(string(m[1]))) {
			return true
		}
	}
	return false
}

// lateBy is how long an answer is held back to see whether the API waits without a bound.
func lateBy(patience time.Duration) time.Duration { return 2 * patience }
