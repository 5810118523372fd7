package notation

import "time"

// fixedSpread is the time that the dates of fixed data are taken to be spread over: births, releases, what was entered
// by hand.
const fixedSpread = 10 * Year

// halfHours is how far apart the zones of the world are.
const halfHours = 30 * time.Minute

// Coincidence is the chance that a fixed value, which has nothing to do with the clock, is as near to it as
// [Moment.Near] wants: the part of the weekdays, of the times of day, or else of ten years, that would be called near.
func (m Moment) Coincidence() float64 {
	width := 2 * (Slack + min(m.Unit, time.Minute))
	if m.Unit >= Day && !m.Zoned {
		width = m.Unit + 26*time.Hour
	}
	among := fixedSpread
	switch {
	case m.TimeOfDay && m.Unit >= time.Hour:
		width, among = time.Hour, Day // of the zones of the world, one is always right: this is said of one
	case m.TimeOfDay:
		among = halfHours
	case m.Cycle > 0:
		among = m.Cycle
	}
	return min(1, float64(width)/float64(among))
}
