package jest

import (
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/jest/before"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// twoHoles finds a template that is a base and a path: `${BASE}/api${path}`.
var twoHoles = regexp.MustCompile(`^(\$\{[^{}]+\}([^${}]*))\$\{\w+\}$`)

// modelThrough reads the request that a function of the file sends for a test, with fetch: to what the file itself
// names and a path that the function is given.
func (w *written) modelThrough(m *before.Model, c *script.Call) bool {
	url := w.urls[c]
	if url == nil || url.First < 2 || m.Axios ||
		!w.tokens[url.First-2].Is("fetch") || !w.tokens[url.First-1].Is("(") {
		return false
	}
	m.Client = "fetch"
	tokens, path := w.tokens[url.First:url.Last], c.Target
	last := tokens[len(tokens)-1]
	switch {
	case last.Kind == js.Word && len(tokens) > 2 && tokens[len(tokens)-2].Is("+"):
		m.Before = w.script.Text[tokens[0].Start:last.Start]
	case last.Kind == js.JsTemplate && len(tokens) == 1:
		holes := twoHoles.FindStringSubmatch(w.script.Text[last.Start+1 : last.End-1])
		if holes == nil {
			return false
		}
		m.Base, path = holes[1], strings.TrimPrefix(path, holes[2])
	default:
		return false
	}
	mount, ok := handset.Mount(c.SentTarget, path, "${")
	m.Mount = mount
	return ok && w.ofFile(m.Before+m.Base)
}

// ofFile reports whether all names of an expression are those of the file, which each of its functions knows.
func (w *written) ofFile(source string) bool {
	own := js.Declared(w.tokens)
	return !slices.ContainsFunc(namesIn(source), func(name string) bool { return name != "process" && !own[name] })
}
