package main

import (
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/external"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/serve"
)

// How many of the labelled surfacings of fields a search tells, of seven APIs whose labels someone else wrote, and how many
// of those that it tells are none. What is known of the answers is known by words, and by hooks in Python and Node.
func TestEvalMockTraces(t *testing.T) {
	for _, a := range external.APIs() {
		t.Run(a.Name, func(t *testing.T) {
			j, l, words := trialsOf(t, a)
			traces, err := external.ReadTraces(filepath.Join(externalTestdata, a.Name))
			if err != nil {
				t.Fatal(err)
			}
			if a.Language == "python" || a.Language == "node" {
				if err := j.api.(*serve.Trials).Hook(); err != nil {
					t.Fatal(err)
				}
			}
			found, err := search.Run(t.Context(), j, search.Options{Requests: requestsOf(l), Words: words, Trials: evalTrials(t), Seed: 1, Patience: 3 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			s := traceScore{labels: l, traces: traces, found: found, counts: map[string]*tally{}}
			s.score()
			for _, line := range s.lines(!isHeldOut(a)) {
				t.Log(line)
			}
			right, types, all := fieldScore(l, found)
			t.Logf("fields: %d of %d found, %d with the right type", right, all, types)
		})
	}
}

// isHeldOut reports whether nobody who works on the search has looked at what it misses of an API.
func isHeldOut(a external.API) bool { return a.Name == "checkout" }

// traceScore holds what a search tells of surfacings against labels.
type traceScore struct {
	labels *external.Labels
	traces []external.Trace
	found  search.Result
	// counts are by what is counted: "all", those of fields that were found, by how they surface, and in what.
	counts      map[string]*tally
	told, wrong int // surfaces that are told of labelled fields, and those of them that are none
	elsewhere   int // that are told of what has no label
	missed      []string
	mistaken    []string
}

// tally counts labelled surfaces, and those of them that are told.
type tally struct{ told, all int }

// told is one surface that a search tells.
type toldSurface struct {
	request int
	call    search.Endpoint
	field   exchange.Place
	surface external.Surface
	to      search.Endpoint // of a call
}

func (s *traceScore) score() {
	all := s.surfaces()
	for _, tr := range s.traces {
		found := slices.ContainsFunc(s.found.Fields, func(f search.Field) bool { return ofField(f.Endpoint, f.Place, tr) })
		for _, want := range tr.Surfaces {
			told := slices.ContainsFunc(all, func(o toldSurface) bool {
				return o.request == tr.Request && ofField(o.call, o.field, tr) && o.is(want)
			})
			names := []string{"1 all"}
			if want.Given == "" {
				names = append(names, "2 of good answers", "3 of good answers, "+want.In, "4 of good answers, "+tr.How)
			} else {
				names = append(names, "5 given "+want.Given)
			}
			if found {
				for _, name := range names[:min(len(names), 2)] {
					names = append(names, name+", of fields found")
				}
			}
			s.count(names, told)
			if !told && want.Given == "" {
				s.missed = append(s.missed, fmt.Sprintf("%d %s%s %s, %v: %+v, found %v", tr.Request, tr.Host, tr.Call, tr.Pointer, tr.How, want, found))
			}
		}
	}
	for _, o := range all {
		s.judge(o)
	}
}

func (s *traceScore) count(names []string, told bool) {
	for _, name := range names {
		if s.counts[name] == nil {
			s.counts[name] = &tally{}
		}
		s.counts[name].all++
		if told {
			s.counts[name].told++
		}
	}
}

// judge counts a surface that is told: of a field without a label it cannot be said whether it is one. Where the status
// follows, calls that come or go with it are no mistake.
func (s *traceScore) judge(o toldSurface) {
	labelled, right, status := false, false, false
	for _, service := range s.labels.Services {
		for _, f := range service.Fields {
			labelled = labelled || ofField(o.call, o.field, external.Trace{Host: service.Host, Call: f.Call, Pointer: f.Pointer})
		}
	}
	for _, tr := range s.traces {
		if tr.Request != o.request || !ofField(o.call, o.field, tr) {
			continue
		}
		for _, want := range tr.Surfaces {
			right = right || o.is(want)
			status = status || want.In == "status"
		}
	}
	switch {
	case !labelled:
		s.elsewhere++
		return
	case !right && !(status && o.surface.In != "status"):
		s.wrong++
		s.mistaken = append(s.mistaken, fmt.Sprintf("%d %s %s: %s %s%s", o.request, o.call, o.field, o.surface.In, o.surface.Pointer, o.to))
	}
	s.told++
}

// lines are the figures, with what is missed and mistaken where that may be seen.
func (s *traceScore) lines(seen bool) (out []string) {
	for _, name := range slices.Sorted(maps.Keys(s.counts)) {
		c := s.counts[name]
		out = append(out, fmt.Sprintf("%s: %d of %d", name[2:], c.told, c.all))
	}
	out = append(out, fmt.Sprintf("told %d of labelled fields, %d of them wrong; %d of others", s.told, s.wrong, s.elsewhere))
	if seen {
		out = append(out, "missed:\n"+strings.Join(s.missed, "\n"), "wrong:\n"+strings.Join(s.mistaken, "\n"))
	}
	return out
}

// surfaces are all that the search tells, one by one.
func (s *traceScore) surfaces() (out []toldSurface) {
	for _, f := range s.found.Surfacings {
		one := toldSurface{call: f.Endpoint, field: f.Field, request: slices.IndexFunc(requestsOf(s.labels), func(r search.Request) bool {
			return r.Method == f.Request.Method && r.Target == f.Request.Target && string(r.Body) == string(f.Request.Body)
		})}
		for _, p := range f.Answer {
			one.surface = external.Surface{In: "answer", Pointer: strings.TrimPrefix(string(p), string(exchange.PlaceBody))}
			if p == exchange.PlaceStatus {
				one.surface = external.Surface{In: "status"}
			}
			out = append(out, one)
		}
		for _, e := range f.Calls {
			one.surface, one.to = external.Surface{In: "call"}, e
			out = append(out, one)
		}
	}
	return out
}

// is reports whether a surface that is told is one that is labelled.
func (o toldSurface) is(want external.Surface) bool {
	if o.surface.In == "call" && want.In == "call" {
		return isCall(o.to, want.Host, want.Call)
	}
	return o.surface.In == want.In && o.surface.Pointer == want.Pointer
}

// ofField reports whether a place of what an endpoint answers is the field of a label.
func ofField(e search.Endpoint, p exchange.Place, t external.Trace) bool {
	return isCall(e, t.Host, t.Call) && !strings.HasPrefix(t.Pointer, "header/") && isLabelled(p, t.Pointer)
}

// isCall reports whether an endpoint is that of a label: GET /x/{id} of a host.
func isCall(e search.Endpoint, host, call string) bool {
	method, path, _ := strings.Cut(call, " ")
	at, _, _ := strings.Cut(e.Service, ":")
	got, want := strings.Split(e.Path, "/"), strings.Split(path, "/")
	return at == host && e.Method == method && slices.EqualFunc(got, want, func(g, w string) bool {
		text, err := url.PathUnescape(g)
		return g == w || err == nil && text == w || strings.HasPrefix(w, "{")
	})
}
