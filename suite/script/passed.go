package script

import (
	"regexp"
	"strings"
)

// Pass notes in the calls which expressions stand for the unknown parts of their targets, as some forms show them in the
// statements that send them: their first group is what stands before it in the path, their second the expression.
func (s *Script) Pass(forms ...*regexp.Regexp) {
	for _, t := range s.Tests {
		readOnly := map[string]bool{}
		for _, c := range t.Calls {
			x := s.passed(t, c, forms)
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
func (s *Script) passed(t *Test, c *Call, forms []*regexp.Regexp) string {
	before, after, ok := strings.Cut(c.Target, Unknown)
	if !ok || strings.Contains(after, Unknown) || after != "" && !strings.ContainsAny(after[:1], "/?") {
		return ""
	}
	found := ""
	for _, form := range forms {
		for _, m := range form.FindAllStringSubmatch(s.Text[c.At.Start:c.At.End], -1) {
			piece := m[1][strings.LastIndexAny(m[1], "}")+1:]
			if piece = strings.TrimPrefix(piece, SchemeAndHost.FindString(piece)); len(piece) < 2 || !strings.HasSuffix(before, piece) {
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

// Passed is what stood for the unknown part of a call's target in a target that was sent; false where that is no text
// that could be nothing else: a number may be one, or its text.
func (c *Call) Passed(sent string) (string, bool) {
	before, after, _ := strings.Cut(c.Target, Unknown)
	i := strings.Index(sent, before)
	if i < 0 || before == "" {
		return "", false
	}
	value := sent[i+len(before):]
	if end := strings.IndexAny(value, "/?&"); end >= 0 {
		if !strings.HasPrefix(value[end:], after) || after == "" {
			return "", false
		}
		value = value[:end]
	} else if after != "" {
		return "", false
	}
	plain := value != "" && strings.Trim(value, "0123456789.") != "" && !strings.ContainsAny(value, "%+")
	return value, plain
}
