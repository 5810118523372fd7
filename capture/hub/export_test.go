package hub

import "time"

// Leasing changes how long tickets are leased.
func (w *Work) Leasing(d time.Duration) *Work {
	w.leasing = d
	return w
}
