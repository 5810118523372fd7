package search

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/given"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/shape"
	"github.com/flaketap/flaketap/mock/search/tree"
)

// Sample is a good answer of a service: recorded, or made from its description.
type Sample struct {
	Service string // host:port, or a host
	Method  string
	// Path may have segments that vary, {} or {name}.
	Path   string
	Status int
	JSON   any
	Source Source
	// Kinds and Values are what a description says of fields, beside what the answer shows.
	Kinds  map[exchange.Place]kind.Kind
	Values map[exchange.Place][]any
}

// isOf reports whether a sample is one of an endpoint.
func (s Sample) isOf(e Endpoint) bool {
	host, _ := e.address()
	if !strings.EqualFold(s.Service, e.Service) && !strings.EqualFold(s.Service, host) || s.Method != e.Method {
		return false
	}
	a, b := strings.Split(s.Path, "/"), strings.Split(e.Path, "/")
	if more := len(b) - len(a); more > 0 && s.Source == FromSpec { // below the path of a server
		a, b = a[1:], b[1+more:]
	}
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && !strings.HasPrefix(a[i], "{") && b[i] != "{}" {
			return false
		}
	}
	return true
}

// maxSamples bounds the samples of one endpoint.
const maxSamples = 5

// meet takes the samples of an endpoint that was asked for the first time.
func (s *searcher) meet(e Endpoint) {
	if _, met := s.known.samples[e]; met {
		return
	}
	s.known.samples[e] = nil
	for _, sample := range s.o.Samples {
		if !sample.isOf(e) || len(s.known.samples[e]) >= maxSamples {
			continue
		}
		s.known.samples[e] = append(s.known.samples[e], Answer{Status: sample.Status, JSON: sample.JSON})
		s.learn(e, sample.fields())
	}
}

// fields are those of a sample.
func (s Sample) fields() (out []field) {
	see := func(p exchange.Place) {
		f := field{place: p, kind: s.Kinds[p], values: s.Values[p], source: s.Source}
		if v, there := tree.Get(s.JSON, tree.Within(p)); there && f.kind == kind.Unknown && v != nil {
			f.kind = kind.Of(v)
		}
		out = append(out, f)
	}
	seen := map[exchange.Place]bool{}
	for _, p := range slices.Concat(tree.Places(s.JSON), slices.Sorted(maps.Keys(s.Kinds))) {
		if !seen[p] && p != exchange.PlaceBody && !strings.HasSuffix(string(p), "/*") {
			seen[p] = true
			see(p)
		}
	}
	return out
}

// RecordedSamples are the good answers with JSON among recorded calls, the first of each operation and shape.
func RecordedSamples(all []*exchange.External) (out []Sample) {
	seen := map[string]bool{}
	for _, x := range all {
		if x.Response == nil || x.Response.Status/100 != 2 || x.Fault != nil {
			continue
		}
		raw, err := x.Response.Payload()
		var v any
		if err != nil || json.Unmarshal(raw, &v) != nil || v == nil {
			continue
		}
		s := Sample{Service: x.Addr, Method: x.Request.Method, Path: shape.Path(x.Request.Target, nil),
			Status: x.Response.Status, JSON: v, Source: FromSample}
		key := s.Service + " " + s.Method + " " + s.Path + " " + shape.Of(raw, nil)
		if !seen[key] && !given.BearsSecret(raw) {
			seen[key] = true
			out = append(out, s)
		}
	}
	return out
}
