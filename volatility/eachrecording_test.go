package volatility

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestEachRecordingSaysTheSame: what a value is called does not depend on which digits and letters a recording happened
// to see of it.
func TestEachRecordingSaysTheSame(t *testing.T) {
	const recordings = 60
	started := moment0.Add(-time.Second)
	for name, c := range map[string]struct {
		value func(at time.Time, rng *rand.Rand, recording int64) string
		want  mapfile.Category
	}{
		"milliseconds in hexadecimal": {func(at time.Time, _ *rand.Rand, n int64) string {
			return strconv.FormatInt(at.UnixMilli()+n*86_432_123, 16)
		}, mapfile.Time},
		"the same with a prefix": {func(at time.Time, _ *rand.Rand, n int64) string {
			return "0x" + strconv.FormatInt(at.UnixMilli()+n*86_432_123, 16)
		}, mapfile.Time},
		"a weekday and the minute": {func(at time.Time, _ *rand.Rand, _ int64) string {
			return at.Format("Monday 15:04")
		}, mapfile.Time},
		"an uptime in parts": {func(at time.Time, _ *rand.Rand, n int64) string {
			up := at.Sub(started) + time.Duration(n)*time.Minute
			return fmt.Sprintf("%dh %02dm %06.3fs", int(up.Hours()), int(up.Minutes())%60, (up % time.Minute).Seconds())
		}, mapfile.Time},
		"a reference within a text": {func(_ time.Time, rng *rand.Rand, _ int64) string {
			return fmt.Sprintf("Quote reference %08X when you call the help desk.", rng.Uint32())
		}, mapfile.Rand},
	} {
		t.Run(name, func(t *testing.T) {
			for n := range recordings {
				rng := rand.New(rand.NewPCG(uint64(n), 7))
				a := &api{runs: 5, steps: 3, answer: func(at call) answer {
					return body(`{"v":%q}`, c.value(at.at, rng, int64(n)))
				}}
				if f := field(t, a.judge(t), "/body/v"); f.Category != c.want {
					t.Errorf("recording %d: %s %s, want %s: %q, %s", n, f.Judgement, f.Category, c.want, f.Evidence, f.Samples)
				}
			}
		})
	}
}
