package handset

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/script"
)

// A variable takes the place of a text where that stands by itself, whole or within a literal, and of nothing else.
func TestEverywhere(t *testing.T) {
	words := Words{Number: func(v string) string { return "int(" + v + ")" },
		Text: func(source string, l Literal, holes []Hole) (string, bool) {
			return "f" + source[l.Start:l.From] + Replaced(source, l.From, l.To, holes, func(v string) string { return "{" + v + "}" },
				func(s string) string { return s }) + source[l.To:l.End], true
		}}
	for _, c := range []struct {
		source string
		uncut  bool // its literals cannot be cut
		but    string
		want   string // "" for none that can be written
	}{
		{source: `a("ada@x.org")`, want: `a(v)`},
		{source: `a("ada@x.org", "ada@x.org")`, want: `a(v, v)`},
		{source: `a("/u?email=ada@x.org&n=1")`, want: `a(f"/u?email={v}&n=1")`},
		{source: `a("grada@x.org", "ada@x.orgs", "x-ada@x.org")`, want: `a("grada@x.org", "ada@x.orgs", "x-ada@x.org")`},
		{source: `a("ada@x.org") b("ada@x.org")`, but: `b("ada@x.org")`, want: `a(v) b("ada@x.org")`},
		{source: `a("to ada@x.org")`, uncut: true},
	} {
		var literals []Literal
		for at := 0; ; {
			n := strings.IndexByte(c.source[at:], '"')
			if n < 0 {
				break
			}
			from := at + n + 1
			to := from + strings.IndexByte(c.source[from:], '"')
			literals = append(literals, Literal{Start: from - 1, End: to + 1, From: from, To: to, Plain: true, Cut: !c.uncut})
			at = to + 1
		}
		var but []script.Span
		if n := strings.Index(c.source, c.but); c.but != "" {
			but = []script.Span{{Start: n, End: n + len(c.but)}}
		}
		edits, ok := Everywhere(c.source, literals, "ada@x.org", "v", but, words)
		got := ""
		if ok {
			got = script.Apply(c.source, edits)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.source, got, c.want)
		}
	}
}
