package compare

import (
	"cmp"
	"slices"
	"strings"
)

// pair is an element of the first array and the element of the second one that it is compared with, by position.
type pair struct{ x, y int }

// array compares two arrays of different content. What the difference is comes from how their elements are best paired
// up: exactly the same ones in another order are one difference, Reordered, and so is another number of them, Resized;
// beyond that, each pair is compared.
func (d *differ) array(i, j uint32) {
	xs, ys := d.a.children(i), d.b.children(j)
	note := func(k Kind) { d.add(k, d.a.raw(i), d.b.raw(j)).Sizes = [2]int{len(xs), len(ys)} }
	if len(xs) == len(ys) {
		switch {
		case d.sum(d.a, xs) == d.sum(d.b, ys):
			note(Reordered)
			return
		case d.bagsAlign(xs, ys):
			d.pairs(xs, ys, inOrder(nil, len(xs)))
			return
		}
	} else {
		note(Resized)
	}
	pairs := d.align(xs, ys)
	if !slices.IsSortedFunc(pairs, func(p, q pair) int { return cmp.Compare(p.y, q.y) }) {
		note(Reordered)
	}
	d.pairs(xs, ys, pairs)
}

// sum is the same for two lists of nodes that hold the same values in any order.
func (d *differ) sum(t *tape, list []uint32) (sum uint64) {
	for _, c := range list {
		sum += mix(t.nodes[c].hash, uint64(array))
	}
	return sum
}

// bagsAlign reports whether the elements are pairwise the same but for the order of what is within them.
func (d *differ) bagsAlign(xs, ys []uint32) bool {
	for n := range xs {
		if d.a.bag(xs[n]) != d.b.bag(ys[n]) {
			return false
		}
	}
	return true
}

// inOrder appends the pairs of equal position.
func inOrder(pairs []pair, n int) []pair {
	for i := range n {
		pairs = append(pairs, pair{i, i})
	}
	return pairs
}

// pairs compares the elements of each pair, at the position of the first.
func (d *differ) pairs(xs, ys []uint32, pairs []pair) {
	for _, p := range pairs {
		x, y := xs[p.x], ys[p.y]
		if d.a.nodes[x].hash == d.b.nodes[y].hash {
			continue
		}
		mark := d.path.mark()
		if d.path.down(d.a, array, x, p.x) {
			d.value(x, y)
			d.path.up(mark)
			continue
		}
		d.path.up(mark)
		d.add(Changed, d.a.raw(x), d.b.raw(y))
	}
}

// align pairs the elements of two arrays up, in the order of the first: by a learned key, by equal content, by
// position.
func (d *differ) align(xs, ys []uint32) []pair {
	if pairs := d.byKey(xs, ys); pairs != nil {
		if len(xs) == len(ys) {
			pairs = withRest(pairs, len(xs), len(ys)) // one element took the place of another
		}
		return pairs
	}
	if d.scalars(d.a, xs) && d.scalars(d.b, ys) {
		// Equal numbers in two lists say nothing about who is who.
		if len(xs) != len(ys) {
			return nil
		}
		return inOrder(nil, len(xs))
	}
	if pairs := d.byContent(xs, ys); 2*len(pairs) >= min(len(xs), len(ys)) {
		return withRest(pairs, len(xs), len(ys))
	}
	return inOrder(nil, min(len(xs), len(ys)))
}

func (d *differ) scalars(t *tape, list []uint32) bool {
	return !slices.ContainsFunc(list, func(c uint32) bool { return t.nodes[c].kind >= array })
}

// byContent pairs elements that hold the same, the order within them aside; of equal ones, the first with the first.
func (d *differ) byContent(xs, ys []uint32) []pair {
	w := d.look.over(len(ys))
	next := make([]int32, len(ys)) // after each element, the next that holds the same; -1 for none
	for n := len(ys) - 1; n >= 0; n-- {
		next[n] = -1
		if at, there := w.put(d.b.bag(ys[n]), int32(n)); there {
			next[n] = at
			w.move(d.b.bag(ys[n]), int32(n))
		}
	}
	var pairs []pair
	for n, x := range xs {
		if at := w.get(d.a.bag(x)); at >= 0 {
			pairs = append(pairs, pair{n, int(at)})
			w.move(d.a.bag(x), next[at])
		}
	}
	return pairs
}

