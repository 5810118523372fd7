package oracle

import (
	"math"
	"sort"
	"strings"
	"time"
)

// window is a command with the last action before it, and what changed by itself from that on until the next action.
type window struct {
	keyed
	passed  bool     // it belongs to a test that passed
	act     *Command // nil where there was none
	since   Key      // its; where there was none, one of the browser alone
	changes []Mutation
	// How long commands between the two were held, and whether one looked at an element's state.
	held   float64
	looked bool
	found  sighting // of its element, between the two
}

// sighting is that a suite found an element.
type sighting struct {
	by       *Command // that looked for it
	from, at float64  // when it looked for it, and when that was there
}

// windows are the commands of a run about its pages, in order.
func (r *Run) windows() []window {
	type view struct {
		act       *Command
		since     Key
		held      float64
		looked    bool
		found     map[string]sighting // by how elements were looked for
		mutations []Mutation
		open      []int // of this browser, those whose window has no end yet
	}
	views := map[int]*view{}
	for _, m := range r.Mutations {
		if views[m.Browser] == nil {
			views[m.Browser] = &view{}
		}
		views[m.Browser].mutations = append(views[m.Browser].mutations, m)
	}
	var out []window
	shut := func(v *view, end float64) {
		for _, at := range v.open {
			out[at].changes = changesOf(out[at].act, v.mutations, end)
		}
		v.open = v.open[:0]
	}
	for _, k := range r.keyed() {
		if k.Kind == Neither {
			continue
		}
		v := views[k.Command.Browser]
		if v == nil {
			v = &view{}
			views[k.Command.Browser] = v
		}
		if v.act == nil {
			v.since = Key{browser: k.browser}
		}
		w := window{keyed: k, passed: r.PassedAt(k.Start), act: v.act, since: v.since, held: v.held, looked: v.looked,
			found: v.found[way(k.Found)]}
		if k.Kind == Acts {
			w.changes = changesOf(v.act, v.mutations, math.Inf(1))
			shut(v, k.Start)
			out = append(out, w)
			v.act, v.since, v.held, v.looked, v.found = k.Command, k.Key, 0, false, map[string]sighting{}
			continue
		}
		if k.By.Using != "" && k.Command.Source != "" && v.found != nil {
			v.found[way(k.Finds())] = sighting{k.Command, k.Start, k.ready()}
		}
		out = append(out, w)
		v.open = append(v.open, len(out)-1)
		v.held += k.Given.At - k.First.At
		v.looked = v.looked || k.Reads != ""
	}
	for _, v := range views {
		shut(v, math.Inf(1))
	}
	return out
}

// maxChanges bounds the changes of a window that are looked at.
const maxChanges = 1000

// changesOf are, in the order of their times, what changed by itself after an action until a moment: at most so many.
func changesOf(act *Command, all []Mutation, end float64) []Mutation {
	if act == nil {
		return nil
	}
	from := sort.Search(len(all), func(i int) bool { return all[i].At > act.sent() })
	to := sort.Search(len(all), func(i int) bool { return all[i].At >= end })
	if from > 0 && strings.HasPrefix(act.Does, "run a script") { // what a suite's script does is no user's input
		from = max(from, sort.Search(len(all), func(i int) bool { return all[i].At > act.Given.At }))
	}
	if to < from {
		return nil
	}
	return all[from:min(to, from+maxChanges)]
}

// took is how long after the last action a moment came.
func (w *window) took(at float64) time.Duration {
	if w.act != nil {
		at -= w.act.sent()
	} else {
		at -= w.Start
	}
	return time.Duration(max(0, at) * float64(time.Millisecond))
}

// sent is when a command went to the driver.
func (c *Command) sent() float64 { return max(c.Start, c.Sent) }

// ready is when a command was first answered as it was in the end.
func (c *Command) ready() float64 {
	for _, a := range c.answers() {
		if a.Same(c.Given) {
			return a.At
		}
	}
	return c.Given.At
}

// settled is when what a read was given came to be so, and whether a change by itself brought it about, or may have.
func (w *window) settled(aside map[property]Fate) (at float64, later bool) {
	at = w.ready()
	if w.hidden() {
		return at, true
	}
	if w.First.Same(w.Given) {
		at -= w.held // it could have been so all the time
	}
	shown := strings.Trim(w.Given.Value, `"`)
	if w.Given.Error != "" || shown == "" {
		return at, false
	}
	for _, m := range w.changes {
		if m.Later && m.At <= w.Given.At && aside[m.property()] == "" && m.bears(w.Command, shown) {
			at, later = m.At, m.At <= w.found.from || m.At > w.found.at // what waits for an element waits for what comes with it
		}
	}
	return at, later
}

// hidden reports whether an element may have come to be as it is by itself, in a window that was watched too late for
// that to be known.
func (w *window) hidden() bool {
	return w.Unseen && w.Given.Error == "" && (len(w.Found) > 0 || w.By.Using != "")
}

// way is a text for how an element is found, itself or among others.
func way(found []Locator) string {
	text := ""
	for i, l := range found {
		if i == len(found)-1 {
			l.Nth = 0
		}
		text += l.String() + "\n"
	}
	return text
}
