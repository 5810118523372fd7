package volatility

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
	moving  []*draft            // the places that moved, in the order of the map
	labels  map[*draft]string   // "POST /orders /body/id"
	byLabel map[string]*draft   // the first of each
	before  map[*draft]*draft   // who a place had its values from
	within  map[*draft][]*draft // what a text holds the values of
}

// shareCategories gives places one category that have one value: by what each change was, in the recording and in the
// run, and by what always held within an answer.
func shareCategories(all []*operationDraft) {
	s := sameValues{labels: make(map[*draft]string), byLabel: make(map[string]*draft), before: make(map[*draft]*draft),
		within: make(map[*draft][]*draft)}
	for _, o := range all {
		for _, d := range o.drafts {
			if d.field.Volatile() && d.stats.kinds.value > 0 && !d.field.Protocol {
				s.add(d, o.from.key.String()+" "+string(d.field.Place))
			}
		}
	}
	for _, o := range all {
		for _, d := range o.drafts {
			s.joinByChanges(d)
			s.joinByRelations(o, d)
		}
	}
	s.share()
}

func (s *sameValues) add(d *draft, label string) {
	s.moving = append(s.moving, d)
	s.labels[d] = label
	if s.byLabel[label] == nil {
		s.byLabel[label] = d
	}
}

// joinByChanges joins a place to those whose values it had wherever it changed.
func (s *sameValues) joinByChanges(d *draft) {
	if d.stats.kinds.value < minRepeated {
		return
	}
	for _, label := range d.stats.links.made.list {
		s.join(s.byLabel[label], d)
	}
}

// joinByRelations joins a place to those of the same answer that it is equal to. A text of which nothing but such a
// value moves is noted.
func (s *sameValues) joinByRelations(o *operationDraft, d *draft) {
	v := &d.stats.values
	for _, r := range d.field.Holds.Relations {
		other := o.at(r.Of[0])
		switch {
		case r.Is == relation.Equal:
			s.join(other, d)
		case r.Is == relation.Contains && s.labels[other] != "" && v.templated() && len(v.template.Gaps()) == 1:
			s.within[d] = append(s.within[d], other)
		}
	}
}

// join puts two places into one group, of which the one that gave the value comes first.
func (s *sameValues) join(from, to *draft) {
	if s.labels[from] == "" || s.labels[to] == "" {
		return
	}
	if a, b := s.first(from), s.first(to); a != b {
		s.before[b] = a
	}
}

// first returns who stands for the group of a place.
func (s *sameValues) first(d *draft) *draft {
	for s.before[d] != nil {
		d = s.before[d]
	}
	return d
}

// share gives all places of a group the category that has the strongest evidence in it, that of the first of equals;
// and then texts that of the value that they hold.
func (s *sameValues) share() {
	best := make(map[*draft]*draft)
	for _, d := range s.moving {
		first := s.first(d)
		if best[first] == nil {
			best[first] = first
		}
		if d.strength > best[first].strength {
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
func (d *draft) takeCategory(from *draft, labels map[*draft]string) {
	f, category := d.field, from.field.Category
	if f.Category == category || from.strength < d.strength || from.strength == 0 {
		return
	}
	as := mapfile.SignSameAs.Of(labels[from])
	f.Category, d.strength = category, from.strength
	d.evidence = slices.Insert(d.evidence, min(1, len(d.evidence)), as) // behind how often it moved
	d.explanations = withFirst(d.explanations, explanation{category, from.strength, []mapfile.Evidence{as}})
	if category == mapfile.Time || category == mapfile.Unord {
		f.Judgement = mapfile.Jitter // as any place that differs by its nature
	}
}
