package wordings

import (
	"strings"

	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/mock/search/kind"
)

// tracebacks are the errors of Python about None, beside the source and the marks below what failed in it, which
// Python prints since 3.11: that names what was None, too.
var tracebacks = []wording{{"python", lazy.Regexp(
	`(?m)^ {4}([^\n]{1,400})\n {4}([ ~^]{1,400})\n(?:AttributeError: 'NoneType' object has no attribute|TypeError: 'NoneType' object is not subscriptable)`), marked}}

var (
	access = lazy.Regexp(`^[A-Za-z_]\w*(?:\.\w+\([^()]*\)|\[[^\[\]]*\]|\.\w+)+$`)
	step   = lazy.Regexp(`\.get\(['"]([\w.-]+)['"]\)|(\.\w+\([^()]*\))|\[['"]([\w.-]+)['"]\]|\[(-?\w+)\]|\.(\w+)`)
)

// marked reads the expression that is marked in a line of source: of order["buyer"]["name"], that is buyer.name.
func marked(m []string) []Told {
	source, from, to := []rune(m[1]), strings.IndexAny(m[2], "~^"), strings.LastIndexAny(m[2], "~^")+1
	if from < 0 || to > len(source) {
		return nil
	}
	expression := string(source[from:to])
	if !access().MatchString(expression) || strings.HasPrefix(expression, "self.") {
		return nil
	}
	var path []string
	for _, s := range step().FindAllStringSubmatch(expression, -1) {
		switch {
		case s[2] != "": // what a call returns is another thing
			path = nil
		case s[4] != "":
			path = append(path, "0")
		default:
			path = append(path, s[1]+s[3]+s[5])
		}
	}
	if len(path) < 2 {
		return nil
	}
	return one(Inner, strings.Join(path, "."), kind.Unknown)
}
