package handset

import (
	"regexp"
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// Expressions of names that are a part of a path, in Python and in JavaScript: in the text, and put behind one. The
// first group is what stands before it in the path, the second the expression.
var (
	pythonPaths = []*regexp.Regexp{
		regexp.MustCompile(`([^"'\s]*/)\{(` + pythonNames + `)\}`),
		regexp.MustCompile(`([^"'\s]*/)["']\s*\+\s*(` + pythonNames + `)\s*[,)+]`),
	}
	scriptPaths = []*regexp.Regexp{
		regexp.MustCompile("([^`'\"\\s]*/)\\$\\{(" + scriptNames + `)\}`),
		regexp.MustCompile("([^`'\"\\s]*/)[`'\"]\\s*\\+\\s*(" + scriptNames + `)\s*[,)+;]`),
	}
)

const (
	pythonNames = `[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\["\w+"\]|\['\w+'\])*`
	scriptNames = `[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*`
)

// PassInPython notes in the calls of a file in Python which variables, or items of them, their paths are made with. The
// quotes are those that black writes.
func PassInPython(s *script.Script) {
	pass(s, pythonPaths)
	for _, t := range s.Tests {
		for _, c := range t.Calls {
			c.Given = strings.ReplaceAll(c.Given, "'", `"`)
		}
	}
}

// PassInJavaScript notes in the calls of a file in JavaScript which variables, or members of them, their paths are made
// with.
func PassInJavaScript(s *script.Script) { pass(s, scriptPaths) }

// GivenInJavaScript is the variable, or the member of one, that stands for the one unknown part of a call's target; ""
// where none does.
func GivenInJavaScript(s *script.Script, t *script.Test, c *script.Call) string {
	return passed(s, t, c, scriptPaths)
}

// pass notes in the calls which expressions stand for the unknown parts of their targets, as some forms show them in
// the statements that send them.
func pass(s *script.Script, forms []*regexp.Regexp) {
	for _, t := range s.Tests {
		readOnly := map[string]bool{}
		for _, c := range t.Calls {
			x := passed(s, t, c, forms)
			if _, known := readOnly[x]; x != "" && !known {
				readOnly[x] = isReadOnly(x, s.Text[t.BodyStart:t.BodyEnd])
			}
			if readOnly[x] {
				c.Given = x
			}
		}
	}
}

// passed is the expression for the one unknown part of a call's target; "" where the forms show none or several.
func passed(s *script.Script, t *script.Test, c *script.Call, forms []*regexp.Regexp) string {
	before, after, ok := strings.Cut(c.Target, script.Unknown)
	if !ok || strings.Contains(after, script.Unknown) || after != "" && !strings.ContainsAny(after[:1], "/?") {
		return ""
	}
	found := ""
	for _, form := range forms {
		for _, m := range form.FindAllStringSubmatch(s.Text[c.At.Start:c.At.End], -1) {
			piece := m[1][strings.LastIndexAny(m[1], "}")+1:]
			piece = strings.TrimPrefix(piece, script.SchemeAndHost.FindString(piece))
			if len(piece) < 2 || !strings.HasSuffix(before, piece) {
				continue
			}
			if found != "" && found != m[2] {
				return ""
			}
			found = m[2]
		}
	}
	if c.At.Start < t.BodyStart || c.At.End > t.BodyEnd {
		return ""
	}
	return found
}

// isReadOnly reports whether a test does nothing with a variable of which it names a part but to look at its parts: it
// neither declares it nor gives it another value.
func isReadOnly(expression, body string) bool {
	variable := identifier.FindString(expression)
	if variable == expression {
		return false // it may be anything's parameter
	}
	used := regexp.MustCompile(`(?:^|[^\w.$])` + regexp.QuoteMeta(variable) + `([^\w$][^\n]*|\n|$)`)
	for _, m := range used.FindAllStringSubmatch(body, -1) {
		if !part.MatchString(m[1]) || given.MatchString(m[1]) {
			return false
		}
	}
	return true
}

var (
	identifier = regexp.MustCompile(`^[A-Za-z_$][\w$]*`)
	part       = regexp.MustCompile(`^(\.[A-Za-z_$]|\[["'])`)
	given      = regexp.MustCompile(`^[\w$.\["'\]]*(\s*=[^=>]|\.?(update|push|set|pop|clear|assign)\()`)
)
