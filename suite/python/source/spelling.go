package source

import (
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
)

// Clients call the parts of an answer by names of their own: status_code or status, json(), await json() or get_json(),
// text or await text(). What is written again calls them as the test does, else as other tests of the file do, else as
// requests and httpx do.

// Spelling is how the parts of an answer are asked for: what goes before and behind its name.
type Spelling map[expr.Part][2]string

// Usual is how requests and httpx spell them.
func Usual() Spelling {
	return Spelling{expr.Status: {"", ".status_code"}, expr.Text: {"", ".text"}, expr.Headers: {"", ".headers"},
		expr.JSON: {"", ".json()"}}
}

// Of is how a part of an answer is asked for.
func (s Spelling) Of(answer string, part expr.Part) string { return s[part][0] + answer + s[part][1] }

// Attribute spells an attribute of an answer.
func Attribute(name string) [2]string { return [2]string{"", "." + name} }

// Method spells a method of an answer, which may have to be awaited.
func Method(name string, awaited bool) [2]string {
	if awaited {
		return [2]string{"(await ", "." + name + "())"}
	}
	return [2]string{"", "." + name + "()"}
}

// Waits reports whether a part of the answer is awaited.
func (s Spelling) Waits() bool { return slices.ContainsFunc(slices.Collect(maps.Values(s)), Awaits) }

// Awaits reports whether a part that is spelled so is awaited.
func Awaits(as [2]string) bool { return strings.Contains(as[0], "await ") }
