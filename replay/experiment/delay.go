package experiment

import (
	"fmt"
	"time"
)

// maxDelay is the longest that a run may be put off.
const maxDelay = 48 * time.Hour

// delay begins a run later.
func delay() Experiment {
	return Experiment{Name: "delay", Value: "TIME", Help: "a run that begins this much later (2s by default)",
		Default: true,
		make: func(value string, _ situation) (Condition, error) {
			if value == "" {
				value = "2s"
			}
			d, err := time.ParseDuration(value)
			if err != nil || d <= 0 || d > maxDelay {
				return Condition{}, fmt.Errorf("a duration from 1ms to %s, such as 5s", maxDelay)
			}
			return Condition{Name: "delay=" + value, wait: d}, nil
		}}
}
