package search

import (
	"context"
	"maps"
	"slices"

	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/typical"
)

// probeKinds tries values of each type of the fields whose types are not known, in the answers that got furthest with
// them, until a share of the budget is used.
func (s *searcher) probeKinds(ctx context.Context) error {
	s.purpose = toType
	for _, e := range slices.SortedFunc(maps.Keys(s.known.fields), Endpoint.compare) {
		for _, f := range slices.Clone(s.known.fields[e]) {
			if f.kind != kind.Unknown || len(s.kinds(e, f)) > 0 {
				continue
			}
			h, b := s.showing(e, f)
			if b == nil {
				continue
			}
			for _, v := range typical.Probed() {
				set := b.setting.with(e, b.current(e).with(f.place, v))
				if _, tried := h.tried[set.key()]; tried {
					continue
				}
				if s.used() >= kinded {
					return nil
				}
				if _, _, err := s.watch(ctx, h, set); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// stuck has values of each type be tried of the field that was read last, where a request that does not go well did the
// same with a value of it as without: it may want another type. Other types come with the other values of fields.
func (h *hunt) stuck(c change, seen sight) {
	f := h.known.field(seen.last.endpoint, seen.last.place)
	if !c.supplies || seen.status/100 == 2 || seen.last.endpoint != c.endpoint || f == nil || f.kind != kind.Unknown ||
		!c.answer.has(f.place) || !h.same(seen, c.base.sight) {
		return
	}
	l := &lister{base: c.base, endpoint: c.endpoint}
	for i, v := range append(typical.Probed(), []any{map[string]any{}}) {
		l.probe(good, 2+i, f.place, geneOf(v), c.answer.with(f.place, v))
	}
	h.pend(l.out)
}

// showing is the base at which the type of a field shows best: it was read there, or is in the answer, and the request
// got furthest; nil where there is none.
func (s *searcher) showing(e Endpoint, f field) (in *hunt, best *base) {
	for _, h := range s.hunts {
		for _, b := range h.bases {
			read := slices.ContainsFunc(b.sight.reads[e], func(r Read) bool { return r.Place == f.place })
			a, set := b.setting[e]
			if !set || !a.fielded() || !read && !a.has(f.place) {
				continue
			}
			if best == nil || b.sight.far() > best.sight.far() {
				in, best = h, b
			}
		}
	}
	return in, best
}

// manyReads is more than as many reads as tell how far a request got.
const manyReads = 1000

// far is how far a request got, by what it read, too, where that is told: an error that says more comes of more that
// was read.
func (v sight) far() int {
	reads := map[string]bool{}
	for e, all := range v.reads {
		for _, r := range all {
			reads[e.String()+string(r.Place)] = true
		}
	}
	far := manyReads * v.score()
	if len(reads) > 0 {
		far += manyReads*min(len(v.told), 1) + min(len(reads), manyReads-1)
	}
	return far
}
