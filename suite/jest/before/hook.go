package before

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/js/prettier"
	"github.com/flaketap/flaketap/suite/script"
)

// Runner is how a runner's hooks are told which test they run before.
type Runner struct {
	parameters string
	plain      bool     // its hooks are to be no arrow functions, to have a this
	name       []string // the expression of the test's name, as tokens
	full       bool     // which has the titles of the groups around it too
}

// The runners.
func Mocha() Runner {
	return Runner{plain: true, name: []string{"this", ".", "currentTest", ".", "fullTitle", "(", ")"}, full: true}
}
func Jest() Runner {
	return Runner{name: []string{"expect", ".", "getState", "(", ")", ".", "currentTestName"}, full: true}
}
func Vitest() Runner { return Runner{parameters: "{ task }", name: []string{"task", ".", "name"}} }
func Node() Runner   { return Runner{parameters: "t", name: []string{"t", ".", "name"}} }

// RunsFor says before which test a hook runs that begins as those of [Hook] do, by the tokens of its body: the name of
// the test, whether that has the titles of the groups around it, and how many tokens say so; 0 where none do.
func RunsFor(body []js.Token) (test string, full bool, n int) {
	for _, r := range []Runner{Mocha(), Jest(), Vitest(), Node()} {
		words := slices.Concat([]string{"if", "("}, r.name, []string{"!==", "", ")", "return"})
		titled := len(words) - 3
		if len(body) < len(words) || body[titled].Kind != js.JsString {
			continue
		}
		words[titled] = body[titled].Text
		if !slices.EqualFunc(body[:len(words)], words, func(t js.Token, word string) bool { return t.Text == word }) {
			continue
		}
		if n = len(words); len(body) > n && body[n].Is(";") {
			n++
		}
		return words[titled], r.full, n
	}
	return "", false, 0
}

// Hook is where a set-up stands that a hook is to find: right above that.
type Hook struct {
	Runner Runner
	Word   string // beforeEach
	Indent string
	Start  int // of the hook that is there
	Group  int // where the first statement begins that stands beside it
	// Titles are those of the test, with those of the groups around it.
	Titles []string
}

// Edits put a set-up into a hook of its own. The variables that it gives are declared beside it, unless they are
// already.
func (h Hook) Edits(s *script.Script, by Sender, fresh []string, steps []script.SetUpRequest,
	declared func(name string) bool) (lines []string, edits []script.Edit) {
	name := h.Titles[len(h.Titles)-1]
	if h.Runner.full {
		name = strings.Join(h.Titles, " ")
	}
	steps = slices.Clone(steps)
	comment := steps[0].Comment
	steps[0].Comment = ""
	if h.Runner.plain { // where such a hook fails, no other test of its group runs
		for i := range steps {
			steps[i].Status = 0
		}
	}
	head := "(async (" + h.Runner.parameters + ") => {"
	if h.Runner.plain {
		head = "(async function () {"
	}
	unit, end := by.Layout.Unit, by.Layout.End
	by.Layout.Indent = h.Indent + unit
	lines = append(lines, s.Comment(comment), h.Word+head)
	for _, line := range slices.Concat(h.only(name, by), fresh, by.Steps(steps)) {
		lines = append(lines, unit+line)
	}
	lines = append(lines, "})"+end)
	eol := script.LineEnd(s.Lines[0])
	at := handset.Above(s.Text, h.Start, "//")
	text := ""
	for _, line := range lines {
		text += h.Indent + line + eol
	}
	edits = append(edits, script.Edit{Start: at, End: at, Text: text + eol})
	group := handset.Above(s.Text, h.Group, "//")
	for _, name := range by.Given {
		if declared(name) {
			continue
		}
		edits = append(edits, script.Edit{Start: group, End: group, Text: h.Indent + "let " + name + end + eol, Once: true})
	}
	return lines, edits
}

// only is the statement by which a hook runs before one test alone, as prettier lays it out.
func (h Hook) only(name string, by Sender) []string {
	is, unit := strings.Join(h.Runner.name, ""), by.Layout.Unit
	name = quoted(name, by.Quote)
	width, leave := prettier.LineWidth-len(by.Layout.Indent), "return"+by.Layout.End
	switch short := "if (" + is + " !== " + name + ")"; {
	case len(short+" "+leave) <= width:
		return []string{short + " " + leave}
	case len(short) <= width:
		return []string{short, unit + leave}
	case len(unit+is+" !== "+name) <= width:
		return []string{"if (", unit + is + " !== " + name, ")", unit + leave}
	}
	return []string{"if (", unit + is + " !==", unit + name, ")", unit + leave}
}
