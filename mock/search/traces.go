package search

import "regexp"

// traces are what stack traces of Python, Node, Java and Go are known by, written for the regular expressions of all
// of them.
var traces = []string{
	`Traceback \(most recent call last\)`,
	`\n\s+at .+[(:]\S+:\d+(:\d+)?\)?(\n|$)`,
	`goroutine \d+ \[`,
	`\.java:\d+\)`,
}

var tracesRE = func() (all []*regexp.Regexp) {
	for _, form := range traces {
		all = append(all, regexp.MustCompile(form))
	}
	return all
}()

// Trace returns the pattern by which a text is known to hold a stack trace; "" where it holds none.
func Trace(text string) string {
	for i, re := range tracesRE {
		if re.MatchString(text) {
			return traces[i]
		}
	}
	return ""
}
