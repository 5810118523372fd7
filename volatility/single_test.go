package volatility

import (
	"fmt"
	"testing"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// TestCounterInOneRun proves that with one run it takes more for a counter than that three numbers happened to grow.
func TestCounterInOneRun(t *testing.T) {
	for name, tt := range map[string]struct {
		recorded, run []int
		want          mapfile.Category
	}{
		"a counter":              {[]int{1, 2, 3}, []int{4, 5, 6}, mapfile.State},
		"one that counts faster": {[]int{1, 2, 3, 4, 5, 6}, []int{9, 11, 13, 15, 17, 19}, mapfile.State},
		"numbers that grew":      {[]int{10, 50, 70}, []int{13, 59, 75}, mapfile.Rand},
	} {
		t.Run(name, func(t *testing.T) {
			a := &api{runs: 1, steps: len(tt.run), answer: func(c call) answer {
				return body(`{"n":%s}`, pick(c.run == 0, fmt.Sprint(tt.recorded[c.step]), fmt.Sprint(tt.run[c.step])))
			}}
			if f := field(t, a.judge(t), "/body/n"); f.Category != tt.want {
				t.Errorf("got %s want %s: %q", f.Category, tt.want, f.Evidence)
			}
		})
	}
}
