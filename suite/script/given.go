package script

import "strings"

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
