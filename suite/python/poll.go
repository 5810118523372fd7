package python

import (
	"slices"

	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// turns are those of a loop that is followed once, as they are not known: one that waits for something. What each of
// them gives a name is, behind the loop, what the last turn gave it: a part of the last answer to what the loop sends.
type turns struct {
	from int  // how many calls the test had before it
	once bool // it has a turn at least
	left bool // it may have been left, or a turn begun, before this statement, and behind what it sent
}

// turnsFrom are the turns of a loop that begins with a statement. A range is taken to have an element.
func (r *follower) turnsFrom(tokens []syntax.Token) turns {
	always := len(tokens) == 3 && (tokens[1].Text == "True" || tokens[1].Text == "1")
	ranged := len(tokens) > 3 && tokens[2].Text == "in" && tokens[3].Text == "range"
	return turns{from: len(r.test.Calls), once: always || ranged}
}

// loop is the innermost loop of the function that the statement stands in; nil where it stands in none. sure is whether
// it is run in each turn.
func (r *follower) loop() (l *turns, sure bool) {
	sure = true
	for i := len(r.blocks) - 1; i >= 0; i-- {
		switch b := &r.blocks[i]; {
		case b.indent < 0:
			return l, sure && l != nil && b.loop
		case b.loop && l == nil:
			l = &b.turns
		case b.kind == conditional && !b.loop, b.kind == repeated, b.tries, b.kind == guarded:
			sure = false
		}
	}
	return l, sure && l != nil
}

// leaves notes that a loop may be left here, or go on with its next turn.
func (r *follower) leaves() {
	if l, _ := r.loop(); l != nil && len(r.test.Calls) > l.from {
		l.left = true
	}
}

// last reports whether a name has a value behind a loop which is that of its last turn: each turn gives it one, of what
// was answered in that turn, and it has no answer's before that the loop might leave to it.
func (r *follower) last(name string, x syntax.Node) bool {
	l, sure := r.loop()
	if !sure || l.left {
		return false
	}
	if before := r.env[name]; before != nil && !l.once && len(r.test.Answers(meaning.Of(before))) > 0 && !r.polls(before) {
		return false
	}
	return r.polled(x)
}

// ownEachTime reports whether a target is a name of the function's own, which each call of that gives a value anew:
// where nothing but the call itself stands under a condition, or in a loop.
func (r *follower) ownEachTime(target []syntax.Token) bool {
	return len(target) == 1 && !slices.ContainsFunc(r.blocks, func(b block) bool {
		return b.indent >= 0 && (b.kind == conditional || b.kind == repeated)
	})
}

// polled notes of what a loop hands on, if it is of the answers of its turn, that these are the last.
func (r *follower) polled(x syntax.Node) bool {
	if !r.polls(x) {
		return false
	}
	for _, c := range r.test.Answers(meaning.Of(x)) {
		c.Last = true
	}
	return true
}

// polls reports whether a value is made of answers that the loop's own turn was given, and of nothing that changes from
// turn to turn beside them.
func (r *follower) polls(x syntax.Node) bool {
	l, _ := r.loop()
	if l == nil {
		return false
	}
	of := r.test.Answers(meaning.Of(x))
	return !script.Computed(meaning.Of(x)) && len(of) > 0 && !slices.ContainsFunc(of, func(c *script.Call) bool {
		return slices.Index(r.test.Calls, c) < l.from
	})
}
