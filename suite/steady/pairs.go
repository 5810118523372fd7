package steady

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/jsontree"
)

// pairs finds for each recorded element of an array the live one that it is; -1 where there is none. Elements are the
// same that are equal, or equal in all that does not move; what is left is paired by how much of it is equal. Plain
// values that nobody saw become others, in an array of any length, are no pairs: one went, another came.
func (m *merging) pairs(p at, r, l *jsontree.Node) []int {
	pairs := m.sure(p, r, l)
	if f := m.moves(p.general); f != nil && f.Holds.MinLength != nil && plain(r) && plain(l) &&
		m.moves(p.general.Each()) == nil {
		return pairs
	}
	taken := make([]bool, len(l.Children))
	for _, j := range pairs {
		if j >= 0 {
			taken[j] = true
		}
	}
	var left, free []int
	for i, j := range pairs {
		if j < 0 {
			left = append(left, i)
		}
	}
	for j, t := range taken {
		if !t {
			free = append(free, j)
		}
	}
	m.likely(r, l, left, free, pairs)
	return pairs
}

// plain reports whether an array has no objects or arrays in it.
func plain(n *jsontree.Node) bool {
	return !slices.ContainsFunc(n.Children, func(c jsontree.Node) bool { return c.Kind == '{' || c.Kind == '[' })
}

// sure finds the pairs that leave no doubt.
func (m *merging) sure(p at, r, l *jsontree.Node) []int {
	raw := func(n *jsontree.Node) func(int) string { return func(i int) string { return n.Children[i].Raw } }
	signed := func(n *jsontree.Node, of token) func(int) string {
		return func(i int) string {
			var b strings.Builder
			m.sign(&b, p.general.Each(), &n.Children[i], of)
			return b.String()
		}
	}
	return paired(len(r.Children), len(l.Children), raw(r), raw(l), signed(r, m.ofRecorded), signed(l, m.ofLive))
}

// paired finds for each of n things the first of m others with the same sign, -1 where there is none; none is taken
// twice. The signs come in twos, of the things and of the others: the later ones pair what the earlier ones left. A
// sign "" pairs nothing.
func paired(n, m int, signs ...func(int) string) []int {
	pairs, taken := make([]int, n), make([]bool, m)
	for i := range pairs {
		pairs[i] = -1
	}
	for ; len(signs) > 0; signs = signs[2:] {
		waiting := map[string][]int{}
		for j := range m {
			if !taken[j] {
				s := signs[1](j)
				waiting[s] = append(waiting[s], j)
			}
		}
		for i := range n {
			if pairs[i] >= 0 {
				continue
			}
			s := signs[0](i)
			if list := waiting[s]; len(list) > 0 && s != "" {
				pairs[i], waiting[s], taken[list[0]] = list[0], list[1:], true
			}
		}
	}
	return pairs
}

// token returns the raw token of a scalar as it was recorded, and whether that is an id.
type token func(n *jsontree.Node) (text string, id bool)

// ofRecorded is the token of the recorded answer's scalars.
func (m *merging) ofRecorded(n *jsontree.Node) (text string, id bool) {
	_, id = m.s.names.live[n.Text()]
	return n.Raw, id
}

// ofLive is the token of the live answer's scalars.
func (m *merging) ofLive(n *jsontree.Node) (text string, id bool) {
	text = m.recordedToken(n)
	return text, text != n.Raw
}

// sign writes what of a value does not move, ids as they were recorded. It is "" where all of it does.
func (m *merging) sign(b *strings.Builder, general exchange.Place, n *jsontree.Node, of token) {
	switch n.Kind {
	case '{':
		at := n.Index()
		for _, key := range sortedKeys(at, nil) {
			m.sign(b, general.Key(key), &n.Children[at[key]], of)
		}
	case '[':
		if m.moves(general) != nil {
			return // in any order, or of any length
		}
		for i := range n.Children {
			m.sign(b, general.Each(), &n.Children[i], of)
		}
	default:
		if text, id := of(n); id || m.moves(general) == nil {
			fmt.Fprintf(b, "%s=%s\n", general, text)
		}
	}
}

// recordedToken returns a live scalar with ids as they were recorded.
func (m *merging) recordedToken(n *jsontree.Node) string {
	text, ok := m.s.names.toRecorded(n.Text())
	switch {
	case !ok:
		return n.Raw
	case n.Kind == '"':
		return jsontree.Quote(text)
	}
	return text
}

// maxLikely bounds the pairs of elements that are compared value by value.
const maxLikely = 4096

// likely pairs what is left: each recorded element with the live one that has most values in common with it, in order
// where there are too many to look at.
func (m *merging) likely(r, l *jsontree.Node, left, free []int, pairs []int) {
	if len(left)*len(free) > maxLikely {
		for k := 0; k < len(left) && k < len(free); k++ {
			pairs[left[k]] = free[k]
		}
		return
	}
	for _, i := range left {
		best, most := -1, -1
		for k, j := range free {
			if j < 0 {
				continue
			}
			if n := common(&r.Children[i], &l.Children[j], 0); n > most {
				best, most = k, n
			}
		}
		if best >= 0 {
			pairs[i], free[best] = free[best], -1
		}
	}
}

// common counts the values that two have in common.
func common(a, b *jsontree.Node, depth int) int {
	switch {
	case a.Raw == b.Raw:
		return 2
	case a.Kind != b.Kind || depth == 8:
		return 0
	case a.Kind == '{':
		n, at := 1, b.Index()
		for i, k := range a.Keys {
			if j, ok := at[k.Text]; ok {
				n += common(&a.Children[i], &b.Children[j], depth+1)
			}
		}
		return n
	}
	return 1
}

// all returns nil where every value within one is what was learned of its place: a value that does not move has the
// type that it had.
func (m *merging) all(p at, n *jsontree.Node) error {
	f := m.judged.at(p.general)
	if f == nil {
		return errors.New("never seen")
	}
	if err := f.Holds.Satisfied(n.Raw, m.e.Start); err != nil {
		return err
	}
	if reason := m.wrong[p.general]; reason != "" {
		return errors.New(reason)
	}
	for i := range n.Children {
		below := p.index(i, i)
		if n.Kind == '{' {
			below = p.key(n.Keys[i].Text)
		}
		if err := m.all(below, &n.Children[i]); err != nil {
			return err
		}
	}
	return nil
}
