package webdriver

import (
	"time"

	"github.com/flaketap/flaketap/waits/oracle"
)

// window waits as WEFix records (Liu et al., WWW 2024): for a time after an action, which changes of the page lengthen
// that come late in it, whatever goes over the network and whatever timers there are. It is there to compare with.
type window struct{}

// The sizes of a window.
const (
	windowSize = time.Second
	lateIn     = windowSize / 2   // its second half
	mostWindow = 20 * time.Second // with all that lengthens it
)

// windowEnds is when the window ends that begins once an action has been carried out: it lasts a second, and a second
// more from a change on in the second half of what it lasts so far.
func windowEnds(acted time.Duration, changes []oracle.Mutation) time.Duration {
	end := acted + windowSize
	for _, m := range changes {
		if at := time.Duration(m.At * float64(time.Millisecond)); at >= end-lateIn && at < end {
			end = at + windowSize
		}
	}
	return min(end, acted+mostWindow)
}

func (window) over(u *turn) bool {
	b := u.browser
	if b.watcher == nil {
		return time.Since(u.since()) >= windowSize
	}
	return time.Since(b.began) >= windowEnds(u.since().Sub(b.began), b.since(u.since()))
}

func (x window) before(u *turn) bool                  { return x.over(u) }
func (x window) enough(u *turn, a oracle.Answer) bool { return a.Error == stale || x.over(u) }
func (window) gone(*turn, oracle.Answer) bool         { return false }
func (window) most(*turn) time.Duration               { return mostWindow }
func (window) tired(*turn)                            {}
func (window) looks() bool                            { return true }
