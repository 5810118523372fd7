package volatility

import "testing"

func TestUnsure(t *testing.T) {
	a := &api{runs: 10, steps: 3, answer: func(call) answer { return body(`{}`) }}
	m := a.judge(t) // 30 looks at one operation: below 0.0951
	if few, enough := m.Unsure(0.05), m.Unsure(0.1); few != 1 || enough != 0 {
		t.Errorf("%d operations are unsure at 0.05 and %d at 0.1, want 1 and 0", few, enough)
	}
}
