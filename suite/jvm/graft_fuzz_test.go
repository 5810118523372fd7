package jvm

import (
	"os"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// FuzzGraft gives a set-up to each test of what is no suite, or a damaged one.
func FuzzGraft(f *testing.F) {
	for i, file := range []string{"../testdata/handset/cases.java", "../testdata/handset/cases.kt"} {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range strings.Split(string(data), "\n=== ")[1:] {
			_, source, _ := strings.Cut(c, "\n")
			source, _, _ = strings.Cut(source, "\n---")
			f.Add(source, i == 1)
		}
	}
	f.Fuzz(func(t *testing.T, source string, kotlin bool) {
		d, name := WrittenJava(), "T.java"
		if kotlin {
			d, name = WrittenKotlin(), "T.kt"
		}
		s, err := script.Read(d, name, []byte(source))
		if err != nil {
			return
		}
		for _, test := range s.Tests {
			graft(t, s, test)
		}
	})
}

// graft gives a set-up to a test, if it can have one: what is written stands within the file.
func graft(t *testing.T, s *script.Script, test *script.Test) {
	g := s.Writer.Graft
	parts := []script.TextPart{{Text: "/items/"}, {Variable: "setup_id"}}
	for _, c := range test.Calls {
		c.SentTarget = "/items/4"
		edits, _ := g.Bind(s, c, "/items/4", parts)
		script.Apply(s.Text, edits)
	}
	x := script.SetUpRequest{Var: "setup_0", Method: "POST", Target: []script.TextPart{{Text: "/items"}}, Status: 201,
		Headers: []script.HeaderField{{Name: "Content-Type", Value: []script.TextPart{{Text: "application/json"}}}},
		Body:    []script.TextPart{{Text: `{"a": "` + strings.Repeat("x", 100) + `"}`}},
		Captures: []script.Capture{{Name: "setup_id", Place: exchange.Place("/body/id"),
			Steps: []expr.Expr{expr.Str{Value: "id"}}}}}
	clean := script.SetUpRequest{Var: "cleanup_0", Method: "DELETE", Target: parts}
	g.Shares(s, test)
	if g.Refused(s, test) != "" || !g.Able(s, test, x) || !g.Able(s, test, clean) {
		return
	}
	open, end := g.SetUp(s, test, []script.SetUpRequest{x}, []script.SetUpRequest{clean})
	for _, e := range g.Place(s, test, open, end, nil) {
		if e.Start < 0 || e.End < e.Start || e.End > len(s.Text) {
			t.Errorf("%+v is not within the file", e)
		}
	}
}
