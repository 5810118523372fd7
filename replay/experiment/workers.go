package experiment

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
)

// MaxWorkers is the most sequences that may be played at once: each has a connection of its own.
const MaxWorkers = 1000

// ReadWorkers reads who plays the sequences of a run: so many of them at once, here, or the workers that are found at a
// hub, at nats://HOST:PORT/NAME.
func ReadWorkers(text string) (n int, hub string, err error) {
	if strings.Contains(text, "://") {
		return 1, text, nil
	}
	if n, err = strconv.Atoi(text); err != nil || n < 1 || n > MaxWorkers {
		err = console.Usage(fmt.Errorf("--workers must be from 1 to %d, or a hub such as nats://127.0.0.1:4222/NAME, got %s",
			MaxWorkers, text))
	}
	return n, "", err
}

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
