package lines

import (
	"cmp"
	"slices"
	"strconv"
)

// MaxPlaces bounds at how many lines a word is known to stand.
const MaxPlaces = 50

// Note notes that what has a key stands in a line, behind those that are noted.
func Note(at map[string][]int, key string, line int) {
	if all := at[key]; len(all) < MaxPlaces && (len(all) == 0 || all[len(all)-1] != line) {
		at[key] = append(all, line)
	}
}

// NumberKey is the key of a number.
func NumberKey(n float64) string { return "#" + strconv.FormatFloat(n, 'g', -1, 64) }

// Nowhere is farther than two lines of the files are from each other.
const Nowhere = 1 << 20

// Between is how far one of some lines is from one of others, which are both in their order: what stands behind is
// nearer.
func Between(from, to []int) int {
	least := Nowhere
	for i, j := 0, 0; i < len(from) && j < len(to); {
		d := to[j] - from[i]
		if d < 0 {
			d = 1 - d // what is compared with a name stands behind it, for the most part
			j++
		} else {
			i++
		}
		least = min(least, d)
	}
	return least
}

// Nearest are those of a list that are no farther than most, the nearest first.
func Nearest[T cmp.Ordered](all []T, most int, distance func(T) int) (out []T) {
	far := map[T]int{}
	for _, v := range all {
		if d := distance(v); d <= most {
			far[v] = d
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b T) int { return cmp.Or(cmp.Compare(far[a], far[b]), cmp.Compare(a, b)) })
	return out
}
