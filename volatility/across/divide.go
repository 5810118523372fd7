package across

import (
	"cmp"
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
)

// Divide gives each operation, of the exchanges by Seq, to one of so many parts: the largest first, to the part that
// has least.
func Divide(operations map[uint64]exchange.Operation, parts int) map[exchange.Operation]int {
	sizes := map[exchange.Operation]int{}
	for _, op := range operations {
		sizes[op]++
	}
	ops := slices.SortedFunc(maps.Keys(sizes), func(x, y exchange.Operation) int {
		return cmp.Or(cmp.Compare(sizes[y], sizes[x]), cmp.Compare(x.Host, y.Host), cmp.Compare(x.Template, y.Template),
			cmp.Compare(x.Method, y.Method))
	})
	out, has := map[exchange.Operation]int{}, make([]int, parts)
	for _, op := range ops {
		least := 0
		for i, n := range has {
			if n < has[least] {
				least = i
			}
		}
		out[op] = least
		has[least] += sizes[op]
	}
	return out
}
