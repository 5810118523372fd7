package proxy_test

import (
	"testing"
	"time"
)

// cpuTime is not known here: the benchmarks tell times alone.
func cpuTime(*testing.B) time.Duration { return 0 }
