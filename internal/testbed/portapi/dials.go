package portapi

import (
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// Environment is what an answer tells of the machine and the process. A field left zero is that of this process.
type Environment = service.Environment

// Dials is what can be set of an API. The zero value is a service as it would run anywhere: the real clock, randomness
// of its own, and a store that an earlier client has used.
type Dials struct {
	// Seed makes the API's randomness repeat from instance to instance; 0 takes a random one. A reset does not go back
	// to it.
	Seed uint64

	// Clock is where the time comes from; nil is time.Now. ClockOffset is added to it.
	Clock       func() time.Time
	ClockOffset time.Duration

	// Latency is the longest that an answer is held back; each waits a random part of it.
	Latency time.Duration
	// JobTime is how long moving a container takes, by the API's clock; 0 means 300 ms.
	JobTime time.Duration

	// LagChance is how often a booking that was changed is read from a replica that does not know it yet; 0 means 1/4.
	// RareChance is the chance of all that happens once in a hundred answers or more often, SeldomChance of what
	// happens less often; 0 leaves each its own, from 1/1000 to 1/2. A negative value means never.
	LagChance, RareChance, SeldomChance float64

	// Fresh starts without what an earlier client left behind.
	Fresh bool
	// Environment is the machine that the API says it runs on.
	Environment Environment
}

// jobTime returns the JobTime dial's value, or its default.
func (d *Dials) jobTime() time.Duration {
	if d.JobTime == 0 {
		return 300 * time.Millisecond
	}
	return d.JobTime
}

// now returns the API's time: the clock, moved by the offset.
func (d *Dials) now() time.Time {
	t := time.Now()
	if d.Clock != nil {
		t = d.Clock()
	}
	return t.Add(d.ClockOffset)
}

// rarely reports true with a probability, or as often as the dial for such ones says.
func (a *API) rarely(p float64) bool {
	if p < 0.01 {
		return a.happens(service.Chance(a.dials.SeldomChance, p))
	}
	return a.happens(service.Chance(a.dials.RareChance, p))
}

// dialsJSON is the form of the dials in PUT and GET /admin/dials: what a PUT leaves out stays. Durations are texts as
// time.ParseDuration reads them.
type dialsJSON struct {
	Seed         *uint64  `json:"seed,omitempty"`
	ClockOffset  *string  `json:"clockOffset,omitempty"`
	Latency      *string  `json:"latency,omitempty"`
	JobTime      *string  `json:"jobTime,omitempty"`
	LagChance    *float64 `json:"lagChance,omitempty"`
	RareChance   *float64 `json:"rareChance,omitempty"`
	SeldomChance *float64 `json:"seldomChance,omitempty"`
}

// apply returns d with what j gives changed.
func (j dialsJSON) apply(d Dials) (Dials, error) {
	err := service.SetDurations(
		service.Duration{Name: "clockOffset", Text: j.ClockOffset, To: &d.ClockOffset,
			Min: -service.MaxOffset, Max: service.MaxOffset},
		service.Duration{Name: "latency", Text: j.Latency, To: &d.Latency, Max: service.MaxLatency},
		service.Duration{Name: "jobTime", Text: j.JobTime, To: &d.JobTime, Max: service.MaxOffset})
	if err != nil {
		return d, err
	}
	for from, to := range map[*float64]*float64{
		j.LagChance: &d.LagChance, j.RareChance: &d.RareChance, j.SeldomChance: &d.SeldomChance,
	} {
		if from != nil {
			*to = *from
		}
	}
	if j.Seed != nil {
		d.Seed = *j.Seed
	}
	return d, nil
}

// json returns the dials as GET /admin/dials shows them.
func (d Dials) json() dialsJSON {
	offset, latency, job := d.ClockOffset.String(), d.Latency.String(), d.jobTime().String()
	return dialsJSON{&d.Seed, &offset, &latency, &job, &d.LagChance, &d.RareChance, &d.SeldomChance}
}
