package bisect

import "slices"

// firstWide is how many things are tried at first where a few of all matter, and wideStep how many times as many then.
const (
	firstWide = 4
	wideStep  = 3
)

// Trying tries whether some of several things bring a result about, and is told what is likely to be tried then.
type Trying[T any] func(some []T, then [][]T) (bool, error)

// Few finds the few of several things that bring a result about, which all of them do. Those that stand first are found
// with the fewest tries. Where more than most are needed, it gives up, and returns one more than that.
func Few[T any](all []T, most int, hit Trying[T]) (found []T, err error) {
	for len(found) <= most {
		with := func(n int) []T { return slices.Concat(found, all[:n]) }
		if yes, err := hit(found, wider(firstWide, len(all), with)); err != nil || yes {
			return found, err
		}
		low, high := 0, firstWide
		for ; high < len(all); low, high = high, wideStep*high {
			then := slices.Concat(halfway(low, high, with), wider(wideStep*high, len(all), with))
			if yes, err := hit(with(high), then); err != nil {
				return nil, err
			} else if yes {
				break
			}
		}
		n, err := shortest(low, min(high, len(all)), with, hit)
		if err != nil || n == 0 {
			return nil, err
		}
		found = append(found, all[n-1])
		all = all[:n-1]
	}
	return found, nil
}

// wider are what is tried from so many things on where none is enough.
func wider[T any](from, all int, with func(int) []T) (out [][]T) {
	for n := from; n < all; n *= wideStep {
		out = append(out, with(n))
	}
	return out
}

// halfway is what is tried next where low things do not bring it about and high do.
func halfway[T any](low, high int, with func(int) []T) [][]T {
	if low+1 >= high {
		return nil
	}
	return [][]T{with((low + high) / 2)}
}

// shortest is how many of the first things bring the result about, where low do not and high do; 0 where there is none.
func shortest[T any](low, high int, with func(int) []T, hit Trying[T]) (int, error) {
	if low >= high {
		return 0, nil
	}
	least, most := low, high
	n, err := Shortest(high-low, func(n int) (bool, error) {
		n += low
		yes, err := hit(with(n), slices.Concat(halfway(least, n, with), halfway(n, most, with)))
		if yes {
			most = n
		} else {
			least = n
		}
		return yes, err
	})
	return low + n, err
}
