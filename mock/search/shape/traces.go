package shape

import (
	"regexp"

	"github.com/flaketap/flaketap/internal/lazy"
)

// traces are what stack traces of Python, Node, Java and Go are known by, written for the regular expressions of all
// of them.
var traces = []func() *regexp.Regexp{
	lazy.Regexp(`Traceback \(most recent call last\)`),
	lazy.Regexp(`\n\s+at .+[(:]\S+:\d+(:\d+)?\)?(\n|$)`),
	lazy.Regexp(`goroutine \d+ \[`),
	lazy.Regexp(`\.java:\d+\)`),
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
