package syntax

import (
	"strings"
	"testing"
)

// The statements of a line are told apart, but for a line that begins a block or asserts something.
func TestParts(t *testing.T) {
	for line, want := range map[string]string{
		"add(1)":                      "add ( 1 )",
		"add(1);":                     "add ( 1 ) ;",
		"add(1); add(2)":              "add ( 1 ) | add ( 2 )",
		"a = get(); b = a[';']; c":    "a = get ( ) | b = a [ ; ] | c",
		"x = [1, (2)]; ; y":           "x = [ 1 , ( 2 ) ] | y",
		"r = get(); assert r.ok":      "r = get ( ) ; assert r . ok",
		"r = get(); self.assertOk(r)": "r = get ( ) ; self . assertOk ( r )",
		"if x: add(1); add(2)":        "if x : add ( 1 ) ; add ( 2 )",
		"f = lambda x: x; add(1)":     "f = lambda x : x ; add ( 1 )",
		"d = {1: 2}; add(d[1:2])":     "d = { 1 : 2 } | add ( d [ 1 : 2 ] )",
	} {
		all, err := Statements("test.py", line)
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %d statements, %v", line, len(all), err)
		}
		var got []string
		for _, part := range all[0].Parts() {
			var texts []string
			for _, token := range part.Tokens {
				texts = append(texts, token.Text)
			}
			got = append(got, strings.Join(texts, " "))
		}
		if got := strings.Join(got, " | "); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}
