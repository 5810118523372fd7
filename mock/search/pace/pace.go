// Package pace tells trials of a request apart by how long its answer took, where nothing else does.
//
// What is usual is told by the request's own trials in which no service was late: half of these took no longer than
// their median. A trial is slow where it took at least six times as long, and 400 ms: the machine makes none of a few
// milliseconds' difference, and one that is busy makes all trials slow, and so none. One slow trial proves nothing: who
// finds a pace has it repeated, with trials of the other one between, by [Log.Holds].
package pace

import (
	"slices"
	"time"
)

// Class is how an answer took its time.
type Class string

// The classes.
const (
	Usual    Class = ""          // it took as long as others, whatever services did
	CutShort Class = "cut short" // it came before a service that was late did: the API waits no longer
	Paused   Class = "paused"    // it took long though no service was late: the API waits by itself, as before it tries again
)

// Bounds of what is slow.
const (
	slowest = 400 * time.Millisecond
	times   = 6
	// fewest is how many trials tell what is usual.
	fewest = 5
	// apart is how many times longer slow trials take than one of the other pace between them.
	apart = 3
)

// Trial is one that was answered.
type Trial[T any] struct {
	Of   T   // what was tried, and what that showed
	Size int // how much is set
	Late bool
	Took time.Duration
}

// Log has the trials of one request. The zero value has none.
type Log[T any] struct {
	all   []Trial[T]
	usual []time.Duration // of those without late services, in order
}

// most bounds the trials that are kept.
const most = 20_000

// Add keeps a trial.
func (l *Log[T]) Add(t Trial[T]) {
	if len(l.all) >= most {
		return
	}
	l.all = append(l.all, t)
	if !t.Late {
		at, _ := slices.BinarySearch(l.usual, t.Took)
		l.usual = slices.Insert(l.usual, at, t.Took)
	}
}

// Of is the class of a trial, by all those that are kept.
func (l *Log[T]) Of(t Trial[T]) Class {
	if len(l.usual) < fewest || t.Took < max(slowest, times*l.usual[len(l.usual)/2]) {
		return Usual
	}
	if t.Late {
		return CutShort
	}
	return Paused
}

// Pair is one behavior at two paces, each with the trial of it that sets least.
type Pair[T any] struct {
	Slow, Usual Trial[T]
	Class       Class // of the slow one
}

// Pairs are the behaviors that were seen at the usual pace and at another one, in the order in which they were first
// seen; named says of which behavior a trial is.
func (l *Log[T]) Pairs(named func(T) string) (out []Pair[T]) {
	type seen struct {
		behavior string
		class    Class
	}
	least, order := map[seen]Trial[T]{}, []string(nil)
	for _, t := range l.all {
		one := seen{named(t.Of), l.Of(t)}
		if !slices.Contains(order, one.behavior) {
			order = append(order, one.behavior)
		}
		if old, there := least[one]; !there || t.Size < old.Size {
			least[one] = t
		}
	}
	for _, behavior := range order {
		usual, there := least[seen{behavior, Usual}]
		for _, class := range []Class{CutShort, Paused} {
			if slow, is := least[seen{behavior, class}]; there && is {
				out = append(out, Pair[T]{slow, usual, class})
			}
		}
	}
	return out
}

// Holds reports whether trials that were run in turn show the paces of a pair: the slow ones are of its class and took
// several times as long as each of the usual ones, which are usual.
func (l *Log[T]) Holds(class Class, slow, usual []Trial[T]) bool {
	for _, u := range usual {
		near := func(t Trial[T]) bool { return l.Of(t) != class || t.Took < apart*u.Took }
		if l.Of(u) != Usual || slices.ContainsFunc(slow, near) {
			return false
		}
	}
	return len(usual) > 0 && len(slow) > 0
}
