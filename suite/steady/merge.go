package steady

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/volatility"
)

// merging puts a live JSON text and the recorded one together. What is not replaced keeps the bytes of the live one.
type merging struct {
	*answering
	recorded, live string
	r, l           *node // nil where one is no JSON that can be edited
	arranged       map[[2]*node]*arrangement
}

// value returns what the client sees of a value.
func (m *merging) value(p at, r, l *node) string {
	switch {
	case r.raw == l.raw:
		return l.raw
	case r.kind == '{' && l.kind == '{':
		return m.object(p, r, l)
	case r.kind == '[' && l.kind == '[':
		return m.array(p, r, l)
	case l.kind == '{' || l.kind == '[':
		if f := m.moves(p.general); f != nil {
			if err := m.all(p, l); err != nil {
				m.pass(p.general, p.live, err.Error())
				return l.raw
			}
		}
	}
	return m.hold(p, r.raw, l.raw)
}

// splice is a part of an object or array that is put together anew: the bytes before a value, and the value.
type splice struct{ before, value string }

// object returns what the client sees of an object. Of keys that occur twice the last members are looked at, as JSON readers
// do.
func (m *merging) object(p at, r, l *node) string {
	recorded, live := r.index(), l.index()
	var out []splice
	changed := false
	for i := range l.children {
		key := l.keys[i].text
		s := splice{m.live[l.keys[i].start:l.children[i].start], l.children[i].raw}
		k, known := recorded[key]
		switch {
		case live[key] != i: // hidden by a later one
		case known:
			s.value = m.value(p.key(key), &r.children[k], &l.children[i])
		case m.renamedKey(p, key, recorded, live, &s, r, &l.children[i]):
			changed = true
		case m.drops(p.key(key), &l.children[i]):
			changed = true
			continue
		default:
			m.pass(p.general.Key(key), p.live.Key(key), "not in the recording")
		}
		out = append(out, s)
	}
	for i := range r.children {
		key := r.keys[i].text
		_, there := live[key]
		if there || recorded[key] != i || m.standsUnderOtherName(key, live) {
			continue
		}
		f := m.moves(p.general.Key(key))
		if f == nil || !f.Holds.Optional {
			m.pass(p.general.Key(key), p.live.Key(key), "missing")
			continue
		}
		m.report.hold(f.Category)
		out = insert(out, m.place(r, i, out), splice{m.recorded[r.keys[i].start:r.children[i].start], r.children[i].raw})
		changed = true
	}
	if !changed {
		return m.spliced(l, out)
	}
	return m.rebuilt(r, l, out)
}

