package search

import (
	"slices"
	"strings"
	"testing"
)

// Words are known to stand together by what languages list them with.
func TestSisters(t *testing.T) {
	for name, text := range map[string]string{
		"a dict of Python":    "STATES = {\n    \"NEW\": \"announced\",  # not \"SENT\"\n    \"HELD\": \"held\",\n}\n",
		"values of a dict":    "names = {\"a\": \"NEW\", \"b\": \"HELD\"}\n",
		"a set":               "known = set(['NEW', 'HELD'])\n",
		"a switch of Go":      "switch v.State {\ncase \"NEW\":\n\treturn 1\ncase \"HELD\", \"LOST\":\n\treturn 2\n}\n",
		"arms of Java":        "return switch (state) {\n  case \"NEW\" -> 1;\n  case \"HELD\" -> 2;\n  default -> 3;\n};\n",
		"arms of Kotlin":      "when (state) {\n  \"NEW\" -> 1\n  \"HELD\" -> 2\n}\n",
		"arms of Rust":        "match state {\n  \"NEW\" => 1,\n  \"HELD\" => 2,\n}\n",
		"a map of JavaScript": "const days = new Map([['NEW', 1], ['HELD', 2]]);\nconst also = { 'NEW': 1, 'HELD': 2 };\n",
		"comparisons":         "if state == \"NEW\":\n    pass\nelif state == \"HELD\":\n    pass\n",
	} {
		got := wordsOf(text).sisters("NEW")
		if !slices.Contains(got, "HELD") || slices.Contains(got, "SENT") || slices.Contains(got, "NEW") {
			t.Errorf("%s: with NEW are listed %q", name, got)
		}
	}
	if got := wordsOf("a = [\"NEW\"]\nb = [\"HELD\"]\n").sisters("NEW"); len(got) > 0 {
		t.Errorf("of another list are listed %q", got)
	}
}

// A name is looked up in the tables that are named where it stands, wherever these are.
func TestLookedUp(t *testing.T) {
	tables := "STATES = {\"NEW\": 1, \"HELD\": 2}\nOTHERS = {\"A\": 1, \"B\": 2}\nout = {\"x\": 1, \"y\": 2}\n" + apart(50)
	for _, use := range []string{"if status not in STATES:", "STATES[status]", "STATES.get(status)", "STATES.has(status)"} {
		w := wordsOf(tables + "status = read(\"status\")\n" + use + "\nout[\"z\"] = 1\n")
		if got := w.lookedUp("status"); !slices.Equal(got, []string{"NEW", "HELD"}) {
			t.Errorf("%s: the status is looked up in %q", use, got)
		}
	}
	w := wordsOf("type verdict struct {\n\tDecision string `json:\"decision\"`\n}\n" + apart(50) + "switch v.Decision {\ncase \"yes\":\ncase \"no\":\n}\n")
	if got := w.lookedUp("decision"); !slices.Equal(got, []string{"yes", "no"}) {
		t.Errorf("the decision is one of %q", got)
	}
}

// Names that are read of one thing are known to be, however that is written.
func TestPeers(t *testing.T) {
	for name, text := range map[string]string{
		"a method":           "s.read(\"status\")\ns.read(\"grams\")\n",
		"a key":              "s[\"status\"]\ns['grams']\n",
		"members":            "s.status\ns.grams\n",
		"a function":         "want('a', s, 'status', 'string')\nwant('a', s, 'grams', 'number')\n",
		"a struct of Go":     "type s struct {\n\tA string `json:\"status\"`\n\tB int `json:\"grams\"`\n}\ntype o struct {\n\tC int `json:\"far\"`\n}\n",
		"of another a third": "s.get(\"status\")\nother.get(\"far\")\ns.get(\"grams\")\n",
	} {
		if got := wordsOf(text).peers("status"); !slices.Contains(got, "grams") || slices.Contains(got, "far") {
			t.Errorf("%s: peers of the status are %q", name, got)
		}
	}
}

// A comment that never ends is read on for once.
func BenchmarkOpenComments(b *testing.B) {
	text := []byte(strings.Repeat("/*a\n", 1<<16))
	for b.Loop() {
		new(Words).Add(text)
	}
}
