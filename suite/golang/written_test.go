package golang

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/script"
)

// wrote reads a file of tests that people wrote.
func wrote(t *testing.T, text string) *script.Script {
	t.Helper()
	s, err := script.Read(Dialect(), "shop_test.go", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// shown says in lines what was read of a suite: the calls of each test, the claims of its assertions, and what they are
// written as.
func shown(s *script.Script) string {
	var got []string
	for _, test := range s.Tests {
		got = append(got, test.Name)
		for _, c := range test.Calls {
			got = append(got, strings.TrimRight(fmt.Sprintf("  %s %s %s", c.Method, strings.ReplaceAll(c.Target, "\x00", "?"), c.Body), " "))
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

// A value that comes from an answer by way of variables, structs, and functions of the file is followed to the place of
// the answer, and what is asserted of it is written again as it was.
func TestWrittenIsFollowed(t *testing.T) {
	data, err := os.ReadFile("testdata/written.go")
	if err != nil {
		t.Fatal(err)
	}
	want := ``
	if text := shown(wrote(t, string(data))); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}
