package steady

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/jsontree"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// merging puts a live JSON text and the recorded one together. What is not replaced keeps the bytes of the live one.
type merging struct {
	*answering
	recorded, live string
	r, l           *jsontree.Node // nil where one is no JSON that can be edited
	arranged       map[[2]*jsontree.Node]*arrangement
}

// value returns what the client sees of a value.
func (m *merging) value(p at, r, l *jsontree.Node) string {
	switch {
	case r.Raw == l.Raw:
		return l.Raw
	case r.Kind == '{' && l.Kind == '{':
		return m.object(p, r, l)
	case r.Kind == '[' && l.Kind == '[':
		return m.array(p, r, l)
	case l.Kind == '{' || l.Kind == '[':
		if f := m.moves(p.general); f != nil {
			if err := m.all(p, l); err != nil {
				m.pass(p.general, p.live, err.Error())
				return l.Raw
			}
		}
	}
	return m.hold(p, r.Raw, l.Raw)
}

// splice is a part of an object or array that is put together anew: the bytes before a value, and the value.
type splice struct{ before, value string }

// object returns what the client sees of an object. Of keys that occur twice the last members are looked at, as JSON
// readers do.
func (m *merging) object(p at, r, l *jsontree.Node) string {
	recorded, live := r.Index(), l.Index()
	p.onTheWay = m.stages.OnTheWay(p.general, func(key string) string {
		if i, ok := recorded[key]; ok {
			return r.Children[i].Raw
		}
		return ""
	})
	var out []splice
	changed := false
	for i := range l.Children {
		key := l.Keys[i].Text
		s := splice{m.live[l.Keys[i].Start:l.Children[i].Start], l.Children[i].Raw}
		k, known := recorded[key]
		switch {
		case live[key] != i: // hidden by a later one
		case known:
			s.value = m.value(p.key(key), &r.Children[k], &l.Children[i])
		case m.renamedKey(p, key, recorded, live, &s, r, &l.Children[i]):
			changed = true
		case m.tells(p.key(key), "", l.Children[i].Raw):
		case m.drops(p.key(key), &l.Children[i]):
			changed = true
			continue
		default:
			m.pass(p.general.Key(key), p.live.Key(key), "not in the recording")
		}
		out = append(out, s)
	}
	for i := range r.Children {
		key := r.Keys[i].Text
		_, there := live[key]
		if there || recorded[key] != i || m.standsUnderOtherName(key, live) {
			continue
		}
		if m.tells(p.key(key), r.Children[i].Raw, "") {
			continue
		}
		f := m.moves(p.general.Key(key))
		if f == nil || !f.Holds.Optional {
			m.pass(p.general.Key(key), p.live.Key(key), "missing")
			continue
		}
		m.report.hold(f.Category)
		out = insert(out, m.place(r, i, out), splice{m.recorded[r.Keys[i].Start:r.Children[i].Start], r.Children[i].Raw})
		changed = true
	}
	if !changed {
		return m.spliced(l, out)
	}
	return m.rebuilt(r, l, out)
}

// renamedKey gives a member whose key is an id that the API has given the key that the client knows.
func (m *merging) renamedKey(p at, key string, recorded, live map[string]int, s *splice, r, l *jsontree.Node) bool {
	was, ok := m.s.names.recorded[key]
	k, known := recorded[was]
	_, taken := live[was]
	if !ok || !known || taken {
		return false
	}
	m.report.ids++
	s.before = strings.Replace(s.before, jsontree.Quote(key), jsontree.Quote(was), 1)
	s.value = m.value(at{p.general.Key(was), p.recorded.Key(was), p.live.Key(key), p.onTheWay}, &r.Children[k], l)
	return true
}

// standsUnderOtherName reports whether a recorded key is an id that the live object has under its live name.
func (m *merging) standsUnderOtherName(key string, live map[string]int) bool {
	now, ok := m.s.names.live[key]
	if !ok {
		return false
	}
	_, there := live[now]
	return there
}

