package main

import (
	"errors"
	"iter"

	"github.com/flaketap/flaketap/store"
	"github.com/urfave/cli/v2"
)

// sayHeld says that what is read is what a process which still writes had stored until now.
func (t *tool) sayHeld(c *cli.Context, h *store.Holder) {
	if h != nil {
		t.say(c, "flaketap: %s; this is what it has stored so far", h)
	}
}

// undamaged leaves out what cannot be read of a recording, and tells of each such part.
func undamaged[T any](all iter.Seq2[T, error], tell func(*store.DamageError)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for v, err := range all {
			if d := (*store.DamageError)(nil); errors.As(err, &d) {
				tell(d)
				continue
			}
			if !yield(v, err) {
				return
			}
		}
	}
}
