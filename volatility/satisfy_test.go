package volatility

import (
	"strings"
	"testing"
	"time"
)

// What was learned of values is true of them.
func TestSatisfiedByAllSeen(t *testing.T) {
	a := rich()
	a.runs = 10
	m := a.judge(t)
	n := 0
	for _, f := range m.Operations[0].Fields {
		for _, raw := range f.Samples {
			if !strings.Contains(string(raw), "secret:") && !strings.Contains(f.Holds.Type, "array") && f.Holds.Clock == 0 {
				n++
				if err := f.Holds.Satisfied(string(raw), time.Time{}); err != nil {
					t.Errorf("%s: %s is %v", f.Place, raw, err)
				}
			}
		}
	}
	if n < 15 {
		t.Errorf("only %d values", n)
	}
}

// Relations hold of what they were found in, and not of anything else.
