package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// sharing is a map of eight operations that share a request id, but for one; each second one has a place of its own.
func sharing() *mapfile.Map {
	m := &mapfile.Map{}
	for i := range 8 {
		op := &mapfile.Operation{Operation: exchange.Operation{Method: "GET", Template: fmt.Sprintf("/o%d", i)}, Status: 200, Exchanges: 1}
		if i%2 == 0 {
			op.Fields = append(op.Fields, &mapfile.Field{Place: "/body/n", Judgement: mapfile.Jitter, Category: mapfile.Rand, Changed: 1, Of: 10, Bound: 0.4})
		}
		if i != 3 {
			op.Fields = append(op.Fields, &mapfile.Field{Place: "/header/x-request-id", Judgement: mapfile.Jitter, Category: mapfile.Rand,
				Changed: 10, Of: 10, Bound: 1, Evidence: []string{"moved:10/10", "shape:hex"}, Samples: []json.RawMessage{[]byte(`"00ff"`)},
				Holds: mapfile.Holds{Type: "string", Format: "hex:16"}})
		}
		m.Operations = append(m.Operations, op)
	}
	m.Recount()
	return m
}

// TestCommonIsShownOnce: a place that most operations share is one line of the report and of the forms for people, which
// name the operations that lack it; the figures count it in each.
func TestCommonIsShownOnce(t *testing.T) {
	in := Input{Map: sharing()}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text":     func(b *bytes.Buffer) error { return Text(b, in) },
		"markdown": func(b *bytes.Buffer) error { return WriteMap(b, "markdown", in.Map, FormOptions{}) },
		"csv":      func(b *bytes.Buffer) error { return WriteMap(b, "csv", in.Map, FormOptions{}) },
		"yaml":     func(b *bytes.Buffer) error { return WriteMap(b, "yaml", in.Map, FormOptions{}) },
		"json":     func(b *bytes.Buffer) error { return WriteMap(b, "json", in.Map, FormOptions{}) },
		"lock":     func(b *bytes.Buffer) error { return WriteMap(b, "lock", in.Map, FormOptions{}) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if n := strings.Count(text, "x-request-id"); n != 1 {
			t.Errorf("%s: the request id stands %d times in it\n%s", name, n, text)
		}
		switch name {
		case "text":
			for _, want := range []string{"most operations", "in 7 of 8 operations", "11 volatile places of 11, in 7 of 8 operations"} {
				if !strings.Contains(text, want) {
					t.Errorf("%s: %q is not in it\n%s", name, want, text)
				}
			}
		default:
			if !strings.Contains(text, "GET /o3 200") {
				t.Errorf("%s: the operation that lacks it is not named\n%s", name, text)
			}
		}
	}
}
