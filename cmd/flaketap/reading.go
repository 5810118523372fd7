package main

import (
	"github.com/flaketap/flaketap/store"
	"github.com/urfave/cli/v2"
)

// sayHeld says that what is read is what a process which still writes had stored until now.
func (t *tool) sayHeld(c *cli.Context, h *store.Holder) {
	if h != nil {
		t.say(c, "flaketap: %s; showing what is stored so far", h)
	}
}
