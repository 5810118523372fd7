package flow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
)

// Outlines are grouped and named as the exchanges are that they were made of, and hold nothing of their bodies.
func TestOutline(t *testing.T) {
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, "> POST /orders\n< 201\nContent-Type: application/json\n={\"id\":%d,\"note\":\"%s\"}\n", 100+i, strings.Repeat("x", 500))
		fmt.Fprintf(&b, "> GET /orders/%d\n< 200\nContent-Type: application/json\n={\"id\":%d,\"note\":\"x\"}\n", 100+i, 100+i)
	}
	// Words in the place of an id: one that answers as ids do, and two routes of their own.
	b.WriteString("> GET /orders/special\n< 200\n={\"id\":1,\"note\":\"x\"}\n")
	b.WriteString("> GET /orders/search\n< 200\n={\"hits\":[],\"total\":0}\n")
	b.WriteString("> GET /orders/export\n< 200\n=[1,2]\n> GET /orders/broken\n< 200\n={\"id\n")
	exchanges := script(t, b.String())
	for i, e := range exchanges {
		e.Conn = uint64(i + 1) // so that each sequence is named after one operation
		if i%5 == 4 {
			e.Addr = "other.example:1"
		}
	}
	bindings := Bindings(exchanges)
	var o Outliner
	var outlines []*exchange.Exchange
	for _, e := range exchanges {
		outline := o.Outline(e)
		if n := len(outline.Request.Head) + len(outline.Request.Body) + len(outline.Response.Head); n != 0 {
			t.Fatalf("the outline of %d keeps %d bytes", e.Seq, n)
		}
		if n := len(outline.Response.Body); n > 40 {
			t.Fatalf("the outline of %d keeps %d bytes of its body", e.Seq, n)
		}
		outlines = append(outlines, outline)
	}
	operations := Operations(exchanges, bindings)
	if d := cmp.Diff(operations, Operations(outlines, bindings)); d != "" {
		t.Errorf("operations of outlines (-whole +outline):\n%s", d)
	}
	if d := cmp.Diff(Sequences(exchanges, bindings, operations), Sequences(outlines, bindings, operations)); d != "" {
		t.Errorf("sequences of outlines (-whole +outline):\n%s", d)
	}
}
