package cmdline

import (
	"fmt"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// maxSaid is how many places are named one by one.
const maxSaid = 10

// sayPlaces names places of which one thing is true, and why each moves or moved.
func sayPlaces(talk *console.Console, what string, all []mapfile.Change, why func(mapfile.Change) *mapfile.Field) {
	for _, x := range all[:min(maxSaid, len(all))] {
		f := why(x)
		talk.Say("flaketap: %s: %s", what,
			console.OneLine(fmt.Sprintf("%s %d %s (%s %s)", x.Operation, x.Status, x.Place, f.Judgement, f.Category)))
	}
	if more := len(all) - maxSaid; more > 0 {
		talk.Say("flaketap: and %s", console.Count(more, "more place"))
	}
}

// SayStopped tells which places of an earlier map move no longer in the one that was written: they are let go.
func SayStopped(talk *console.Console, changes mapfile.Changes) {
	sayPlaces(talk, "no longer moves, and is let go", changes.Of(mapfile.Stopped),
		func(x mapfile.Change) *mapfile.Field { return x.Old })
}

// SayBegan tells what began to move since an earlier map, and how much was not seen before.
func SayBegan(talk *console.Console, changes mapfile.Changes) {
	began := changes.Began()
	sayPlaces(talk, "began to move", began, func(x mapfile.Change) *mapfile.Field { return x.New })
	if len(began) == 0 {
		talk.Say("flaketap: no newly volatile places since the earlier map")
	}
	if unseen := len(changes.Of(mapfile.Unseen)); unseen > 0 {
		talk.Say("flaketap: the earlier map has never seen %s; --fail-on new passes these",
			console.Count(unseen, "volatile place"))
	}
}