// renamedKey gives a member whose key is an id that the API has given the key that the client knows.
func (m *merging) renamedKey(p at, key string, recorded, live map[string]int, s *splice, r, l *node) bool {
	was, ok := m.s.names.recorded[key]
	k, known := recorded[was]
	_, taken := live[was]
	if !ok || !known || taken {
		return false
	}
	m.report.ids++
	s.before = strings.Replace(s.before, quote(key), quote(was), 1)
	s.value = m.value(at{p.general.Key(was), p.recorded.Key(was), p.live.Key(key)}, &r.children[k], l)
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

// drops reports whether a member that the recorded object has not may be left out: it is not always there, and what was learned
// of it.
func (m *merging) drops(p at, l *node) bool {
	f := m.moves(p.general)
	if f == nil || !f.Holds.Optional || m.all(p, l) != nil {
		return false
	}
	m.report.hold(f.Category)
	return true
}

// place finds where a recorded member goes: behind the one that it stood behind.
func (m *merging) place(r *node, i int, out []splice) int {
	for i--; i >= 0; i-- {
		for k := range out {
			if strings.HasPrefix(out[k].before, r.keys[i].raw) {
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

// spliced returns a live container with other values in the place of its own, one for each.
func (m *merging) spliced(l *node, out []splice) string {
	var b strings.Builder
	pos := l.start
	for i := range l.children {
		c := &l.children[i]
		b.WriteString(m.live[pos:c.start])
		b.WriteString(out[i].value)
		pos = c.end
	}
	b.WriteString(m.live[pos:l.end])
	return b.String()
}

// rebuilt writes a container with the given members, with the white space of the live one, or of the recorded one where the live
// one has none to go by.
func (m *merging) rebuilt(r, l *node, out []splice) string {
	like, src := l, m.live
	if len(l.children) == 0 {
		like, src = r, m.recorded
	}
	open, close, between := "", "", ","
	if n := len(like.children); n > 0 {
		open, close = src[like.start+1:like.first(0)], src[like.children[n-1].end:like.end-1]
		if n > 1 {
			between = src[like.children[0].end:like.first(1)]
		}
	}
	var b strings.Builder
	b.WriteByte(l.kind)
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
	b.WriteByte(l.kind + 2) // as { and }, [ and ] stand in ASCII
	return b.String()
}

// first returns where the i-th member of an object, or element of an array, begins.
func (n *node) first(i int) int {
	if n.kind == '{' {
		return n.keys[i].start
	}
	return n.children[i].start
}

// index returns the members of an object by key, of a key that occurs twice the last.
func (n *node) index() map[string]int {
	out := make(map[string]int, len(n.keys))
	for i, k := range n.keys {
		out[k.text] = i
	}
	return out
}

// array returns what the client sees of an array.
func (m *merging) array(p at, r, l *node) string {
	x := m.arrange(p, r, l)
	if x.reason != "" {
		m.pass(p.general, p.live, x.reason)
	}
	switch {
	case x.other:
		m.pass(p.general, p.live, fmt.Sprintf("%d elements, recorded %d", len(l.children), len(r.children)))
		return m.spliced(l, m.known(p, r, l, x.pairs))
	case len(r.children) != len(l.children) || slices.Contains(x.pairs, -1):
		return m.resized(p, r, l, x.pairs, x.field)
	case !slices.IsSorted(x.pairs):
		m.report.ordered++
	}
	return m.spliced(l, m.elements(p, r, l, x.pairs))
}

// arrangement says of each recorded element of an array which live one it is, -1 where it is none.
type arrangement struct {
	pairs  []int
	other  bool              // it has another number of elements, and none of the learned ones
	field  *volatility.Field // what was learned of the array; nil where it does not move
	reason string            // what of it is not what was learned; "" where all is
}

// arrange finds out which elements of two arrays belong together. What is learned from an answer and what is shown of it rest on
// the same pairs: they are looked for once.
func (m *merging) arrange(p at, r, l *node) *arrangement {
	key := [2]*node{r, l}
	if x := m.arranged[key]; x != nil {
		return x
	}
	x := &arrangement{field: m.moves(p.general)}
	var any, sized bool
	if f := x.field; f != nil {
		// An array that moved and never was longer or shorter came in other orders, its elements told apart by what they hold.
		sized = f.Holds.MinLength != nil || f.Holds.Order == "set"
		any = !sized
		if x.reason = m.refusesArray(f, p, l); x.reason != "" {
			any, sized = false, false
		}
	}
	same := len(r.children) == len(l.children)
	switch {
	case sized || any && same:
		x.pairs = m.pairs(p, r, l)
	case same:
		x.pairs = inOrder(len(r.children))
	default:
		x.pairs, x.other = m.sure(p, r, l), true
	}
	m.arranged[key] = x
	return x
}

// refusesArray says what of an array as a whole is not what was learned of it; "" where all is.
func (m *merging) refusesArray(f *volatility.Field, p at, l *node) string {
	if err := f.Holds.SatisfiedLength(len(l.children)); err != nil {
		return err.Error()
	}
	return m.wrong[p.general]
}

func inOrder(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// elements returns the elements of an array in the order of the recorded one; pairs names for each the live one.
func (m *merging) elements(p at, r, l *node, pairs []int) []splice {
	out := make([]splice, len(pairs))
	for i, j := range pairs {
		out[i].value = m.value(p.index(i, j), &r.children[i], &l.children[j])
	}
	return out
}

// known returns the elements of a live array of which it is sure which recorded ones they are as the client sees them, and the others
// as they are.
func (m *merging) known(p at, r, l *node, sure []int) []splice {
	out := make([]splice, len(l.children))
	for j := range out {
		out[j].value = l.children[j].raw
	}
	for i, j := range sure {
		if j >= 0 {
			out[j].value = m.value(p.index(i, j), &r.children[i], &l.children[j])
		}
	}
	return out
}

// resized returns an array of which it was learned that it may be longer or shorter: the recorded elements, those that are there
// as they are now. What the live one has more is left out where it is what was learned of elements.
func (m *merging) resized(p at, r, l *node, pairs []int, f *volatility.Field) string {
	var out []splice
	taken := make([]bool, len(l.children))
	for i := range r.children {
		if j := pairs[i]; j >= 0 {
			taken[j] = true
			out = append(out, splice{value: m.value(p.index(i, j), &r.children[i], &l.children[j])})
			continue
		}
		out = append(out, splice{value: r.children[i].raw})
	}
	for j := range l.children {
		if taken[j] {
			continue
		}
		if err := m.all(p.index(j, j), &l.children[j]); err != nil {
			m.pass(p.general.Each(), p.live.Index(j), err.Error())
			out = append(out, splice{value: l.children[j].raw})
		}
	}
	m.report.hold(f.Category)
	return m.rebuilt(r, l, out)
}
