package align

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/script"
)

// Marks are the tests of a script that may have sent the exchanges of a mark, by the marks that the client set: nil
// where that is another file's, empty where it is a test that is not read. A mark that says nothing is not among them.
type Marks map[string][]*script.Test

// allow reports whether an exchange may be that of a call, as far as its mark says. What is sent once for several tests
// any of them sends.
func (m Marks) allow(c SentCall, e *exchange.Exchange) bool {
	tests, known := m[e.Sequence]
	return !known || c.Once != "" && tests != nil || slices.Contains(tests, c.test)
}

var (
	// atEnd is what runners say behind the name of a test: its values, and the stage that it is in.
	atEnd = regexp.MustCompile(`(?:\[.*\])?(?: \((?:setup|call|teardown)\))?$`)
	inner = regexp.MustCompile(`[\w./\\\-]+`)
)

// MarksOf reads the marks of a recording: one that ends with the name of a test is of that, and one that names another
// file than the script's is of none.
func MarksOf(s *script.Script, steps []exchange.Step) Marks {
	out := Marks{}
	names := map[string][]*script.Test{}
	for _, t := range s.Tests {
		names[script.Folded(t.Name)] = append(names[script.Folded(t.Name)], t)
	}
	for _, step := range steps {
		mark := step.Exchange.Sequence
		if _, known := out[mark]; mark == "" || known {
			continue
		}
		tests := endsWith(script.Folded(atEnd.ReplaceAllString(mark, "")), names)
		switch own, another := filesIn(mark, s.File); {
		case another:
			out[mark] = nil
		case own && tests == nil:
			out[mark] = []*script.Test{} // one that is not read
		case tests != nil:
			out[mark] = tests
		}
	}
	return out
}

// endsWith are the tests of the longest name that a mark ends with; nil where it ends with none.
func endsWith(mark string, names map[string][]*script.Test) []*script.Test {
	for {
		if tests := names[mark]; mark != "" && tests != nil {
			return tests
		}
		_, rest, more := strings.Cut(mark, "_")
		if !more {
			return nil
		}
		mark = rest
	}
}

// filesIn reports whether a mark names a file, and whether that is another of its kind.
func filesIn(mark, file string) (own, another bool) {
	for _, word := range inner.FindAllString(mark, -1) {
		word = strings.ReplaceAll(word, `\`, "/")
		if path.Ext(word) == path.Ext(file) && path.Ext(word) != "" {
			own = own || path.Base(word) == path.Base(file)
			another = another || path.Base(word) != path.Base(file)
		}
	}
	return own, another && !own
}
