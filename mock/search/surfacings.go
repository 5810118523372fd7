package search

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Surfacing says that a field of a service's answer surfaces in what the API does: where one was changed, and all else
// held, the other changed too.
type Surfacing struct {
	Request  Request
	Endpoint Endpoint
	Field    exchange.Place
	// Answer are the places of the API's answer that follow the field, the status among them.
	Answer []exchange.Place
	// Calls are the outgoing calls that do: in their target, or in whether and how often they are made.
	Calls []Endpoint
}

// trace finds, for the behaviors that got furthest, which field surfaces where.
func (s *searcher) trace(ctx context.Context) error {
	order := slices.Clone(s.found)
	slices.SortStableFunc(order, func(a, b *Behavior) int {
		return cmp.Or(cmp.Compare(b.sight.score(), a.sight.score()), cmp.Compare(len(b.Asked), len(a.Asked)))
	})
	all := traceable(order)
	done := map[string]bool{}
	for i, one := range all {
		if done[one.key] {
			continue
		}
		s.likely = func(most int) (out []Trial) {
			for _, next := range all[i+1:] {
				if len(out) < most && !done[next.key] && next.key != one.key {
					out = append(out, next.trials()...)
				}
			}
			return out
		}
		surfaced, err := s.traceField(ctx, one)
		if err != nil {
			return err
		}
		done[one.key] = surfaced // else another behavior may let it matter
	}
	return nil
}

// traced is a field of a behavior's stubs of which it is found out where it surfaces.
type traced struct {
	*Behavior
	key      string // that of the same field of other behaviors, too
	endpoint Endpoint
	field    exchange.Place
	values   []any // others
}

// traceable lists the fields of behaviors.
func traceable(order []*Behavior) (out []traced) {
	for _, b := range order {
		if b.End != Answered {
			continue
		}
		for _, e := range b.setting.endpoints() {
			if !b.setting[e].plain() {
				continue
			}
			for _, p := range placesOf(b.setting[e].JSON) {
				v, _ := get(b.setting[e].JSON, within(p))
				if others := moved(v); len(others) > 0 {
					out = append(out, traced{b, fmt.Sprint(b.Request.Method, b.Request.Target, e, p), e, p, others})
				}
			}
		}
	}
	return out
}

// with are the stubs with another value of the field.
func (t traced) with(v any) setting {
	return t.setting.with(t.endpoint, t.setting[t.endpoint].with(t.field, v))
}

// trials are those by which it is found out.
func (t traced) trials() []Trial {
	plain := t.hunt.trial(t.setting)
	out := []Trial{plain, plain}
	for _, v := range t.values {
		out = append(out, t.hunt.trial(t.with(v)))
	}
	return out
}

// moved are other values of a kind, to see what follows: two, of which one may be as good as the first.
func moved(v any) []any {
	switch v := v.(type) {
	case string:
		return []any{"trace7f3q", v + "9"}
	case bool:
		return []any{!v}
	case float64:
		return []any{v + 13, v*2 + 1}
	case int:
		return []any{float64(v) + 13, float64(v)*2 + 1}
	}
	return nil
}

// traceField changes a field of a behavior's stubs alone, and reports whether something follows it.
func (s *searcher) traceField(ctx context.Context, one traced) (bool, error) {
	rest := one.trials()
	defer s.foresee(func() []Trial { return rest })()
	var plain [2]Outcome // what differs between these moves by itself
	for i := range plain {
		var err error
		rest = rest[1:]
		if _, plain[i], err = s.try(ctx, one.hunt, one.setting); err != nil {
			return false, err
		}
	}
	t := Surfacing{Request: one.Request, Endpoint: one.endpoint, Field: one.field}
	shaky, shakyCalls := differences(plain[0], plain[1])
	for _, other := range one.values {
		rest = rest[1:]
		_, out, err := s.try(ctx, one.hunt, one.with(other))
		if err != nil {
			return false, err
		}
		places, calls := differences(plain[0], out)
		t.Answer = missingFrom(shaky, places)
		t.Calls = missingFrom(shakyCalls, calls)
		if len(t.Answer) > 0 && t.Answer[0] != exchange.PlaceStatus {
			break // a field that only decides is tried with another value, too
		}
	}
	if len(t.Answer) == 0 && len(t.Calls) == 0 {
		return false, nil
	}
	s.surfaced = append(s.surfaced, t)
	return true, nil
}

// missingFrom are those of a list that another does not have.
func missingFrom[T comparable](other, all []T) (out []T) {
	for _, v := range all {
		if !slices.Contains(other, v) {
			out = append(out, v)
		}
	}
	return out
}

// differences are the places of answers, and the endpoints of calls, that are not the same in two outcomes. Where the
// status is another, the rest of the answer is too, and is not listed.
func differences(a, b Outcome) (places []exchange.Place, calls []Endpoint) {
	if a.End != b.End || a.Status != b.Status {
		places = []exchange.Place{exchange.PlaceStatus}
	} else {
		var x, y any
		if json.Unmarshal(a.Body, &x) == nil && json.Unmarshal(b.Body, &y) == nil {
			places = unlike(x, y, exchange.PlaceBody, nil, maxDepth)
		} else if string(a.Body) != string(b.Body) {
			places = []exchange.Place{exchange.PlaceBody}
		}
	}
	count := func(o Outcome) map[Endpoint]string {
		out := map[Endpoint]string{}
		for _, c := range o.Calls {
			out[c.endpoint(nil)] += fmt.Sprintln(c.Target, c.Times, c.Status)
		}
		return out
	}
	x, y := count(a), count(b)
	for _, o := range []map[Endpoint]string{x, y} {
		for e := range o {
			if x[e] != y[e] && !slices.Contains(calls, e) {
				calls = append(calls, e)
			}
		}
	}
	slices.SortFunc(calls, Endpoint.compare)
	return places, calls
}

// unlike lists the places at which two values of JSON differ; elements are one place.
func unlike(x, y any, p exchange.Place, to []exchange.Place, depth int) []exchange.Place {
	if len(to) >= maxPlaces || same(x, y) {
		return to
	}
	add := func() []exchange.Place {
		if slices.Contains(to, p) {
			return to
		}
		return append(to, p)
	}
	if depth == 0 {
		return add()
	}
	switch a := x.(type) {
	case map[string]any:
		b, is := y.(map[string]any)
		if !is {
			return add()
		}
		names := make([]string, 0, len(a)+len(b))
		for name := range a {
			names = append(names, name)
		}
		for name := range b {
			if _, both := a[name]; !both {
				names = append(names, name)
			}
		}
		slices.SortFunc(names, strings.Compare)
		for _, name := range names {
			v, in := a[name]
			w, inOther := b[name]
			if in != inOther {
				to = append(to, p.Key(name))
				continue
			}
			to = unlike(v, w, p.Key(name), to, depth-1)
		}
		return to
	case []any:
		b, is := y.([]any)
		if !is || len(a) != len(b) {
			return add()
		}
		for i := range a {
			to = unlike(a[i], b[i], p.Each(), to, depth-1)
		}
		return to
	}
	return add()
}
