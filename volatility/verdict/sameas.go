package verdict

import (
	"slices"

	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/relation"
)

// A value that one answer gives and others repeat moves for one reason, wherever it turns up: in the list, in the
// header that says where the thing is, in the answer to the next request. What tells the reason best at one of these
// places tells it at all of them.

// minRepeated is how many changes of a place have to be those of another: one may be, of small numbers, by chance.
const minRepeated = 2

// sameValues joins places that have the same values to groups. The first of a group, which gave them, stands for it.
type sameValues struct {
	moving  []*Place            // the places that moved, in the order of the map
	labels  map[*Place]string   // "POST /orders /body/id"
	byLabel map[string]*Place   // the first of each
	before  map[*Place]*Place   // who a place had its values from
	within  map[*Place][]*Place // what a text holds the values of
}

// share gives places one category that have one value: by what each change was, in the recording and in the
// run, and by what always held within an answer.
func share(all []*Operation) {
	s := sameValues{labels: make(map[*Place]string), byLabel: make(map[string]*Place), before: make(map[*Place]*Place),
		within: make(map[*Place][]*Place)}
	for _, o := range all {
		for _, d := range o.Places {
			if d.Field.Volatile() && d.Changes > 0 && !d.Field.Protocol {
				s.add(d, o.Key.String()+" "+string(d.Field.Place))
			}
		}
	}
	for _, o := range all {
		for _, d := range o.Places {
			s.joinByChanges(d)
			s.joinByRelations(o, d)
		}
	}
	s.spread()
}

func (s *sameValues) add(d *Place, label string) {
	s.moving = append(s.moving, d)
	s.labels[d] = label
	if s.byLabel[label] == nil {
		s.byLabel[label] = d
	}
}

// joinByChanges joins a place to those whose values it had wherever it changed.
func (s *sameValues) joinByChanges(d *Place) {
	if d.Changes < minRepeated {
		return
	}
	for _, label := range d.Repeats {
		s.join(s.byLabel[label], d)
	}
}

// joinByRelations joins a place to those of the same answer that it is equal to. A text of which nothing but such a
// value moves is noted.
func (s *sameValues) joinByRelations(o *Operation, d *Place) {
	for _, r := range d.Field.Holds.Relations {
		other := o.at(r.Of[0])
		switch {
		case r.Is == relation.Equal:
			s.join(other, d)
		case r.Is == relation.Contains && s.labels[other] != "" && d.OneGap:
			s.within[d] = append(s.within[d], other)
		}
	}
}

// join puts two places into one group, of which the one that gave the value comes first.
func (s *sameValues) join(from, to *Place) {
	if s.labels[from] == "" || s.labels[to] == "" {
		return
	}
	if a, b := s.first(from), s.first(to); a != b {
		s.before[b] = a
	}
}

// first returns who stands for the group of a place.
func (s *sameValues) first(d *Place) *Place {
	for s.before[d] != nil {
		d = s.before[d]
	}
	return d
}

// spread gives all places of a group the category that has the strongest evidence in it, that of the first of equals;
// and then texts that of the value that they hold.
func (s *sameValues) spread() {
	best := make(map[*Place]*Place)
	for _, d := range s.moving {
		first := s.first(d)
		if best[first] == nil {
			best[first] = first
		}
		if d.Strength > best[first].Strength {
			best[first] = d
		}
	}
	for _, d := range s.moving {
		d.takeCategory(best[s.first(d)], s.labels)
	}
	for _, d := range s.moving {
		for _, value := range s.within[d] {
			d.takeCategory(value, s.labels)
		}
	}
}

// takeCategory gives a place the category of another one that has the same value, unless its own evidence is stronger,
// and says which.
func (d *Place) takeCategory(from *Place, labels map[*Place]string) {
	f, category := d.Field, from.Field.Category
	if f.Category == category || from.Strength < d.Strength || from.Strength == 0 {
		return
	}
	as := mapfile.SignSameAs.Of(labels[from])
	f.Category, d.Strength = category, from.Strength
	d.Evidence = slices.Insert(d.Evidence, min(1, len(d.Evidence)), as) // behind how often it moved
	d.Explanations = First(d.Explanations, Explanation{category, from.Strength, []mapfile.Evidence{as}})
	if category == mapfile.Time || category == mapfile.Unord {
		f.Judgement = mapfile.Jitter // as any place that differs by its nature
	}
}
