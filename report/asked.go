package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Asked is what was recorded of requests beside their paths, by operation and the status that was answered.
type Asked map[AskedKey]AskedOne

// AskedKey names the requests of an operation that were answered with a status.
type AskedKey struct {
	exchange.Operation
	Status int
}

// AskedOne is one of these requests, without its secrets.
type AskedOne struct {
	Query string // of its target, behind the question mark
	Media string // of its body
	Body  []byte // without content codings; nil where it has none that is a text
	// Given are the places of its query and its body with a value that an earlier answer gave, or that is a secret:
	// another time it is another one.
	Given []exchange.Place
}

// asked is the recorded request of an operation.
func (o FormOptions) asked(op *mapfile.Operation) AskedOne {
	return o.Asked[AskedKey{op.Operation, op.Status}]
}

// pactQuery adds the query of a request. Its values are matched by their types, and what was given is for the state of
// the provider to give.
func (r *pactRequest) pactQuery(a AskedOne) {
	values, err := url.ParseQuery(a.Query)
	if err != nil || len(values) == 0 {
		return
	}
	r.Query, r.Rules.Query = values, map[string]pactRule{}
	for name := range values {
		r.Rules.Query[name] = pactType()
		if at := exchange.Place("/query").Key(name); a.gives(at) {
			r.generators().Query = add(r.generators().Query, name, pactGiven(name))
		}
	}
}

// pactBody adds the body of a request: JSON is matched by its types, any other text is as it is.
func (r *pactRequest) pactBody(a AskedOne) {
	if len(a.Body) == 0 {
		return
	}
	if a.Media != "application/json" && !strings.HasSuffix(a.Media, "+json") {
		r.send(string(a.Body), a.Media)
		return
	}
	dec := json.NewDecoder(bytes.NewReader(a.Body))
	dec.UseNumber()
	var content any
	if err := dec.Decode(&content); err != nil {
		return // the client sent something else than it said
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return
	}
	r.send(content, a.Media)
	r.Rules.Body = map[string]pactRule{"$": pactType()}
	r.pactGives(a, content, "/body", "$")
}

// send gives a request its body, and the header that says of which type that is.
func (r *pactRequest) send(content any, media string) {
	r.Body = &pactBody{Content: content, ContentType: media}
	if media != "" {
		r.Headers = map[string]string{"Content-Type": media}
	}
}

// pactGives has the state of the provider give the values of a part of a body that were given.
func (r *pactRequest) pactGives(a AskedOne, content any, place exchange.Place, path string) {
	switch v := content.(type) {
	case map[string]any:
		for key, value := range v {
			if at, ok := pactKey(key); ok {
				r.pactGives(a, value, place.Key(key), path+at)
			}
		}
	case []any:
		for i, value := range v {
			r.pactGives(a, value, place.Index(i), fmt.Sprintf("%s[%d]", path, i))
		}
	default:
		if a.gives(place) {
			r.generators().Body = add(r.generators().Body, path, pactGiven(nameOf(place)))
		}
	}
}

// nameOf is the name of the member that a value is, or an element of.
func nameOf(place exchange.Place) string {
	segments := place.Segments()
	named := func(s string) bool { return strings.Trim(s, "0123456789") != "" }
	for i := len(segments) - 1; i > 0; i-- {
		if named(segments[i]) {
			return segments[i]
		}
	}
	return "value"
}

// gives reports whether a value at a place was given, or one within it.
func (a AskedOne) gives(place exchange.Place) bool {
	return slices.ContainsFunc(a.Given, func(p exchange.Place) bool { return p == place || p.Within(place) })
}

// generators are those of a request, made where there are none.
func (r *pactRequest) generators() *pactGenerators {
	if r.Generators == nil {
		r.Generators = &pactGenerators{}
	}
	return r.Generators
}

func add(to map[string]pactGenerator, key string, g pactGenerator) map[string]pactGenerator {
	if to == nil {
		to = map[string]pactGenerator{}
	}
	to[key] = g
	return to
}

// pactGiven is a value that the state of the provider gives by a name.
func pactGiven(name string) pactGenerator {
	return pactGenerator{"ProviderState", "${" + name + "}", "STRING"}
}

func pactType() pactRule { return pactRule{"AND", []pactMatcher{{Match: "type"}}} }
