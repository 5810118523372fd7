package explicit

import (
	"errors"
	"strings"

	"github.com/flaketap/flaketap/waits/oracle"
)

// frame is a call on the stack of a command, with the places of those above it.
type frame struct {
	oracle.Caller
	above string
}

// framesOf is the stack of a command, the latest call first.
func framesOf(c *oracle.Command) []frame {
	if c == nil {
		return nil
	}
	from := c.Stack()
	frames, above := make([]frame, len(from)), ""
	for i := len(from) - 1; i >= 0; i-- {
		frames[i] = frame{from[i], above}
		above = lineOf(from[i].Place) + "\n" + above
	}
	return frames
}

// lineOf is a place without its column: that of a call which has been waited for is another one than before.
func lineOf(place string) string { return place[:max(0, strings.LastIndexByte(place, ':'))] }

// execution is one that a place has between two actions.
type execution struct {
	above string
	since oracle.Key
}

// passage is a command that comes through a place, itself or as what looked for its element.
type passage struct {
	execution
	wait *oracle.Wait
}

// passages are those of each place.
type passages map[string][]passage

func passagesOf(m *oracle.Model) passages {
	all := passages{}
	for _, w := range m.Waits() {
		own := framesOf(w.Command)
		for _, s := range append(own, framesOf(w.Finder)...) {
			all[s.Place] = append(all[s.Place], passage{execution{s.above, w.Since}, w})
		}
	}
	return all
}

// placeOf is where the wait of a command belongs: the nearest place of its stack at which it holds for all that comes
// through. An element is best waited for before it is looked for, where that is in the same file. With an error it is
// the place that sends it.
func (all passages) placeOf(w *oracle.Wait) (from oracle.Caller, err error) {
	own := framesOf(w.Command)
	if len(own) == 0 {
		return from, errShared
	}
	file, _, _, _ := oracle.CutSource(own[0].Place)
	var frames []frame
	if ofPlaywright(w.Command) { // the suite's own locator is waited for, which is said where the command is sent
		frames = own[:1]
	} else {
		var found []frame
		for _, s := range framesOf(w.Finder) {
			if in, _, _, _ := oracle.CutSource(s.Place); in == file {
				found = append(found, s)
			}
		}
		frames = append(found, own...)
	}
	for _, s := range frames {
		why := all.holds(w, s)
		if why == nil {
			return s.Caller, nil
		}
		if err == nil || errors.Is(why, errTurns) {
			err = why
		}
	}
	return own[0].Caller, err
}

// holds says why a place may not wait for what a command waits for: something comes through that does without it.
func (all passages) holds(w *oracle.Wait, at frame) error {
	with := map[execution]bool{}
	for _, p := range all[at.Place] {
		same := p.wait.Does == w.Does
		if same && (!p.wait.Answer.Same(w.Answer) || p.wait.Varies != w.Varies) {
			return errTurns
		}
		with[p.execution] = with[p.execution] || same
	}
	for _, has := range with {
		if !has {
			return errShared
		}
	}
	return nil
}

// actedIn is the line by which the last action before a command came out of the same call as it; 0 where that was
// another one, or in another file.
func actedIn(w *oracle.Wait, from oracle.Caller) (line int) {
	file, _, _, _ := oracle.CutSource(from.Place)
	for _, s := range append(framesOf(w.Command), framesOf(w.Finder)...) {
		if s.Place != from.Place {
			continue
		}
		for _, acted := range framesOf(w.Action) {
			if in, at, _, _ := oracle.CutSource(acted.Place); in == file && acted.above == s.above {
				line = at
			}
		}
	}
	return line
}

// comesThrough reports whether a command comes through a line of a file.
func comesThrough(c *oracle.Command, name string, line int) bool {
	for _, from := range c.Stack() {
		if s, ok := placeIn(name, from.Place); ok && s.line == line {
			return true
		}
	}
	return false
}