// drops reports whether a member that the recorded object has not may be left out: it is not always there, and what was
// learned of it.
func (m *merging) drops(p at, l *jsontree.Node) bool {
	f := m.moves(p.general)
	if f == nil || !f.Holds.Optional || m.all(p, l) != nil {
		return false
	}
	m.report.hold(f.Category)
	return true
}

// place finds where a recorded member goes: behind the one that it stood behind.
func (m *merging) place(r *jsontree.Node, i int, out []splice) int {
	for i--; i >= 0; i-- {
		for k := range out {
			if strings.HasPrefix(out[k].before, r.Keys[i].Raw) {
				return k + 1
			}
		}
	}
	return 0
}

func insert(list []splice, i int, s splice) []splice {
	list = append(list, splice{})
	copy(list[i+1:], list[i:])
	list[i] = s
	return list
}

// spliced returns a live container with different values in the place of its own, one for each.
func (m *merging) spliced(l *jsontree.Node, out []splice) string {
	var b strings.Builder
	pos := l.Start
	for i := range l.Children {
		c := &l.Children[i]
		b.WriteString(m.live[pos:c.Start])
		b.WriteString(out[i].value)
		pos = c.End
	}
	b.WriteString(m.live[pos:l.End])
	return b.String()
}

// rebuilt writes a container with the given members, with the white space of the live one, or of the recorded one where
// the live one has none to go by.
func (m *merging) rebuilt(r, l *jsontree.Node, out []splice) string {
	like, src := l, m.live
	if len(l.Children) == 0 {
		like, src = r, m.recorded
	}
	open, close, between := "", "", ","
	if n := len(like.Children); n > 0 {
		open, close = src[like.Start+1:like.Begin(0)], src[like.Children[n-1].End:like.End-1]
		if n > 1 {
			between = src[like.Children[0].End:like.Begin(1)]
		}
	}
	var b strings.Builder
	b.WriteByte(byte(l.Kind))
	for i, s := range out {
		if i > 0 {
			b.WriteString(between)
		} else {
			b.WriteString(open)
		}
		b.WriteString(s.before)
		b.WriteString(s.value)
	}
	if len(out) > 0 {
		b.WriteString(close)
	}
	b.WriteByte(byte(l.Kind) + 2) // as { and }, [ and ] stand in ASCII
	return b.String()
}

// array returns what the client sees of an array.
func (m *merging) array(p at, r, l *jsontree.Node) string {
	x := m.arrange(p, r, l)
	if x.reason != "" {
		m.pass(p.general, p.live, x.reason)
	}
	switch {
	case x.other:
		m.pass(p.general, p.live, elements(len(l.Children), len(r.Children)))
		return m.spliced(l, m.known(p, r, l, x.pairs))
	case len(r.Children) != len(l.Children) || slices.Contains(x.pairs, -1):
		return m.resized(p, r, l, x.pairs, x.field)
	case !slices.IsSorted(x.pairs):
		m.report.ordered++
	}
	return m.spliced(l, m.elements(p, r, l, x.pairs))
}

// elements says that an array has another number of elements than the recorded one.
func elements(live, recorded int) string {
	if live == 1 {
		return fmt.Sprintf("1 element, recorded %d", recorded)
	}
	return fmt.Sprintf("%d elements, recorded %d", live, recorded)
}

// arrangement says of each recorded element of an array which live one it is, -1 where it is none.
type arrangement struct {
	pairs  []int
	other  bool           // it has another number of elements, and none of the learned ones
	field  *mapfile.Field // what was learned of the array; nil where it does not move
	reason string         // what of it is not what was learned; "" where all is
}

