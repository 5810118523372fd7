package service

import (
	"fmt"
	"time"
)

// The longest that a dial may make a client wait, and the farthest that it may move the clock either way.
const (
	MaxLatency = 10 * time.Second
	MaxOffset  = 100 * 365 * 24 * time.Hour
)

// Duration is a dial that is a length of time.
type Duration struct {
	Name     string
	Text     *string // what it is to be, as time.ParseDuration reads it; nil where it stays
	To       *time.Duration
	Min, Max time.Duration
}

// SetDurations sets dials. The error says which one is to be what it cannot be.
func SetDurations(dials ...Duration) error {
	for _, x := range dials {
		if x.Text == nil {
			continue
		}
		v, err := time.ParseDuration(*x.Text)
		if err != nil || v < x.Min || v > x.Max {
			return fmt.Errorf("read dials: %s %.40q is no duration from %v to %v", x.Name, *x.Text, x.Min, x.Max)
		}
		*x.To = v
	}
	return nil
}
