// Package ahead lets the source of values and who takes them work at the same time.
package ahead

import (
	"iter"
	"sync"
)

// The bounds on a group of values, of which four at most are held: one that is filled, two that wait, one that is
// taken.
const (
	most      = 32
	mostBytes = 256 << 10
)

type item[T any] struct {
	value T
	err   error
}

// Of goes over all in a goroutine of its own, some values ahead of who takes them, in the same order. weigh returns the
// size of a value in bytes, which bounds how many are held; it is called in that goroutine, as all is. When the
// iteration ends, so has the goroutine.
func Of[T any](all iter.Seq2[T, error], weigh func(T) int) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		groups, over := make(chan []item[T], 2), make(chan struct{})
		var source sync.WaitGroup
		source.Go(func() {
			defer close(groups)
			fill(all, weigh, func(group []item[T]) bool {
				select {
				case groups <- group:
					return true
				case <-over:
					return false
				}
			})
		})
		defer source.Wait()
		defer close(over)
		for group := range groups {
			for _, i := range group {
				if !yield(i.value, i.err) {
					return
				}
			}
		}
	}
}

// fill makes groups of values until there are no more, or nobody takes them.
func fill[T any](all iter.Seq2[T, error], weigh func(T) int, send func([]item[T]) bool) {
	var group []item[T]
	size := 0
	for v, err := range all {
		if err == nil {
			size += weigh(v)
		}
		group = append(group, item[T]{v, err})
		if len(group) < most && size < mostBytes {
			continue
		}
		if !send(group) {
			return
		}
		group, size = nil, 0
	}
	send(group)
}
