package wardapi

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
	// LabTime is how long the laboratory and the printing of reports take, by the API's clock; 0 means 150 ms.
	LabTime time.Duration

	// LagChance is how often a sample that was just taken in is read from a replica that does not know it yet,
	// RareChance how often what moves rarely moves. 0 means the default (1/4, 1/30), a negative value never.
	LagChance, RareChance float64

	// Fresh starts without what an earlier client left behind.
	Fresh bool
	// Environment is the machine that the API says it runs on.
	Environment Environment
}

// labTime returns the LabTime dial's value, or its default.
func (d *Dials) labTime() time.Duration {
	if d.LabTime == 0 {
		return 150 * time.Millisecond
	}
	return d.LabTime
}

// now returns the API's time: the clock, moved by the offset.
func (d *Dials) now() time.Time {
	t := time.Now()
	if d.Clock != nil {
		t = d.Clock()
	}
	return t.Add(d.ClockOffset)
}

// dialsJSON is the form of the dials in PUT and GET /admin/dials: what a PUT leaves out stays. Durations are texts as
// time.ParseDuration reads them.
type dialsJSON struct {
	Seed        *uint64  `json:"seed,omitempty"`
	ClockOffset *string  `json:"clockOffset,omitempty"`
	Latency     *string  `json:"latency,omitempty"`
	LabTime     *string  `json:"labTime,omitempty"`
	LagChance   *float64 `json:"lagChance,omitempty"`
	RareChance  *float64 `json:"rareChance,omitempty"`
}

// apply returns d with what j gives changed.
func (j dialsJSON) apply(d Dials) (Dials, error) {
	err := service.SetDurations(
		service.Duration{Name: "clockOffset", Text: j.ClockOffset, To: &d.ClockOffset,
			Min: -service.MaxOffset, Max: service.MaxOffset},
		service.Duration{Name: "latency", Text: j.Latency, To: &d.Latency, Max: service.MaxLatency},
		service.Duration{Name: "labTime", Text: j.LabTime, To: &d.LabTime, Max: service.MaxOffset})
	if err != nil {
		return d, err
	}
	if j.LagChance != nil {
		d.LagChance = *j.LagChance
	}
	if j.RareChance != nil {
		d.RareChance = *j.RareChance
	}
	if j.Seed != nil {
		d.Seed = *j.Seed
	}
	return d, nil
}

// json returns the dials as GET /admin/dials shows them.
func (d Dials) json() dialsJSON {
	offset, latency, lab := d.ClockOffset.String(), d.Latency.String(), d.labTime().String()
	return dialsJSON{&d.Seed, &offset, &latency, &lab, &d.LagChance, &d.RareChance}
}
