package experiment

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// order plays the sequences in another order, as far as they do not take values from each other. What differs then is
// searched for its cause.
func order() Experiment {
	return Experiment{Name: "order", Value: "reverse or shuffle", Default: true,
		Help: "independent sequences in another order, and the search for what depends on it",
		make: func(value string, _ situation) (Condition, error) {
			how, seed, seeded := strings.Cut(value, ":")
			switch {
			case value == "" || value == "reverse":
				return Condition{Name: "order=reverse", order: reversed}, nil
			case how == "shuffle":
				n, err := strconv.ParseUint(seed, 10, 32)
				switch {
				case !seeded:
					n = uint64(rand.Uint32())
				case err != nil:
					return Condition{}, errors.New("shuffle:N with a number")
				}
				return Condition{Name: fmt.Sprintf("order=shuffle:%d", n), order: shuffled(n)}, nil
			}
			return Condition{}, errors.New("reverse or shuffle")
		}}
}

// ordering gives an order of units in which each comes after those that it needs.
type ordering func(*units) []int

// reversed plays what came last first.
func reversed(u *units) []int { return u.search().Reverse() }

// shuffled plays the units in an order drawn by lot, the same for the same seed.
func shuffled(seed uint64) ordering {
	return func(u *units) []int {
		rng := rand.New(rand.NewPCG(seed, 0))
		return u.search().After(rng.Perm(len(u.steps)))
	}
}
