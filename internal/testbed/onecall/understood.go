package onecall

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// Understood says in lines what was read of a suite: of each test its calls, and of each assertion its claim and the
// first line of what it is written as, or why it was not understood.
func Understood(s *script.Script) string {
	var got []string
	for _, test := range s.Tests {
		got = append(got, test.Name)
		for _, c := range test.Calls {
			target := strings.ReplaceAll(c.Target, script.Unknown, "?")
			got = append(got, strings.TrimRight(fmt.Sprintf("  %s %s %s", c.Method, target, c.Body), " "))
		}
		for _, a := range test.Assertions {
			if a.Reason != "" {
				got = append(got, fmt.Sprintf("  %d not: %s", a.Line, a.Reason))
				continue
			}
			text, ok := s.Writer.Assert(s, test, a, a.Meaning)
			first, _, _ := strings.Cut(text, "\n")
			got = append(got, fmt.Sprintf("  %d of %d %s %s %s: %s %v", a.Line, a.Call, a.Relation, a.Place, a.Value, first, ok))
		}
	}
	return strings.Join(got, "\n")
}