// arrange finds out which elements of two arrays belong together. What is learned from an answer and what is shown of
// it rest on the same pairs: they are looked for once.
func (m *merging) arrange(p at, r, l *jsontree.Node) *arrangement {
	key := [2]*jsontree.Node{r, l}
	if x := m.arranged[key]; x != nil {
		return x
	}
	x := &arrangement{field: m.moves(p.general)}
	var any, sized bool
	if f := x.field; f != nil {
		// An array that moved and never was longer or shorter came in other orders, its elements told apart by what
		// they hold.
		sized = f.Holds.MinLength != nil || f.Holds.Order == "set"
		any = !sized
		if x.reason = m.refusesArray(f, p, r, l); x.reason != "" {
			any, sized = false, false
		}
	}
	same := len(r.Children) == len(l.Children)
	switch {
	case sized || any && same:
		x.pairs = m.pairs(p, r, l)
	case same:
		x.pairs = inOrder(len(r.Children))
	default:
		x.pairs, x.other = m.sure(p, r, l), true
	}
	m.arranged[key] = x
	return x
}

// refusesArray says what of an array as a whole is not what was learned of it; "" where all is.
func (m *merging) refusesArray(f *mapfile.Field, p at, r, l *jsontree.Node) string {
	if err := f.Holds.SatisfiedLength(len(l.Children)); err != nil {
		return err.Error()
	}
	if len(l.Children) == 0 && len(r.Children) > 0 && !wasEmpty(f) {
		return "empty, and not known to be so"
	}
	if f.Holds.Order == "set" && !compare.SameSet(r.Raw, l.Raw) && !m.sameSetRenamed(r, l) {
		return "not the recorded elements, some of them more or less often"
	}
	return m.wrong[p.general]
}

// wasEmpty reports whether an array is known to be empty at times. That it may be shorter or longer does not say so.
func wasEmpty(f *mapfile.Field) bool {
	return slices.ContainsFunc(f.Samples, func(s json.RawMessage) bool { return string(s) == `"length 0"` })
}

// sameSetRenamed reports whether two arrays hold the same elements once the ids are those that the client knows.
func (m *merging) sameSetRenamed(r, l *jsontree.Node) bool {
	before := m.report.ids
	renamed := m.renamedIn(l)
	m.report.ids = before
	return compare.SameSet(r.Raw, renamed)
}

func inOrder(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// elements returns the elements of an array in the order of the recorded one; pairs names for each the live one.
func (m *merging) elements(p at, r, l *jsontree.Node, pairs []int) []splice {
	out := make([]splice, len(pairs))
	for i, j := range pairs {
		out[i].value = m.value(p.index(i, j), &r.Children[i], &l.Children[j])
	}
	return out
}

// known returns the elements of a live array of which it is sure which recorded ones they are as the client sees them,
// and the others as they are.
func (m *merging) known(p at, r, l *jsontree.Node, sure []int) []splice {
	out := make([]splice, len(l.Children))
	for j := range out {
		out[j].value = l.Children[j].Raw
	}
	for i, j := range sure {
		if j >= 0 {
			out[j].value = m.value(p.index(i, j), &r.Children[i], &l.Children[j])
		}
	}
	return out
}

// resized returns an array of which it was learned that it may be longer or shorter: the recorded elements, those that
// are there as they are now. What the live one has more is left out where it is what was learned of elements.
func (m *merging) resized(p at, r, l *jsontree.Node, pairs []int, f *mapfile.Field) string {
	var out []splice
	taken := make([]bool, len(l.Children))
	for i := range r.Children {
		if j := pairs[i]; j >= 0 {
			taken[j] = true
			out = append(out, splice{value: m.value(p.index(i, j), &r.Children[i], &l.Children[j])})
			continue
		}
		out = append(out, splice{value: r.Children[i].Raw})
	}
	for j := range l.Children {
		if taken[j] {
			continue
		}
		if err := m.all(p.index(j, j), &l.Children[j]); err != nil {
			m.pass(p.general.Each(), p.live.Index(j), err.Error())
			out = append(out, splice{value: l.Children[j].Raw})
		}
	}
	m.report.hold(f.Category)
	return m.rebuilt(r, l, out)
}
