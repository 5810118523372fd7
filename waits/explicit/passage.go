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
	frames, lines := make([]frame, len(from)), make([]string, len(from))
	for i, f := range from {
		lines[i] = lineOf(f.Place) + "\n"
	}
	above := strings.Join(lines, "")
	for i, f := range from {
		above = above[len(lines[i]):]
		frames[i] = frame{f, above}
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

// passages are, of each place, its executions in which commands come through, themselves or as what looked for their
// elements. They are counted once, as a helper may have all commands of a suite come through.
type passages map[string]*passage

type passage struct {
	executions map[execution]bool
	commands   map[string]*passing // by what they do
}

// passing is the same command of several executions of a place.
type passing struct {
	first      *oracle.Wait
	turns      bool // others are answered another thing
	executions map[execution]bool
}

func passagesOf(m *oracle.Model) passages {
	all := passages{}
	for _, w := range m.Waits() {
		for _, s := range append(framesOf(w.Command), framesOf(w.Finder)...) {
			all.add(w, s)
		}
	}
	return all
}

func (all passages) add(w *oracle.Wait, at frame) {
	p := all[at.Place]
	if p == nil {
		p = &passage{map[execution]bool{}, map[string]*passing{}}
		all[at.Place] = p
	}
	same := p.commands[w.Does]
	if same == nil {
		same = &passing{first: w, executions: map[execution]bool{}}
		p.commands[w.Does] = same
	}
	same.turns = same.turns || !same.first.Answer.Same(w.Answer) || same.first.Varies != w.Varies
	in := execution{at.above, w.Since}
	p.executions[in], same.executions[in] = true, true
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
	p := all[at.Place]
	switch same := p.commands[w.Does]; {
	case same.turns:
		return errTurns
	case len(same.executions) < len(p.executions):
		return errShared
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
