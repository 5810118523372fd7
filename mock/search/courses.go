package search

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/tree"
	"github.com/flaketap/flaketap/mock/search/typical"
)

// course is a setting with which a request gets far, from which fields are changed one at a time.
type course struct {
	hunt    *hunt
	setting setting
	sight   sight
	score   int // of a base, and more where all goes well
}

// goesWell is how much more that is: more than any other score.
const goesWell = 1000

// trace finds which field surfaces where: it gives each field of the answers other values, one at a time, first in the
// course that takes a request furthest, with all that is known of the answers, then in the others; and repeats the
// trials whose difference is not proven, those of the search too.
func (s *searcher) trace(ctx context.Context) error {
	s.purpose = toFill
	tried := map[pair]bool{}
	courses := s.courses()
	for _, own := range courses {
		if len(own) > 0 {
			if err := s.fill(ctx, &own[0]); err != nil {
				return err
			}
		}
	}
	at := func(turn int) (all []course) {
		for _, own := range courses {
			if turn >= 0 && turn < len(own) {
				all = append(all, own[turn])
			}
		}
		return all
	}
	for turn := 0; len(at(turn)) > 0 || len(at(turn-1)) > 0; turn++ {
		if err := s.traceCourses(ctx, at(turn), 0, tried); err != nil {
			return err
		}
		if err := s.traceCourses(ctx, at(turn-1), typical.AtOnce, tried); err != nil { // the values that tell less
			return err
		}
	}
	return nil
}

// traceCourses tries so many other values of the fields in courses, from one on, and proves what follows them.
func (s *searcher) traceCourses(ctx context.Context, courses []course, from int, tried map[pair]bool) error {
	var next []trialOf
	for _, f := range courses {
		if o := f.hunt.history.shown[f.setting.key()]; o == nil || !o.repeated() {
			next = append(next, trialOf{f.hunt, f.setting})
		}
	}
	for turn := from; turn < from+typical.AtOnce; turn++ {
		for _, f := range courses {
			next = append(next, f.others(turn)...)
		}
	}
	for s.purpose = toTrace; len(next) > 0; s.purpose = toProveTrace {
		if err := s.runAll(ctx, next); err != nil {
			return err
		}
		c := s.compare()
		next = c.repeats(tried)
	}
	return nil
}

// courses lists the courses of each request, one of each behavior: those that go well and got furthest first.
func (s *searcher) courses() (out [][]course) {
	for _, h := range s.hunts {
		var own []course
		of := map[string]int{} // by behaviors
		for _, o := range h.history.order {
			seen := h.tried[o.setting.key()]
			f := course{h, o.setting, seen, baseOf(o.setting, seen, nil, Endpoint{}).score}
			if seen.end != Answered || seen.status/100 == 5 || !f.known() {
				continue
			}
			if seen.status/100 == 2 {
				f.score += goesWell
			}
			if i, known := of[seen.sign]; !known {
				of[seen.sign] = len(own)
				own = append(own, f)
			} else if f.score > own[i].score {
				own[i] = f
			}
		}
		slices.SortStableFunc(own, func(a, b course) int { return cmp.Compare(b.score, a.score) })
		out = append(out, own)
	}
	return out
}

// known reports whether all fields of the answers are known: where a group of names was tried, most of them are none.
func (f course) known() bool {
	for e, a := range f.setting {
		for _, p := range tree.Places(a.JSON) {
			element := strings.HasSuffix(string(p), "/"+exchange.Wildcard)
			if known := f.hunt.known; !element && known.field(e, p) == nil && !known.inside(e, p) {
				return false
			}
		}
	}
	return true
}

// addition is a value of a field that an answer has not.
type addition struct {
	endpoint Endpoint
	field    exchange.Place
	value    any
}

// mostFilling is how many trials a course is filled with at most.
const mostFilling = 16

// fill adds to a course answers of what is asked for in other courses, which may be asked for when a field has another
// value, makes numbers larger, and adds what is known of the answers; all as far as the request gets as far with it.
func (s *searcher) fill(ctx context.Context, f *course) error {
	set := f.setting
	for _, b := range f.hunt.bases {
		set, _ = s.answering(f.hunt, set, b.sight)
	}
	seen, _, err := s.watch(ctx, f.hunt, set)
	if err != nil {
		return err
	}
	if f.hunt.same(seen, f.sight) {
		f.setting, f.sight = set, seen
	}
	left := mostFilling
	numbers, fields := f.additions()
	same := func(seen sight) bool { return seen.rest == f.sight.rest }
	if err := s.grow(ctx, f, numbers, same, &left); err != nil {
		return err
	}
	return s.grow(ctx, f, fields, func(seen sight) bool {
		return seen.status/100 == f.sight.status/100 && seen.score() >= f.sight.score()
	}, &left)
}

// additions are larger numbers, and what is known of the answers that are asked for beside what is there.
func (f *course) additions() (numbers, fields []addition) {
	for _, e := range f.sight.endpoints {
		a, set := f.setting[e]
		if !set || !a.plain() {
			continue
		}
		for _, p := range typical.Ones(a.JSON) {
			numbers = append(numbers, addition{e, p, typical.Large})
		}
		known := slices.Clone(f.hunt.known.fields[e])
		slices.SortFunc(known, func(a, b field) int { return strings.Compare(string(a.place), string(b.place)) })
		for _, one := range known {
			if !a.has(one.place) {
				fields = append(fields, addition{e, one.place, f.hunt.likely(e, one)})
			}
		}
	}
	return numbers, fields
}

