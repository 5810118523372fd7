package tune_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/flaketap/flaketap/waits/search"
	"github.com/flaketap/flaketap/waits/settle"
)

// TestEvalSearches has each strategy find a time 2,000 times for a test that waits for what takes a lognormal time, 200 ms
// in the middle, with a sleep of 100 ms that a developer raised to 2 s: TRaf's searches, the same with a sequential
// test on the way, and what 100 settle times say, which 100 runs then have to hold. The share of runs that fail with
// what was chosen is worked out, not drawn.
func TestEvalSearches(t *testing.T) {
	const median, times = 200 * time.Millisecond, 2000
	for _, sigma := range []float64{0.1, 0.3, 0.6} {
		fails := func(value time.Duration) float64 {
			return math.Erfc(math.Log(float64(value)/float64(median))/sigma/math.Sqrt2) / 2
		}
		r := rand.New(rand.NewPCG(5, uint64(1000*sigma)))
		published := search.Search{Low: 100 * time.Millisecond, High: 2 * time.Second, Step: time.Millisecond, Validations: 100, Screen: 100}
		sequential := published
		sequential.Screen = search.Screening().Enough()
		settled := func(ctx context.Context, l *search.Ledger) (time.Duration, error) {
			var all []time.Duration
			for range 100 {
				all = append(all, time.Duration(float64(median)*math.Exp(sigma*r.NormFloat64())))
			}
			slices.Sort(all)
			value := settle.Times{N: 100, Longest: all[99], All: all}.Upper(settle.In999)
			holds, err := l.Holds(ctx, value, 100)
			if !holds {
				value = 0
			}
			return value, err
		}
		for _, s := range []struct {
			name string
			find func(context.Context, *search.Ledger) (time.Duration, error)
		}{
			{"to-the-end, as published", published.ToTheEnd}, {"first-match, as published", published.FirstMatch},
			{"to-the-end", sequential.ToTheEnd}, {"settle, of 100 reads", settled},
		} {
			var runs, none int
			var value time.Duration
			var residual []float64
			for range times {
				l := search.NewLedger(func(_ context.Context, value time.Duration, n int) (int, bool, error) {
					for i := range n {
						if r.Float64() < fails(value) {
							return i, true, nil
						}
					}
					return n, false, nil
				})
				found, err := s.find(context.Background(), l)
				if err != nil {
					t.Fatal(err)
				}
				runs += l.Runs()
				if found == 0 {
					none++
					continue
				}
				value += found / times
				residual = append(residual, fails(found))
			}
			slices.Sort(residual)
			mean := 0.0
			for _, p := range residual {
				mean += p / float64(len(residual))
			}
			t.Logf("sigma %v, %s: %d runs, %s, %.3f %% of runs fail (p90 %.3f %%), nothing found in %d of %d", sigma, s.name, runs/times,
				value.Round(time.Millisecond), 100*mean, 100*residual[len(residual)*9/10], none, times)
		}
	}
}
