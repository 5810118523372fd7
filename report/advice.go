package report

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Advice is what to do about tests that assert a volatile place.
type Advice struct {
	Do      string `json:"do"`      // the same for all places that the same helps
	Command string `json:"command"` // that does it, or tells more; its own values in capital letters
}

// CommandPatch is the command that helps most places: it has a suite assert what holds.
const CommandPatch = "flaketap patch SUITE"

const commandState = "flaketap patch --target URL --reset CMD SUITE"

const commandExternal = "flaketap steady --external --start CMD -- COMMAND"

// Advise says what to do about tests that assert a field; the zero value where it does not move.
func Advise(f *mapfile.Field, runs []exchange.Run) Advice {
	evidence := speaking(f.Speaking())
	switch {
	case !f.Volatile():
		return Advice{}
	case evidence.has(mapfile.SignEventual):
		return Advice{"ask again until the answer holds: it comes right by itself", "flaketap waits suggest"}
	case evidence.has(mapfile.SignLimited):
		return Advice{"slow the tests down, or raise the limit of the API under test", ""}
	case evidence.has(mapfile.SignFollowsExternal):
		return Advice{"answer for the external services that it follows, as they were recorded", commandExternal}
	case f.Category == mapfile.State:
		return Advice{"give each test the state it depends on, or begin from a known start", commandState}
	case f.Category == mapfile.Unk && len(experiments(f, runs)) > 0:
		return Advice{"find out why it moves before anything is weakened", experiments(f, runs)[0].Try}
	case f.Place == exchange.PlaceStatus:
		return Advice{"read the API's log: the outcome itself differs between runs", "flaketap inspect why OPERATION /status"}
	}
	return Advice{map[mapfile.Category]string{
		mapfile.Time:   "assert how the time is written, not the moment",
		mapfile.Rand:   "take the value from the answer that gives it, and assert its form",
		mapfile.Crypt:  "assert the form of the digest or token, not its value",
		mapfile.Unord:  "compare the elements in any order",
		mapfile.RunMsg: "assert the part of the text that stays",
		mapfile.Env:    "leave host, port and machine out of what is asserted",
		mapfile.GenErr: "mend the assertion: no answer can satisfy it",
		mapfile.Unk:    "assert what holds of it, not its value",
	}[f.Category], CommandPatch}
}
