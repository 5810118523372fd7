package main

import (
	"strings"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// sayHeld says that what is read is what a process which still writes had stored until now.
func sayHeld(talk *console.Console, h *store.Holder) {
	if h != nil {
		talk.Say("flaketap: %s; showing what is stored so far", h)
	}
}

// sayWarnings says in one line what the judgement rests on too little for.
func sayWarnings(talk *console.Console, m *mapfile.Map) {
	if len(m.Warnings) > 0 {
		talk.Say("flaketap: warning: %s", console.OneLine(strings.Join(m.Warnings, "; ")))
	}
}
