package flow

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
)

// TestBodyShape: bodies of one outline have one shape, and what differs in scalars alone has one outline.
func TestBodyShape(t *testing.T) {
	of := func(body string) *exchange.Response {
		return &exchange.Response{Message: exchange.Message{Body: []byte(body), Plain: true}}
	}
	piece := rapid.SampledFrom([]string{`{`, `}`, `[`, `]`, `,`, `:`, ` `, `"a"`, `"b"`, `"a":`, `"b" :`, `1`, `0`, `01`, `-1.50`, `1e5`, `.5`, `true`, `null`, `"\\n"`, `"`, "\x01"})
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) string { return strings.Join(rapid.SliceOfN(piece, 0, 9).Draw(t, name), "") }
		x, y := draw("x"), draw("y")
		if rapid.Bool().Draw(t, "alike") {
			y = strings.NewReplacer(`1`, `27`, `"b"`, `"other"`).Replace(x)
		}
		a, okA := outlineOf(of(x))
		b, okB := outlineOf(of(y))
		if okA && okB && a == b && shapeOf(of(x)) != shapeOf(of(y)) {
			t.Fatalf("%s and %s have one outline, but not one shape", x, y)
		}
		known := bodyShape{of: of(x)}
		if known.alike(of(y)) != (shapeOf(of(x)) == shapeOf(of(y))) {
			t.Fatalf("%s and %s", x, y)
		}
	})
	for _, pair := range [][2]string{
		{`{"at":"2026-01-02","n":[1,10.00],"on":true}`, `{"at":"2027","n":[22222,9.99],"on":true}`},
		{`{"a" : "b", "c":0}`, `{"a" : "x", "c":7}`},
	} {
		a, okA := outlineOf(of(pair[0]))
		b, okB := outlineOf(of(pair[1]))
		if !okA || !okB || a != b {
			t.Errorf("%s and %s have different outlines", pair[0], pair[1])
		}
	}
}
