package replay

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Pace says how the times at which requests are sent follow those at which they were recorded: 0 not at all, each goes
// as soon as the one before it is answered; 1 as recorded; 2 twice as fast; 0.5 half as fast.
type Pace float64

// maxPace is the fastest that --pace may ask for; beyond, asap is meant.
const maxPace = 1e6

// ParsePace reads "asap", "recorded", or "x2" for twice as fast.
func ParsePace(s string) (Pace, error) {
	switch s {
	case "asap":
		return 0, nil
	case "recorded":
		return 1, nil
	}
	factor, found := strings.CutPrefix(s, "x")
	f, err := strconv.ParseFloat(factor, 64)
	if !found || err != nil || math.IsNaN(f) || f < 1/maxPace || f > maxPace {
		return 0, fmt.Errorf("unknown pace %q: want one of asap, recorded, or a factor such as x2 or x0.5", s)
	}
	return Pace(f), nil
}

// String returns the pace as ParsePace reads it.
func (p Pace) String() string {
	switch p {
	case 0:
		return "asap"
	case 1:
		return "recorded"
	}
	return "x" + strconv.FormatFloat(float64(p), 'g', -1, 64)
}

// metronome has requests wait for their time.
type metronome struct {
	pace Pace

	mu       sync.Mutex
	began    time.Time // when the first request was due
	recorded time.Time // when it was recorded
}

// due returns when a request that was recorded at a time is to be sent.
func (m *metronome) due(recorded time.Time) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.began.IsZero() {
		m.began, m.recorded = time.Now(), recorded
	}
	return m.began.Add(time.Duration(float64(recorded.Sub(m.recorded)) / float64(m.pace)))
}

// wait returns when it is time, or when ctx ends. What has no recorded time is sent at once.
func (m *metronome) wait(ctx context.Context, recorded time.Time) error {
	if m.pace == 0 || recorded.IsZero() {
		return nil
	}
	left := time.Until(m.due(recorded))
	if left <= 0 {
		return nil
	}
	return Pause(ctx, left)
}

// Pause waits for a while, or returns the error of ctx where that ends before.
func Pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
