package tables

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The words that a construct lists are told with the name by which it chooses, or the lines that look something up in it.
func TestRead(t *testing.T) {
	for text, want := range map[string][]Table{
		"fees = {'low': 1, 'high': 2}\nfee = fees[kind]\n":                 {{Words: []string{"low", "high"}, At: []int{2}}},
		"String[] fees = {\n\"low\", \"high\",\n};\nif (x in fees)":        {{Words: []string{"low", "high"}, At: []int{4}}},
		"var fees: Set<String> = of(\"low\", \"high\"); fees.contains(x)":  {{Words: []string{"low", "high"}, At: []int{1}}},
		"x = 1; switch (order.kind) { case 'low': a(); case 'high': b() }": {{Words: []string{"low", "high"}}},
		"switch (order.kind) { case 'low': a(); case 'high': b() }":        {{Words: []string{"low", "high"}, By: "kind"}},
		"switch (1) { case 'low': a(); case 'high': b() }":                 {{Words: []string{"low", "high"}}},
		"ask('low', 'high')": {{Words: []string{"low", "high"}}},
	} {
		if diff := cmp.Diff(want, Read(text, 1)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

// A file that is one long line, as of data or of what was packed, is read once, not once for each of its brackets.
func TestReadOfOneLine(t *testing.T) {
	row := `{"a": "low", "c": "high"},`
	if got := Read("["+strings.Repeat(row, 3000)+"]", 1); len(got) == 0 {
		t.Error("it has no tables")
	}
	if got := Read(strings.Repeat("(", 50_000), 1); len(got) != 0 {
		t.Errorf("brackets list %v", got)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("fees = {'low': 1, 'high': 2}\nswitch (kind) { case \"low\": }")
	f.Fuzz(func(t *testing.T, text string) {
		for _, one := range Read(text, 1) {
			if len(one.Words) < 2 || len(one.Words) > maxWords {
				t.Errorf("a table has the words %q", one.Words)
			}
		}
	})
}
