package volatility

import (
	"iter"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// TestDroppedWarning sees that a map says of each pass what its recorder dropped.
func TestDroppedWarning(t *testing.T) {
	rec := exchange.Recording{Passes: []exchange.Pass{{Number: 1, Dropped: 12}, {Number: 2}}}
	none := iter.Seq2[exchange.Step, error](func(func(exchange.Step, error) bool) {})
	m, err := Judge(rec, nil, none, nil, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := "pass 1 lacks 12 exchanges, which the recorder dropped when it was overloaded"
	if len(m.Warnings) != 2 || m.Warnings[0] != want {
		t.Errorf("the warnings are %q", m.Warnings)
	}
}
