package experiment

import (
	"fmt"
	"time"
)

const (
	// maxDelay is the longest that a run may be put off.
	maxDelay = 48 * time.Hour
	// maxPause is the longest that a run is put off without being asked to.
	maxPause = time.Minute
)

// delay begins a run later; without a value, later than any recorded answer may be kept, where that is soon.
func delay() Experiment {
	return Experiment{Name: "delay", Value: "TIME",
		Help:    "a run that begins this much later (2s by default, or once what may be cached has expired, up to 1m)",
		Default: true,
		make: func(value string, s situation) (Condition, error) {
			if value == "" {
				value = "2s"
				if s.load.kept > time.Second {
					value = (s.load.kept + time.Second).String()
				}
			}
			d, err := time.ParseDuration(value)
			if err != nil || d <= 0 || d > maxDelay {
				return Condition{}, fmt.Errorf("a duration from 1ms to %s, such as 5s", maxDelay)
			}
			return Condition{Name: "delay=" + value, wait: d}, nil
		}}
}
