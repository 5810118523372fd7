package portapi

import (
	"fmt"
	"time"
)

// state is the store: all that POST /admin/reset clears.
type state struct {
	sessions     map[string]*session
	tokens       map[string]*grant
	locks        map[string]*lock // by client
	bookings     map[string]*booking
	booked       []*booking // in order
	numbers      int        // of the last booking
	notices      int        // of the last notice that was posted
	views        int        // of the notices
	jobs         map[string]*job
	declarations map[string]*declaration
	occupied     int       // berths that are taken
	used         int       // requests of the quota's window
	window       time.Time // when it began
	requests     int
}

// lasting is what outlives a reset: numbers that may not be given twice, and the cache.
type lasting struct {
	requests, declarations int
	cache                  rates
}

// newState returns the store with the master data alone.
func newState() *state {
	return &state{
		sessions: map[string]*session{}, tokens: map[string]*grant{}, locks: map[string]*lock{},
		bookings: map[string]*booking{}, jobs: map[string]*job{}, declarations: map[string]*declaration{}, occupied: 2,
		notices: 30,
	}
}

// use adds what an earlier client left before the start.
func (a *API) use() {
	s := a.state
	s.requests, s.views, s.occupied, s.notices = 611, 87, 5, 34
	s.locks["gate-1"] = &lock{failures: 1}
	s.used, s.window = 4, a.started.Add(-3*time.Minute)
	before := a.started.Add(-26 * time.Minute)
	for i := range 2 {
		a.book(&booking{ref: a.uuid4(), berth: fmt.Sprintf("B%d", i+1), line: 3, made: before, changed: before})
	}
	for range 4 {
		s.jobs[a.uuid4()] = &job{at: before}
	}
}
