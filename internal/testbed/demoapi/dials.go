package demoapi

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/service"
)

// Fault is a regression that can be planted. Each shows in every answer that carries a product, so that any client
// that touches the catalogue sees it.
type Fault string

// The faults.
const (
	FaultNone   Fault = ""
	FaultField  Fault = "field"  // a stable field has another value: prices are in USD, not EUR
	FaultStatus Fault = "status" // a stable status is another: GET below /products answers 203, not 200
	FaultDrop   Fault = "drop"   // a stable field is gone: products have no currency
)

// Faults returns the faults that can be planted.
func Faults() []Fault { return []Fault{FaultField, FaultStatus, FaultDrop} }

// ParseFault reads the name of a fault; "" and "none" are FaultNone.
func ParseFault(name string) (Fault, error) {
	switch f := Fault(name); f {
	case FaultNone, FaultField, FaultStatus, FaultDrop:
		return f, nil
	case "none":
		return FaultNone, nil
	}
	return FaultNone, fmt.Errorf("read fault: %.40q is none of field, status, drop", name)
}

// Environment is what an answer tells of the machine and the process. A field left zero is that of this process.
type Environment = service.Environment

// Dials is what can be set of an API. The zero value is a service as it would run anywhere: the real clock, randomness
// of its own, and a store that an earlier client has used.
type Dials struct {
	// Seed makes the API's randomness repeat from instance to instance; 0 takes a random one, so that two processes
	// differ. A reset does not go back to the seed: a service that did would show no randomness to a replay. Salts of
	// bcrypt always come from the operating system.
	Seed uint64

	// Clock is where the time comes from; nil is time.Now. ClockOffset is added to it. ClockSpeed is how fast it runs,
	// counted from when the API was made; 0 means 1.
	Clock       func() time.Time
	ClockOffset time.Duration
	ClockSpeed  float64

	// Latency is the longest that an answer is held back; each waits a random part of it.
	Latency time.Duration
	// OrderLife is the time from an order's making to its finish, by the API's clock; 0 means 300 ms.
	OrderLife time.Duration

	// NullChance is how often /odd/maybe has null for a value, FieldChance how often it has a field at all, TextChance how
	// often it has a text for a number, RareChance how often what moves rarely moves. 0 means the default (1/5, 1/3, 1/4,
	// 1/30), a negative value never.
	NullChance, FieldChance, TextChance, RareChance float64

	// Fresh starts with an empty guestbook and journal, without what an earlier client left behind.
	Fresh bool
	// Fault is the regression that is planted.
	Fault Fault
	// Environment is the machine that the API says it runs on.
	Environment Environment
}

// orderLife returns the OrderLife dial's value, or its default.
func (d *Dials) orderLife() time.Duration {
	if d.OrderLife == 0 {
		return 300 * time.Millisecond
	}
	return d.OrderLife
}

// now returns the API's time: the clock, made faster or slower from base on, moved by the offset.
func (d *Dials) now(base time.Time) time.Time {
	t := time.Now()
	if d.Clock != nil {
		t = d.Clock()
	}
	if d.ClockSpeed != 0 {
		t = base.Add(time.Duration(float64(t.Sub(base)) * d.ClockSpeed))
	}
	return t.Add(d.ClockOffset)
}

// dialsJSON is the form of the dials in PUT and GET /admin/dials: what a PUT leaves out stays. Durations are texts as
// time.ParseDuration reads them.
type dialsJSON struct {
	Seed        *uint64  `json:"seed,omitempty"`
	ClockOffset *string  `json:"clockOffset,omitempty"`
	ClockSpeed  *float64 `json:"clockSpeed,omitempty"`
	Latency     *string  `json:"latency,omitempty"`
	OrderLife   *string  `json:"orderLife,omitempty"`
	NullChance  *float64 `json:"nullChance,omitempty"`
	FieldChance *float64 `json:"fieldChance,omitempty"`
	TextChance  *float64 `json:"textChance,omitempty"`
	RareChance  *float64 `json:"rareChance,omitempty"`
	Fault       *string  `json:"fault,omitempty"`
}

// apply returns d with what j gives changed.
func (j dialsJSON) apply(d Dials) (Dials, error) {
	err := service.SetDurations(
		service.Duration{Name: "clockOffset", Text: j.ClockOffset, To: &d.ClockOffset,
			Min: -service.MaxOffset, Max: service.MaxOffset},
		service.Duration{Name: "latency", Text: j.Latency, To: &d.Latency, Max: service.MaxLatency},
		service.Duration{Name: "orderLife", Text: j.OrderLife, To: &d.OrderLife, Max: service.MaxOffset})
	if err != nil {
		return d, err
	}
	numbers := []struct {
		name  string
		value *float64
		to    *float64
	}{
		{"clockSpeed", j.ClockSpeed, &d.ClockSpeed},
		{"nullChance", j.NullChance, &d.NullChance},
		{"fieldChance", j.FieldChance, &d.FieldChance},
		{"textChance", j.TextChance, &d.TextChance},
		{"rareChance", j.RareChance, &d.RareChance},
	}
	for _, x := range numbers {
		if x.value == nil {
			continue
		}
		if math.Abs(*x.value) > 1e6 {
			return d, fmt.Errorf("read dials: %s is beyond a million", x.name)
		}
		*x.to = *x.value
	}
	if j.Seed != nil {
		d.Seed = *j.Seed
	}
	if j.Fault != nil {
		f, err := ParseFault(*j.Fault)
		if err != nil {
			return d, err
		}
		d.Fault = f
	}
	return d, nil
}

// MarshalJSON returns the dials as GET /admin/dials shows them.
func (d Dials) MarshalJSON() ([]byte, error) {
	offset, latency, life, fault := d.ClockOffset.String(), d.Latency.String(), d.orderLife().String(), string(d.Fault)
	return json.Marshal(dialsJSON{
		Seed: &d.Seed, ClockOffset: &offset, ClockSpeed: &d.ClockSpeed, Latency: &latency, OrderLife: &life,
		NullChance: &d.NullChance, FieldChance: &d.FieldChance, TextChance: &d.TextChance, RareChance: &d.RareChance,
		Fault: &fault,
	})
}
