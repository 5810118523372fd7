package jvm

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
	s, err := script.Read(WrittenJava(), "ItTest.java", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// shown lists the tests of a script: what they send and what they assert, and whether that can be written again.
func shown(s *script.Script) string {
	var got []string
	for _, test := range s.Tests {
		skipped := ""
		if test.Skipped {
			skipped = " skipped"
		}
		got = append(got, test.Name+skipped)
		for _, c := range test.Calls {
			got = append(got, strings.TrimSpace(fmt.Sprintf("  %s %s %s", c.Method, strings.ReplaceAll(c.Target, "\x00", "?"), c.Body)))
		}
		for _, a := range test.Assertions {
			if a.Reason != "" {
				got = append(got, fmt.Sprintf("  %d not: %s", a.Line, a.Reason))
				continue
			}
			got = append(got, fmt.Sprintf("  %d of %d %s %s %s", a.Line, a.Call, a.Relation, a.Place, a.Value))
		}
	}
	return strings.Join(got, "\n")
}

// A value that comes from an answer by way of variables, fields and methods of the file is followed to the place of the
// answer.
func TestWrittenIsFollowed(t *testing.T) {
	data, err := os.ReadFile("testdata/WrittenTest.java")
	if err != nil {
		t.Fatal(err)
	}
	if got := shown(wrote(t, string(data))); got != "" {
		t.Errorf("got\n%s", got)
	}
}
