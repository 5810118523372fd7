package search

import (
	"context"
	"maps"
	"slices"
)

// probed are values of each type, for fields whose types are not known.
var probed = []any{"x", 1.0, true, []any{}, map[string]any{}}

// forTypes is how much later types of fields are tried than answers that show what is read.
const forTypes = 8

// probeKinds tries values of each type of the fields whose types are not known, in the answers that got furthest with
// them, until a share of the budget is used.
func (s *searcher) probeKinds(ctx context.Context) error {
	for _, e := range slices.SortedFunc(maps.Keys(s.known.fields), Endpoint.compare) {
		for _, f := range slices.Clone(s.known.fields[e]) {
			if f.kind != Unknown || len(s.kinds(e, f)) > 0 {
				continue
			}
			h, b := s.showing(e, f)
			if b == nil {
				continue
			}
			for _, v := range probed {
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

// types adds values of each type of a field that is read, of which that shows none: they come before what is guessed.
func (h *hunt) types(l *lister, current Answer, f field) {
	if f.source != FromReads || f.kind != Unknown {
		return
	}
	for i, v := range probed {
		l.probe(good, forTypes+i, f.place, geneOf(v), current.with(f.place, v))
	}
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
