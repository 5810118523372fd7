package volatility

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/verdict"
)

// InParts judges in parts what Judge judges.
func InParts(m Material, parts int) (*mapfile.Map, error) {
	d, err := NewDivider(&m.Case, parts)
	if err != nil {
		return nil, err
	}
	pieces := make([][]Piece, parts)
	for _, s := range m.Steps {
		_ = d.Take(s, func(part int, p Piece) error {
			pieces[part] = append(pieces[part], p)
			return nil
		})
	}
	part := m.Case
	part.Operations = m.Producers()
	var all []*verdict.Operation
	for _, own := range pieces {
		given := func(yield func(Piece, error) bool) {
			for _, p := range own {
				if !yield(p, nil) {
					return
				}
			}
		}
		found, err := JudgePart(&part, given, d.Totals)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return d.Map(all), nil
}

// Encoded is a map with all places.
func Encoded(t testing.TB, m *mapfile.Map) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Encode(&b, mapfile.EncodeOptions{All: true}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// divided makes sure, for an API of any test, that its map does not depend on how many parts it is judged in. Its
// exchanges are of several operations there, one after the other.
func (a *api) divided(t testing.TB, m Material) {
	t.Helper()
	for s, err := range a.all() {
		if err != nil {
			t.Fatal(err)
		}
		m.Steps = append(m.Steps, s)
	}
	operations := map[uint64]exchange.Operation{}
	for _, s := range m.Steps {
		op := exchange.Operation{Method: s.Exchange.Request.Method}
		op.Template = fmt.Sprintf("/things%d/{id}", exchange.Exact(s.Exchange)[0]%3)
		operations[s.Exchange.Seq] = op
	}
	m.Operations = operations
	again := func(yield func(exchange.Step, error) bool) {
		for _, s := range m.Steps {
			if !yield(s, nil) {
				return
			}
		}
	}
	whole, err := m.Case.Judge(again)
	if err != nil {
		t.Fatal(err)
	}
	want := Encoded(t, whole)
	for _, parts := range []int{1, 2, 3} {
		got, err := InParts(m, parts)
		if errors.Is(err, ErrWhole) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(Encoded(t, got), want) {
			t.Errorf("in %d parts it is another map:\n%s", parts, cmp.Diff(string(want), string(Encoded(t, got))))
		}
	}
}
