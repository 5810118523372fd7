package shape

import (
	"regexp"
	"sync"
)

// traces are what stack traces of Python, Node, Java and Go are known by, written for the regular expressions of all
// of them.
var traces = []func() *regexp.Regexp{
	pattern(`Traceback \(most recent call last\)`),
	pattern(`\n\s+at .+[(:]\S+:\d+(:\d+)?\)?(\n|$)`),
	pattern(`goroutine \d+ \[`),
	pattern(`\.java:\d+\)`),
}

// Trace returns the pattern by which a text is known to hold a stack trace; "" where it holds none.
func Trace(text string) string {
	for _, re := range traces {
		if re().MatchString(text) {
			return re().String()
		}
	}
	return ""
}

// pattern is an expression that is compiled when it is first asked for.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
