package inorder

import "slices"

// Agreement sees whether values are all the same, and whether one that had gone came back.
type Agreement struct {
	N        int    // values
	First    string // of them
	last     string
	differ   bool
	returned bool
	seen     []string
}

// Add takes in one more value.
func (a *Agreement) Add(value string) {
	if a.N++; a.N == 1 {
		a.First, a.last = value, value
		a.seen = append(a.seen[:0], "", value)
		return
	}
	a.differ = a.differ || value != a.First
	if value != a.last && !a.returned {
		a.returned = slices.Contains(a.seen, value)
		a.seen = append(a.seen, value)
	}
	a.last = value
}

// Agree reports whether all are the same.
func (a *Agreement) Agree() bool { return !a.differ }

// Returned reports whether one that had gone came back; "" is there from the begin.
func (a *Agreement) Returned() bool { return a.returned }

// Monotone reports whether each number is larger than the one before it, or each smaller, by no more than the limit of
// that step.
func Monotone(series, limits []float64) (up, down bool) {
	up, down = true, true
	for i := 1; i < len(series); i++ {
		step, limit := series[i]-series[i-1], limits[i-1]
		up = up && step > 0 && step <= limit
		down = down && step < 0 && step >= -limit
	}
	return up, down
}

// Evenly reports whether numbers, in any order, are all of those that counting on by one step gives.
func Evenly(numbers []float64) bool {
	slices.Sort(numbers)
	for i := 1; i < len(numbers); i++ {
		if step := numbers[i] - numbers[i-1]; step == 0 || step != numbers[1]-numbers[0] {
			return false
		}
	}
	return true
}
