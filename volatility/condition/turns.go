package condition

import (
	"slices"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/notation"
)

// Turns counts, by the step that the clock of an API was moved by, the observations of a place that differ from the
// recorded value, and those that do not.
type Turns map[exchange.ClockStep]turn

type turn struct{ moved, stayed int }

func (t *Turns) count(step exchange.ClockStep, change turn) {
	if *t == nil {
		*t = make(Turns)
	}
	was := (*t)[step]
	(*t)[step] = turn{was.moved + change.moved, was.stayed + change.stayed}
}

// Moved takes in an observation that differs.
func (t *Turns) Moved(step exchange.ClockStep) { t.count(step, turn{moved: 1}) }

// Stayed takes in one that does not.
func (t *Turns) Stayed(step exchange.ClockStep) { t.count(step, turn{stayed: 1}) }

// Least is the first step that moved a place which is still in runs as recorded, and not by chance; "" where none did.
// What moves with the day moves with the weekend and the month as well: the first of them says what it follows. runs
// are how many there were of each step, and others those as recorded.
func (t Turns) Least(runs map[exchange.ClockStep]int, others int) exchange.ClockStep {
	for _, step := range exchange.ClockSteps() {
		if n := t[step].moved; n > 0 && !ByChance(n, runs[step], others) {
			return step
		}
	}
	return ""
}

// Refute reports whether a place stood still under a clock that was moved by a unit or more, and never moved under one:
// what its value looks like is no sign of the clock then.
func (t Turns) Refute(unit time.Duration) bool {
	stood := false
	for step, n := range t {
		if n.moved > 0 {
			return false
		}
		stood = stood || n.stayed > 0 && leastMoved(step) >= unit
	}
	return stood
}

// leastMoved is how far a step moves a clock at least; 0 where it is not known.
func leastMoved(step exchange.ClockStep) time.Duration {
	switch step {
	case exchange.ClockHour:
		return time.Hour
	case exchange.ClockHalfDay:
		return notation.Day / 2
	case exchange.ClockYear:
		return 300 * notation.Day
	}
	if slices.Contains(exchange.ClockSteps(), step) {
		return notation.Day
	}
	return 0
}
