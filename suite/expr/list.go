package expr

import (
	"math/big"
	"slices"
)

func (s Scope) slice(x Slice) (any, error) {
	v, err := s.Eval(x.X)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case string:
		runes := []rune(v)
		from, to, err := s.bounds(x, len(runes))
		return string(runes[from:to]), err
	case Items:
		from, to, err := s.bounds(x, len(v))
		return v[from:to:to], err
	}
	return nil, NotKnown("a slice of what is no text and no array")
}

// bounds are those of a piece of so many elements.
func (s Scope) bounds(x Slice, size int) (from, to int, err error) {
	bound := func(e Expr, otherwise int) (int, error) {
		if e == nil {
			return otherwise, nil
		}
		n, err := s.Eval(e)
		i, ok := n.(*big.Int)
		if err != nil || !ok || !i.IsInt64() {
			return 0, NotKnown("a slice")
		}
		at := i.Int64()
		if at < 0 {
			at = max(0, at+int64(size))
		}
		return int(min(at, int64(size))), nil
	}
	if from, err = bound(x.From, 0); err != nil {
		return 0, 0, err
	}
	if to, err = bound(x.To, size); err != nil {
		return 0, 0, err
	}
	return from, max(from, to), nil
}

// total is the sum of the numbers of an array, from the first on.
func total(v any) (any, error) {
	items, ok := v.(Items)
	if !ok {
		return nil, NotKnown("the sum of what is no array")
	}
	var sum any = new(big.Int)
	for _, item := range items {
		next, ok := plus(sum, item)
		if !ok {
			return nil, NotKnown("the sum of such values")
		}
		sum = next
	}
	return sum, nil
}

// plus adds two numbers: as floats, where one is such.
func plus(x, y any) (any, bool) {
	m, okM := x.(*big.Int)
	n, okN := y.(*big.Int)
	if okM && okN {
		return new(big.Int).Add(m, n), true
	}
	a, okA := floatOf(x)
	b, okB := floatOf(y)
	return a + b, okA && okB
}

// floatOf is a number as a float of 64 bits.
func floatOf(v any) (float64, bool) {
	switch v := v.(type) {
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		return f, true
	case float64:
		return v, true
	}
	return 0, false
}

// OfEach says something of all elements of the list that each goes over; false where it is not about these, as a loop
// over them may not run at all.
func OfEach(said Expr, each Each) (Expr, bool) {
	if !About(said, Name{ID: each.Var}) {
		return nil, false
	}
	each.Elem = said
	return All{X: each}, true
}

// OfElement is what is left to say of an element in a loop over the list that each goes over, where no more is said
// than something of all its elements, behind guards or not; false where there is more.
func OfElement(x Expr, each Each) (Expr, bool) {
	switch x := x.(type) {
	case And:
		var all []Expr
		for _, y := range x.Xs {
			one, ok := OfElement(y, each)
			if !ok {
				return nil, false
			}
			all = append(all, one)
		}
		return AllOf(all...), true
	case Or:
		last := len(x.Xs) - 1
		one, ok := OfElement(x.Xs[last], each)
		return AnyOf(append(append([]Expr{}, x.Xs[:last]...), one)...), ok
	case All:
		of, ok := x.X.(Each)
		return of.Elem, ok && of.Var == each.Var && of.Cond == nil && Identical(of.List, each.List)
	}
	return nil, false
}

// LookedAt is the value that a condition is about; nil where that is not one.
func LookedAt(x Expr) Expr {
	switch x := x.(type) {
	case Compare:
		if IsLiteral(x.X) {
			return x.Y
		}
		return x.X
	case Between:
		return x.X
	case Match:
		return x.X
	case HasPrefix:
		return x.X
	case HasSuffix:
		return x.X
	case SameItems:
		return x.X
	case Not:
		return LookedAt(x.X)
	}
	return nil
}

// Memberwise says of two objects that are both written out, with the same members, that these are equal one by one; nil
// of any others.
func Memberwise(x Compare) (says []Expr) {
	a, isObject := x.X.(Object)
	b, too := x.Y.(Object)
	if !isObject || !too || len(a.Keys) != len(b.Keys) {
		return nil
	}
	for i, key := range a.Keys {
		at := slices.Index(b.Keys, key)
		if at < 0 {
			return nil
		}
		says = append(says, Same(a.Values[i], b.Values[at]))
	}
	return says
}

// IsPiece reports whether an expression is a piece of a text or an array.
func IsPiece(x Expr) bool {
	_, ok := x.(Slice)
	return ok
}