// withRest adds the elements that have no partner yet, paired in their order, as far as both sides have some.
func withRest(pairs []pair, n, m int) []pair {
	takenX, takenY := make([]bool, n), make([]bool, m)
	for _, p := range pairs {
		takenX[p.x], takenY[p.y] = true, true
	}
	y := 0
	for x := range n {
		if takenX[x] {
			continue
		}
		for y < m && takenY[y] {
			y++
		}
		if y == m {
			break
		}
		pairs = append(pairs, pair{x, y})
		y++
	}
	slices.SortFunc(pairs, func(p, q pair) int { return cmp.Compare(p.x, q.x) })
	return pairs
}

// maxKeys bounds the members that are tried as a key.
const maxKeys = 32

// byKey pairs objects by a member that identifies them: one that every element has, whose scalar values are unique in
// either array and mostly the same in both. It returns nil where the data shows no such member. The name of a member
// only decides between two that serve equally well.
func (d *differ) byKey(xs, ys []uint32) []pair {
	if len(xs) == 0 || len(ys) == 0 || len(xs)+len(ys) < 3 || d.a.nodes[xs[0]].kind != object {
		return nil
	}
	var (
		best, pairs     []pair
		bestSame, bestR int
	)
	for n, c := range d.a.children(xs[0])[:min(maxKeys, d.a.nodes[xs[0]].count)] {
		var ok bool
		if pairs, ok = d.pairedBy(pairs[:0], xs, ys, d.a.nodes[c].key, n); !ok || 2*len(pairs) < min(len(xs), len(ys)) ||
			len(pairs) == 0 {
			continue
		}
		same, rank := d.equalPairs(xs, ys, pairs), keyRank(d.a.name(c))
		if cmp.Or(cmp.Compare(len(pairs), len(best)), cmp.Compare(same, bestSame), cmp.Compare(rank, bestR)) > 0 {
			best, pairs = pairs, best
			bestSame, bestR = same, rank
		}
	}
	return best
}

// equalPairs counts the pairs whose elements hold the same.
func (d *differ) equalPairs(xs, ys []uint32, pairs []pair) (same int) {
	for _, p := range pairs {
		if d.a.bag(xs[p.x]) == d.b.bag(ys[p.y]) {
			same++
		}
	}
	return same
}

// keyRank says how much the name of a member speaks for its being a key.
func keyRank(name string) int {
	switch name = strings.ToLower(name); {
	case name == "id", name == "uuid", name == "_id", name == "guid":
		return 3
	case name == "key", name == "code", name == "sku", name == "slug", strings.HasSuffix(name, "id"):
		return 2
	case name == "name":
		return 1
	}
	return 0
}

// pairedBy appends the pairs of elements that have the same value in one member; ok is false where that is no key. hint
// is the position at which it most likely stands in each element.
func (d *differ) pairedBy(pairs []pair, xs, ys []uint32, key uint64, hint int) (all []pair, ok bool) {
	w := d.look.over(len(ys))
	for n, y := range ys {
		v, ok := d.b.scalarMember(y, key, hint)
		if !ok {
			return pairs, false
		}
		if _, twice := w.put(v, int32(n)); twice {
			return pairs, false
		}
	}
	seen := d.seen.over(len(xs))
	for n, x := range xs {
		v, ok := d.a.scalarMember(x, key, hint)
		if !ok {
			return pairs, false
		}
		if _, twice := seen.put(v, int32(n)); twice {
			return pairs, false
		}
		if at := w.get(v); at >= 0 {
			pairs = append(pairs, pair{n, int(at)})
		}
	}
	return pairs, true
}

// scalarMember returns the hash of the string or number that object i has under key.
func (t *tape) scalarMember(i uint32, key uint64, hint int) (value uint64, ok bool) {
	n := &t.nodes[i]
	if n.kind != object || n.doubled {
		return 0, false
	}
	c := i + 1
	for ; hint > 0 && c < n.next; hint-- {
		c = t.nodes[c].next
	}
	if c >= n.next || t.nodes[c].key != key {
		for c = i + 1; c < n.next && t.nodes[c].key != key; c = t.nodes[c].next {
		}
	}
	if c >= n.next || t.nodes[c].kind != text && t.nodes[c].kind != number {
		return 0, false
	}
	return t.nodes[c].hash, true
}
