package notation

import "testing"

// The unit is the last word of a name, however its words are set apart.
func TestInTimeUnit(t *testing.T) {
	for name, want := range map[string]bool{
		"ms": true, "latenz_ms": true, "load-us": true, "waitedMillis": true, "total.seconds": true, "queryNanoseconds": true, "idleSecs": true,
		"params": false, "alarms": false, "bonus": false, "msg": false, "seconds_left": false, "Items": false, "": false,
	} {
		if InTimeUnit(name) != want {
			t.Errorf("%q: %v, want %v", name, !want, want)
		}
	}
}
