package bound

import (
	"testing"
	"time"
)

func TestLong(t *testing.T) {
	for patience, want := range map[time.Duration]time.Duration{time.Second: 30 * time.Second, 3 * time.Second: 30 * time.Second, 10 * time.Second: time.Minute} {
		if got := Long(patience); got != want {
			t.Errorf("behind a patience of %s: %s, want %s", patience, got, want)
		}
	}
}

func TestWaitsAreTold(t *testing.T) {
	for want, w := range map[string]Wait{
		"answered 504 after 10.0 s":            {Waited: 10_020 * time.Millisecond, Status: 504},
		"ended without an answer after 12.5 s": {Waited: 12_500 * time.Millisecond, Broke: true},
		"no answer in 30 s":                    {Waited: 30 * time.Second},
		"no answer in 0.5 s":                   {Waited: 500 * time.Millisecond},
	} {
		if got := w.String(); got != want || w.Ended() != (w.Status != 0 || w.Broke) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// However many services are waited for in vain, a search takes two long waits longer at most; answers that come sooner
// leave room for others, up to a number.
func TestAllowance(t *testing.T) {
	const long = 30 * time.Second
	for took, want := range map[time.Duration]int{long: 2, 10 * time.Second: 4, time.Second: 8} {
		a, n, all := Allow(long), 0, time.Duration(0)
		for a.Left(long) > 0 {
			a.Spend(Wait{Waited: took})
			n, all = n+1, all+took
		}
		if n != want || all > 2*long {
			t.Errorf("of %s each there are %d, %s in all; want %d", took, n, all, want)
		}
	}
}
