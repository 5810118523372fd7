package verify

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Several suites need a command that tells them apart, and a command with a place for one needs one.
func TestSuites(t *testing.T) {
	for _, c := range []struct {
		names, command []string
		want           []Suite
		fault          string
	}{
		{nil, []string{"bin/tests"}, []Suite{{Name: "tests"}}, ""},
		{[]string{"a", "b"}, []string{"pytest", "{}"}, []Suite{{"a", "a"}, {"b", "b"}}, ""},
		{[]string{"a", "b"}, []string{"sh", "-c", "pytest $FLAKETAP_SUITE"}, []Suite{{"a", "a"}, {"b", "b"}}, ""},
		{nil, []string{"pytest", "{}"}, nil, "needs a SUITE"},
		{[]string{"a", "b"}, []string{"pytest"}, nil, "where the suite belongs"},
		{[]string{"a", "a"}, []string{"pytest", "{}"}, nil, "twice"},
	} {
		got, err := Suites(c.names, c.command)
		if (err != nil) != (c.fault != "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%q, %q: %v", c.names, c.command, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q, %q: %s", c.names, c.command, diff)
		}
	}
}
