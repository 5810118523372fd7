package align

import "sort"

// anchor is a pair that both sides agree on.
type anchor struct{ i, j int }

// anchors returns the exchanges that stand exactly once on either side of a stretch, as far as both sides have them in
// the same order: the longest increasing run of them, as in a patience diff. Those that no others bear out are left
// out: where values are drawn at random, some come again by chance, anywhere.
func anchors(a, b []int32, s stretch) []anchor {
	type count struct{ n, m, i, j int32 }
	counts := map[int32]count{}
	for i := s.i0; i < s.i1; i++ {
		c := counts[a[i]]
		c.n++
		c.i = int32(i)
		counts[a[i]] = c
	}
	for j := s.j0; j < s.j1; j++ {
		if c, ok := counts[b[j]]; ok {
			c.m++
			c.j = int32(j)
			counts[b[j]] = c
		}
	}
	var once []anchor
	for i := s.i0; i < s.i1; i++ {
		if c := counts[a[i]]; c.n == 1 && c.m == 1 {
			once = append(once, anchor{i, int(c.j)})
		}
	}
	return increasing(borneOut(once))
}

// An anchor is borne out by so many others near it that are shifted as it is, give or take what was lost between: more
// than one value accounts for that comes again by chance.
const (
	witnesses = 8
	nearby    = 64
	slip      = 3
)

// borneOut returns the anchors that others bear out. list is sorted by i.
func borneOut(list []anchor) []anchor {
	var out []anchor
	for k, x := range list {
		found := 0
		agrees := func(y anchor) {
			if off := (y.j - y.i) - (x.j - x.i); -slip <= off && off <= slip {
				found++
			}
		}
		for q := k - 1; q >= 0 && x.i-list[q].i <= nearby && found < witnesses; q-- {
			agrees(list[q])
		}
		for q := k + 1; q < len(list) && list[q].i-x.i <= nearby && found < witnesses; q++ {
			agrees(list[q])
		}
		if found >= witnesses {
			out = append(out, x)
		}
	}
	return out
}

// increasing returns the longest part of list, which is sorted by i, in which j increases too.
func increasing(list []anchor) []anchor {
	var piles []int // the index in list of the last anchor of the best run of each length
	before := make([]int, len(list))
	for k, x := range list {
		p := sort.Search(len(piles), func(q int) bool { return list[piles[q]].j >= x.j })
		before[k] = -1
		if p > 0 {
			before[k] = piles[p-1]
		}
		if p == len(piles) {
			piles = append(piles, k)
		} else {
			piles[p] = k
		}
	}
	if len(piles) == 0 {
		return nil
	}
	out := make([]anchor, len(piles))
	for k, q := piles[len(piles)-1], len(piles)-1; q >= 0; k, q = before[k], q-1 {
		out[q] = list[k]
	}
	return out
}