// answering is a setting with answers of all that is asked for, and whether it has more than the one given: that of
// what may be the same operation, else the best ones that are known.
func (s *searcher) answering(h *hunt, set setting, seen sight) (out setting, more bool) {
	out = set
	for _, e := range seen.endpoints {
		if _, there := out[e]; there {
			continue
		}
		a := s.known.best(e, h, s.known.anyBest(e))
		for _, o := range set.endpoints() {
			if e.mayBe(o) && (strings.Contains(e.Path, "{}") || strings.Contains(o.Path, "{}") || a.JSON == nil) {
				a = set[o]
			}
		}
		out, more = out.with(e, a), true
	}
	return out, more
}

// grow adds what may be added together, or halves of it, for the outcome to stay as good as it has to.
func (s *searcher) grow(ctx context.Context, f *course, all []addition, good func(sight) bool, left *int) error {
	if len(all) == 0 || *left == 0 {
		return nil
	}
	set := f.setting
	for _, one := range all {
		set = set.with(one.endpoint, set[one.endpoint].with(one.field, one.value))
	}
	for more := true; more && *left > 0; {
		*left--
		seen, _, err := s.watch(ctx, f.hunt, set)
		if err != nil {
			return err
		}
		if good(seen) {
			f.setting, f.sight = set, seen
			return nil
		}
		set, more = s.answering(f.hunt, set, seen)
	}
	if len(all) == 1 {
		return nil
	}
	if err := s.grow(ctx, f, all[:len(all)/2], good, left); err != nil {
		return err
	}
	return s.grow(ctx, f, all[len(all)/2:], good, left)
}

// likely is a value that a field has where requests got furthest, that it is compared with, or a plain one.
func (h *hunt) likely(e Endpoint, f field) any {
	for _, b := range h.known.bests[e] {
		if v, there := tree.Get(b.answer.JSON, tree.Within(f.place)); there {
			return v
		}
	}
	if f.works != nil {
		return f.works
	}
	for _, v := range slices.Concat(f.values, f.compared, h.compared(f)) {
		if _, is := v.(string); is && f.kind.Takes(v) {
			return v
		}
	}
	return h.filler(f)
}

// anyBest is the answer of an endpoint that led a request furthest, whichever; a plain one where none is known.
func (k *knowledge) anyBest(e Endpoint) Answer {
	if bests := k.bests[e]; len(bests) > 0 {
		return slices.MaxFunc(bests, func(a, b best) int { return cmp.Compare(a.score, b.score) }).answer
	}
	return ok()
}

// others are the trials with the other values of fields whose turn it is.
func (f course) others(turn int) (out []trialOf) {
	for _, e := range f.sight.endpoints {
		a, set := f.setting[e]
		if !set || !a.fielded() {
			continue
		}
		for _, p := range tree.Places(a.JSON) {
			v, _ := tree.Get(a.JSON, tree.Within(p))
			if strings.HasSuffix(string(p), "/"+exchange.Wildcard) && kind.Of(v).Holds() || !f.reads(e, p) {
				continue
			}
			if others := f.hunt.otherThan(e, p, v); turn < len(others) {
				out = append(out, trialOf{f.hunt, f.setting.with(e, a.with(p, others[turn]))})
			}
		}
	}
	return slices.DeleteFunc(out, func(t trialOf) bool { return f.hunt.history.shown[t.setting.key()] != nil })
}

// reads reports whether a field, or something within it, is read in the course, as far as that is told.
func (f course) reads(e Endpoint, p exchange.Place) bool {
	all := f.sight.reads[e]
	return len(all) == 0 || slices.ContainsFunc(all, func(r Read) bool { return r.Place == p || r.Place.Within(p) })
}

// otherThan are other values of a field, of the type of one, and none: first those that the API is known to look for.
func (h *hunt) otherThan(e Endpoint, p exchange.Place, v any) []any {
	f := h.known.field(e, p)
	if f == nil {
		f = &field{place: p}
	}
	var texts []string
	if kind.Of(v) == kind.String {
		texts, _ = h.words.near(e, tree.Name(p), 1)
	}
	return typical.Others(v, slices.Concat(f.values, f.compared, h.compared(*f)), typical.Dated(tree.Name(p)), texts)
}

// trialOf is a trial that is to be run for what it is compared with.
type trialOf struct {
	hunt    *hunt
	setting setting
}

// runAll runs trials one after the other.
func (s *searcher) runAll(ctx context.Context, all []trialOf) error {
	for i, one := range all {
		end := s.foresee(func() (out []Trial) {
			for _, next := range all[i+1:] {
				out = append(out, next.hunt.trial(next.setting))
			}
			return out
		})
		_, _, err := s.try(ctx, one.hunt, one.setting)
		end()
		if err != nil {
			return err
		}
	}
	return nil
}
