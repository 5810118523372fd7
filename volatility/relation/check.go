package relation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Check returns nil where a relation holds of a value and those of the places that Of lists, all as raw JSON tokens,
// and else what does not. Of count and total, of is given the tokens of all elements one after the other: those of
// Of[0] first. Orders of arrays are not looked at.
func (r Relation) Check(raw string, of ...string) error {
	x := valueOf(raw)
	row := []value{x}
	for _, o := range of {
		row = append(row, valueOf(o))
	}
	if x.kind == absent {
		return nil
	}
	ok := true
	switch r.Is {
	case Count:
		d, is := decimalOf(strconv.Itoa(len(of)))
		ok = is && x.kind == isDecimal && x.d.equal(d)
	case Total:
		ok = r.totals(x, row[1:])
	case Ascending, Descending:
	default:
		ok = r.relates(row)
	}
	if !ok {
		return fmt.Errorf("not %s of %s", r.Is, placesText(r.Of))
	}
	return nil
}

// CheckAll is [Relation.Check] of each value that an answer has at a place, own, and of those that it has at each place
// of Of, in their order, all as raw JSON tokens. It returns nil also where it cannot be told which of them belong
// together. elements returns how many elements an array has, and false for what is none that can be read.
func (r Relation) CheckAll(own []string, of [][]string, elements func(raw string) (n int, ok bool)) error {
	switch r.Is {
	case Count:
		if len(own) != 1 || len(of[0]) != 1 {
			return nil
		}
		n, ok := elements(of[0][0])
		if !ok {
			return nil
		}
		return r.Check(own[0], make([]string, n)...)
	case Total:
		if len(own) != 1 || len(of) > 1 && len(of[0]) != len(of[1]) {
			return nil
		}
		return r.Check(own[0], slices.Concat(of...)...)
	}
	for _, list := range of {
		if len(list) != len(own) {
			return nil // some elements have no such member
		}
	}
	for i, raw := range own {
		row := make([]string, len(of))
		for k := range of {
			row[k] = of[k][i]
		}
		if err := r.Check(raw, row...); err != nil {
			return err
		}
	}
	return nil
}

// CheckOrder returns nil where the values of an array's elements, as raw JSON tokens, are in the order that a relation
// states, and else that they are not.
func (r Relation) CheckOrder(elements []string) error {
	for i := 1; i < len(elements); i++ {
		order, ok := compareValues(valueOf(elements[i-1]), valueOf(elements[i]))
		if !ok || order > 0 && r.Is == Ascending || order < 0 && r.Is == Descending {
			return fmt.Errorf("not %s by %s", r.Is, placesText(r.Of))
		}
	}
	return nil
}

func placesText(places []exchange.Place) string {
	var b strings.Builder
	for i, p := range places {
		if i > 0 {
			b.WriteString(" and ")
		}
		b.WriteString(string(p))
	}
	return b.String()
}

// relates holds a relation of single values against a row: the value first, then the others.
func (r Relation) relates(row []value) bool {
	if len(row) != len(r.Of)+1 {
		return true
	}
	timed := r.timed(row)
	for i := range row {
		if row[i].kind == absent {
			return true // said of answers that have them all
		}
		if timed && !row[i].moment() {
			return false
		}
	}
	c := &candidate{kind: r.Is, a: 0, b: 1, c: -1}
	if len(row) > 2 {
		c.c = 2
	}
	if r.By != "" {
		var ok bool
		if c.by, ok = decimalOf(string(r.By)); !ok {
			return true
		}
	}
	s := &scope{vars: make([]*variable, len(row))}
	for i := range s.vars {
		s.vars[i] = &variable{timed: timed}
	}
	switch r.Is {
	case AtMost:
		c.kind, c.a, c.b = AtLeast, 1, 0
	case Difference: // p == a - b where a == p + b
		c.kind, c.a, c.b, c.c = Sum, 1, 0, 2
	}
	return s.check(c, row) != contradicted
}

// timed reports whether a relation is one of times.
func (r Relation) timed(row []value) bool {
	switch r.Is {
	case Offset, AtLeast, AtMost:
		return row[0].kind == isText
	}
	return false
}

// totals adds up the values of the elements of an array, or the products of two of them.
func (r Relation) totals(x value, all []value) bool {
	n := len(all) / max(1, len(r.Of))
	sum := decimal{}
	for i := range n {
		term := all[i]
		if term.kind != isDecimal {
			return true
		}
		d, ok := term.d, true
		if len(r.Of) > 1 {
			if all[n+i].kind != isDecimal {
				return true
			}
			d, ok = d.times(all[n+i].d)
		}
		if ok {
			sum, ok = sum.plus(d)
		}
		if !ok {
			return true
		}
	}
	return x.kind == isDecimal && x.d.rounded(sum, x.d.scale)
}
