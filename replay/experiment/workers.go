package experiment

import (
	"fmt"
	"strconv"

	"github.com/flaketap/flaketap/replay"
)

// MaxWorkers is the most sequences that may be played at once: each has a connection of its own.
const MaxWorkers = 1000

// workers plays several sequences at once.
func workers() Experiment {
	return Experiment{Name: "workers", Value: "N", Help: "this many sequences at once (4 by default)",
		make: func(value string, _ situation) (Condition, error) {
			if value == "" {
				value = "4"
			}
			n, err := strconv.Atoi(value)
			if err != nil || n < 2 || n > MaxWorkers {
				return Condition{}, fmt.Errorf("a number from 2 to %d", MaxWorkers)
			}
			return Condition{Name: fmt.Sprintf("workers=%d", n), arrange: func(p *replay.Player) { p.Workers = n }}, nil
		}}
}
