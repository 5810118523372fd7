package graft

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/setup"
)

// Where tests hand each other what they made by a variable, a set-up gives the variable its value where it has none:
// the test speaks of it as before, and what others have handed on stays.

// handed are the variables of the file that a set-up gives values, by the bind that each has its value of.
func (in Suite) handed(t *script.Test, g Grafting) map[int]string {
	lang, out := in.Script.Writer.Graft, map[int]string{}
	if lang.Handed == nil || g.Early {
		return out
	}
	for n, b := range g.Binds {
		for _, u := range b.Uses {
			if u.In != setup.InCall || u.Place.Root() != "path" || b.Step < 0 {
				continue
			}
			if name := lang.Handed(in.Script, t, t.Calls[u.At]); name != "" {
				out[n] = name
			}
		}
	}
	return out
}

// IfMissing reports whether a set-up of a test is only sent where what it makes is missing.
func (in Suite) IfMissing(t *script.Test, g Grafting) bool { return len(in.handed(t, g)) > 0 }

// takes is the first variable that others hand a test, and that no set-up gives a value; "" where there is none.
func (in Suite) takes(t *script.Test, handed map[int]string) string {
	for _, name := range in.Script.Writer.Graft.Takes(in.Script, t) {
		given := false
		for _, variable := range handed {
			root, _, _ := strings.Cut(variable, ".")
			given = given || root == name
		}
		if !given {
			return "the variable " + name
		}
	}
	return ""
}

// isHanded reports whether a call of the test has a bound value in its path by a variable that is handed on.
func (w *builder) isHanded(call int) bool {
	for n := range w.handed {
		if slices.ContainsFunc(w.g.Binds[n].Uses, func(u setup.BindUse) bool {
			return u.In == setup.InCall && u.At == call && u.Place.Root() == "path"
		}) {
			return w.in.Script.Writer.Graft.Handed(w.in.Script, w.t, w.t.Calls[call]) != ""
		}
	}
	return false
}
