package webdriver

import (
	"time"

	"github.com/flaketap/flaketap/waits/oracle"
)

// patience says how long commands wait.
type patience interface {
	// before reports whether an action that follows another may go to the driver.
	before(*turn) bool
	// enough reports whether an answer that may be another one later is the one to be given.
	enough(*turn, oracle.Answer) bool
	// gone reports whether an answer says no more than that what was there for a while is gone: what that was stays
	// the one to be given.
	gone(*turn, oracle.Answer) bool
	// most is how long a command waits for either.
	most(*turn) time.Duration
	// tired is told that this was not long enough.
	tired(*turn)
	// looks reports whether there is time to see by what elements may be found.
	looks() bool
}

// none waits for nothing.
type none struct{}

func (none) before(*turn) bool                { return true }
func (none) enough(*turn, oracle.Answer) bool { return true }
func (none) gone(*turn, oracle.Answer) bool   { return false }
func (none) most(*turn) time.Duration         { return 0 }
func (none) tired(*turn)                      {}
func (none) looks() bool                      { return false }

// quiet waits until a page has come to rest: no requests, no timers, no changes. Only what is not there yet is
// given as soon as it is, and so is another answer of the reads that are known to be other ones only for a while.
type quiet struct {
	transient map[oracle.Key]bool
	// given is what reads were given by a run that waited for rest and failed all the same: they wait no longer than for
	// that, as what is there for a while may be gone at rest before the suite comes to look for it. nil: nothing is known.
	given map[oracle.Key]oracle.Answer
}

const (
	// rest is how long nothing happens in a page that has come to rest.
	rest = 100 * time.Millisecond
	// mostUnrest is how long that is waited for.
	mostUnrest = 5 * time.Second
)

func (q quiet) before(u *turn) bool { return u.browser.quietFor(u.since()) >= rest }

func (q quiet) enough(u *turn, a oracle.Answer) bool {
	if a.Error == stale { // a suite may wait for just that
		return true
	}
	before, known := q.given[u.Key]
	if known && !q.transient[u.Key] && (a.Same(before) || before.Error != "" && a.Error == "") {
		return true
	}
	changed := !a.Same(u.command.First)
	if changed && a.Error == "" && (u.command.First.Error != "" || q.transient[u.Key]) {
		return true
	}
	return u.browser.quietFor(u.since()) >= rest
}

// gone is not asked of what passes on the way: it was given as soon as it was there.
func (quiet) gone(*turn, oracle.Answer) bool { return false }

func (q quiet) most(*turn) time.Duration { return mostUnrest }

// tired takes the requests that are under way all the time for ones that stay so, as those of a long poll do.
func (q quiet) tired(u *turn) { u.browser.lasts() }

func (quiet) looks() bool { return true }

// expected waits for what passing runs were answered.
type expected struct{ *oracle.Model }

func (x expected) before(u *turn) bool {
	w := x.Wait(u.Key)
	return w == nil || w.Reached(u.browser.since(u.act.sent))
}

func (x expected) enough(u *turn, a oracle.Answer) bool {
	w := x.Wait(u.Key)
	return w == nil || w.Ready(a)
}

func (x expected) gone(u *turn, a oracle.Answer) bool {
	w := x.Wait(u.Key)
	return w != nil && w.Rest != nil && a.Same(*w.Rest)
}

func (x expected) most(u *turn) time.Duration {
	if w := x.Wait(u.Key); w != nil {
		return w.Cap()
	}
	return 0
}

func (x expected) tired(*turn) {}

func (x expected) looks() bool { return false }
