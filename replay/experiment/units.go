package experiment

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/search"
	"github.com/flaketap/flaketap/store"
)

// units are the sequences of a recording as they can be put into another order: those that take values from each other
// both ways are one.
type units struct {
	db    *store.Store
	steps [][]uint64 // by unit, in order; units are in the order of their first steps
	of    []int32    // by position: the unit of an exchange
	needs [][]int    // the units that one takes values from, all of them before it
}

// units tells the sequences of a recording apart.
func (s *survey) units() (*units, error) {
	u := &units{db: s.db, of: make([]int32, s.total+1)}
	number := map[int]int{}
	for e, err := range s.db.Exchanges() {
		if err != nil {
			return nil, err
		}
		n := s.order.Sequence(e)
		i, seen := number[n]
		if !seen {
			i = len(u.steps)
			number[n] = i
			u.steps = append(u.steps, nil)
		}
		u.steps[i] = append(u.steps[i], e.Seq)
	}
	u.join(s.Kept)
	return u, nil
}

// join makes one of units that take values from each other both ways, so that of two that are bound the one always
// comes first, and finds out what each needs.
func (u *units) join(bindings []exchange.Binding) {
	for {
		u.number()
		into := make([]int, len(u.steps)) // the unit that each becomes part of
		for i := range into {
			into[i] = i
		}
		joined := false
		u.needs = make([][]int, len(u.steps))
		known := map[[2]int]bool{}
		for _, b := range bindings {
			for _, use := range b.Uses {
				from, to := int(u.of[b.Producer.Seq]), int(u.of[use.Seq])
				switch {
				case from == to:
				case from > to: // what comes first needs what comes later
					joined = true
					into[from] = min(into[from], into[to])
				case !known[[2]int{from, to}]:
					known[[2]int{from, to}] = true
					u.needs[to] = append(u.needs[to], from)
				}
			}
		}
		if !joined {
			return
		}
		steps := make([][]uint64, len(u.steps))
		for i, own := range u.steps {
			at := i
			for into[at] != at {
				at = into[at]
			}
			steps[at] = append(steps[at], own...)
		}
		u.steps = slices.DeleteFunc(steps, func(own []uint64) bool { return len(own) == 0 })
	}
}

// number puts units into the order of their first steps.
func (u *units) number() {
	for _, own := range u.steps {
		slices.Sort(own)
	}
	slices.SortFunc(u.steps, func(a, b []uint64) int { return cmp.Compare(a[0], b[0]) })
	for i, own := range u.steps {
		for _, seq := range own {
			u.of[seq] = int32(i)
		}
	}
}

// search is a search for what depends on the order of the units.
func (u *units) search() *search.Polluters {
	return &search.Polluters{Sequences: len(u.steps), Needs: func(i int) []int { return u.needs[i] }}
}

// played is a recording of which some units are played, in some order.
type played struct {
	*units
	order []int
}

// Exchanges yields the exchanges in the order of the units.
func (p played) Exchanges() iter.Seq2[*exchange.Exchange, error] {
	return func(yield func(*exchange.Exchange, error) bool) {
		for _, i := range p.order {
			for e, err := range p.db.Select(p.steps[i]) {
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}

// differing returns the units of which a step did not go as recorded, and the first such step of each.
func (u *units) differing(s replay.Summary) ([]int, map[int]replay.Difference) {
	first := map[int]replay.Difference{}
	for _, d := range s.Sequences.Differed {
		if i := int(u.of[d.First.Seq]); first[i].Seq == 0 {
			first[i] = d.First
		}
	}
	var out []int
	for i := range u.steps {
		if first[i].Seq != 0 {
			out = append(out, i)
		}
	}
	return out, first
}

// nothing takes observations that are not stored.
type nothing struct{}

func (nothing) Observe(*exchange.Observation) error { return nil }

// trial plays some units and returns those that went otherwise.
func (u *units) trial(p *replay.Player) search.Trial {
	return func(ctx context.Context, order []int) ([]int, error) {
		one := *p
		one.Progress, one.Workers = nil, 0
		one.Total = 0
		if p.Service != nil { // what it logs in a trial is not kept
			service := *p.Service
			service.Log, service.Asked, one.Service = "", nil, &service
		}
		s, err := one.Play(ctx, played{u, order}, nothing{})
		if err != nil {
			return nil, err
		}
		differing, _ := u.differing(s)
		return differing, nil
	}
}

// name is a unit for people.
func (u *units) name(i int) string {
	first := u.steps[i][0]
	last := u.steps[i][len(u.steps[i])-1]
	e, err := u.db.Exchange(first)
	switch {
	case err != nil || e.Sequence == "":
		if first == last {
			return fmt.Sprintf("exchange %d", first)
		}
		return fmt.Sprintf("the sequence of exchanges %d to %d", first, last)
	default:
		return fmt.Sprintf("%q (exchanges %d to %d)", e.Sequence, first, last)
	}
}
