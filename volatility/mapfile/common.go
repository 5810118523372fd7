package mapfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/flaketap/flaketap/exchange"
)

// Common is a place that all or most operations of one API have, and of which all of these say the same: a request id
// in a header. It is said once.
type Common struct {
	Host   string   // the API, as of [exchange.Operation]
	Field  *Field   // what is said of it
	Except []string // the operations that lack the place, by [Operation.Name]; those that say something else say it
	Folded []*Field // what the operations themselves say, in their order
}

// The least that is wanted of a place before it is called common: this many operations, and this share of those of its
// API.
const (
	minCommon       = 4
	minCommonShare  = 4 // of
	allCommonShares = 5
)

// Name names an operation with the status that it was recorded with: "GET /orders/{id} 200".
func (o *Operation) Name() string { return o.Operation.String() + " " + strconv.Itoa(o.Status) }

// gatherCommon finds the common places, in their order. sameness is what a field says, to be compared; "" keeps it
// apart. What a Common says is that of its first field.
func gatherCommon(operations []*Operation, sameness func(*Field) string) []Common {
	type said struct {
		host string
		exchange.Place
		what string
	}
	all, of := map[said]*Common{}, map[string]int{}
	for _, op := range operations {
		of[op.Host]++
		for _, f := range op.Fields {
			what := sameness(f)
			if what == "" {
				continue
			}
			key := said{op.Host, f.Place, what}
			c := all[key]
			if c == nil {
				c = &Common{Host: op.Host, Field: f}
				all[key] = c
			}
			c.Folded = append(c.Folded, f)
		}
	}
	var out []Common
	for _, c := range all {
		if n := len(c.Folded); n < minCommon || allCommonShares*n < minCommonShare*of[c.Host] {
			continue
		}
		for _, op := range operations {
			if op.Host == c.Host && !slices.ContainsFunc(op.Fields, func(f *Field) bool { return f.Place == c.Field.Place }) {
				c.Except = append(c.Except, op.Name())
			}
		}
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b Common) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Field.Place, b.Field.Place))
	})
	return out
}

// folded returns the fields that common places stand for.
func folded(common []Common) map[*Field]bool {
	out := map[*Field]bool{}
	for _, c := range common {
		for _, f := range c.Folded {
			out[f] = true
		}
	}
	return out
}

// maxSpread bounds the places that the common ones of a file become.
const maxSpread = 10_000_000

// spread gives each operation the common places that it has, as fields of its own.
func spread(common []Common, operations []*Operation) error {
	if len(common)*len(operations) > maxSpread {
		return fmt.Errorf("%d common places of %d operations are more than a map holds", len(common), len(operations))
	}
	except := make([]map[string]bool, len(common))
	for i, c := range common {
		except[i] = map[string]bool{}
		for _, name := range c.Except {
			except[i][name] = true
		}
	}
	for _, op := range operations {
		own := map[exchange.Place]bool{}
		for _, f := range op.Fields {
			own[f.Place] = true
		}
		name := op.Name()
		for i, c := range common {
			if c.Host == op.Host && !own[c.Field.Place] && !except[i][name] {
				f := *c.Field
				op.Fields = append(op.Fields, &f)
			}
		}
		slices.SortStableFunc(op.Fields, func(a, b *Field) int { return cmp.Compare(a.Place, b.Place) })
		op.Index()
	}
	return nil
}

// Fold returns the common places of a map, and its operations with the fields that are left, of those that lists names.
// A common place speaks for all its operations: their figures are added up, the bound is the largest, the samples are
// of all. Drifts are not folded, as they are said of the requests of their own operation, nor what a rule decided on.
func (m *Map) Fold(lists func(*Field) bool) ([]Common, []*Operation) {
	listed := make([]*Operation, len(m.Operations))
	for i, op := range m.Operations {
		o := Operation{Operation: op.Operation, Status: op.Status, Exchanges: op.Exchanges}
		for _, f := range op.Fields {
			if lists(f) {
				o.Fields = append(o.Fields, f)
			}
		}
		listed[i] = &o
	}
	common := gatherCommon(listed, (*Field).sameness)
	said := folded(common)
	for i := range common {
		common[i].Field = pooled(common[i].Folded)
	}
	for _, op := range listed {
		op.Fields = slices.DeleteFunc(op.Fields, func(f *Field) bool { return said[f] })
	}
	return common, listed
}

// sameness is what operations have to agree on for a place to be folded. Of what never moved that is all that is said
// of it, its figures included; of what moved, what is stated in canonical words.
func (f *Field) sameness() string {
	if f.Rule != nil || f.Judgement == Drift {
		return ""
	}
	same := fileField{Judgement: f.Judgement, Category: f.Category, Protocol: f.Protocol, Warnings: f.Warnings}
	if f.Changed > 0 {
		same.Holds = f.Holds.Canonical()
	} else {
		same.Of, same.Bound, same.Pooled = f.Of, f.Bound, f.Pooled
		same.Evidence, same.Holds = f.Evidence, f.Holds
	}
	text, err := json.Marshal(same)
	if err != nil {
		return ""
	}
	return string(text)
}

// pooled says of a place what several operations say of it.
func pooled(fields []*Field) *Field {
	out := *fields[0]
	if out.Changed == 0 {
		return &out
	}
	out.Changed, out.Of = 0, 0
	out.Evidence, out.Samples, out.Fingerprints = nil, nil, nil
	for _, f := range fields {
		out.Changed += f.Changed
		out.Of += f.Of
		out.Bound = max(out.Bound, f.Bound)
		if !reflect.DeepEqual(f.Holds, out.Holds) {
			out.Holds = out.Holds.Canonical()
		}
		out.Evidence = union(out.Evidence, f.Evidence,
			func(code string) bool { return ParseEvidence(code).Sign != SignMoved })
		for _, raw := range f.Samples {
			if len(out.Samples) < MaxSamples && !slices.ContainsFunc(out.Samples, func(x json.RawMessage) bool {
				return string(x) == string(raw)
			}) {
				out.Samples = append(out.Samples, raw)
			}
		}
		out.Fingerprints = union(out.Fingerprints, f.Fingerprints, func(string) bool {
			return len(out.Fingerprints) < MaxExamples
		})
	}
	moved := SignMoved.Of(strconv.Itoa(out.Changed) + "/" + strconv.Itoa(out.Of)).String()
	out.Evidence = slices.Insert(out.Evidence, 0, moved)
	return &out
}

// union adds to a list what of another it lacks and is wanted.
func union(list, more []string, wanted func(string) bool) []string {
	for _, s := range more {
		if !slices.Contains(list, s) && wanted(s) {
			list = append(list, s)
		}
	}
	return list
}
