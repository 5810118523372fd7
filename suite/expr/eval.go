package expr

import (
	"errors"
	"math"
	"math/big"
	"regexp"
	"strings"

	"github.com/flaketap/flaketap/internal/wire"
)

// Holds evaluates an assertion. Where evaluating it raises an error it is false; err is [ErrUnknown] where it cannot be
// said.
func (s Scope) Holds(x Expr) (bool, error) {
	v, err := s.Eval(x)
	if IsRaised(err) {
		return false, nil
	}
	return err == nil && isTrue(v), err
}

// Eval gives an expression its value; see [Items] for the types that it may have. The error is [ErrRaised] or
// [ErrUnknown].
func (s Scope) Eval(x Expr) (any, error) {
	switch x := x.(type) {
	case Str:
		return x.Value, nil
	case Num:
		if v, ok := Number(x.Text); ok {
			return v, nil
		}
		return nil, NotKnown("the number %s", x.Text)
	case Bool:
		return x.Value, nil
	case Null:
		return nil, nil
	case Inf:
		if x.Negative {
			return math.Inf(-1), nil
		}
		return math.Inf(1), nil
	case Name:
		return s.name(x.ID)
	case Undefined:
		return nil, Raised("%s is not defined", x.ID)
	case Answer:
		return s.answer(x)
	case Index:
		return s.index(x)
	case Get:
		return s.get(x)
	case Slice:
		return s.slice(x)
	case List:
		return s.all(x.Elems)
	case Set:
		return s.all(x.Elems)
	case Object:
		return s.object(x)
	case Each:
		return s.each(x)
	case Ordered:
		return s.ordered(x)
	case If:
		ok, err := s.Holds(x.Cond)
		switch {
		case err != nil:
			return nil, err
		case ok:
			return s.Eval(x.Then)
		}
		return s.Eval(x.Else)
	case Arith:
		return s.arith(x)
	}
	if operand, of := operation(x); of != nil {
		v, err := s.Eval(operand)
		if err != nil {
			return nil, err
		}
		return of(v)
	}
	return s.condition(x)
}

// condition evaluates what is true or false, and of more than one operand.
func (s Scope) condition(x Expr) (any, error) {
	switch x := x.(type) {
	case Compare:
		return s.compare(x.X, x.Op, x.Y)
	case Between:
		v, err := s.compare(x.Low, Le, x.X)
		if err != nil || v != true {
			return false, err
		}
		return s.compare(x.X, Le, x.High)
	case And:
		return s.logic(x.Xs, isFalse)
	case Or:
		return s.logic(x.Xs, isTrue)
	case HasPrefix:
		return s.affix(x.X, x.Prefix, strings.HasPrefix)
	case HasSuffix:
		return s.affix(x.X, x.Suffix, strings.HasSuffix)
	case SameItems:
		return s.sameItems(x)
	case Unknown:
		if _, err := s.all(x.Operands); err != nil {
			return nil, err
		}
		return nil, NotKnown("%s", x.What)
	}
	return nil, NotKnown("an expression of an unknown form")
}

// operation takes an operation on one value apart: the operand, and what is done with its value; nil for any other
// node.
func operation(x Expr) (operand Expr, of func(v any) (any, error)) {
	switch x := x.(type) {
	case Not:
		return x.X, func(v any) (any, error) { return !isTrue(v), nil }
	case Neg:
		return x.X, negative
	case Len:
		return x.X, func(v any) (any, error) {
			if n, ok := length(v); ok {
				return big.NewInt(int64(n)), nil
			}
			return nil, Raised("what has no length")
		}
	case Length:
		return x.X, jsLength
	case Bytes:
		return x.X, bytesOf
	case ToText:
		return x.X, toText
	case TokenPart:
		return x.X, x.decoded
	case Links:
		return x.X, linksOf
	case Total:
		return x.X, total
	case Trim:
		return x.X, trimmed
	case Without:
		return x.X, x.left
	case Any:
		return x.X, func(v any) (any, error) { return some(v, isTrue) }
	case All:
		return x.X, func(v any) (any, error) {
			found, err := some(v, isFalse)
			return !found, err
		}
	case IsType:
		return x.X, func(v any) (any, error) {
			for _, t := range x.Types {
				if isOf(v, t) {
					return true, nil
				}
			}
			return false, nil
		}
	case Match:
		return x.X, x.matches
	case IsDigits:
		return x.X, isDigits
	case InOrder:
		return x.X, inOrder
	case IsURI:
		return x.X, func(v any) (any, error) { return validURI(v), nil }
	case IsEmpty:
		return x.X, func(v any) (any, error) {
			n, ok := length(v)
			return n == 0 || !ok, nil
		}
	}
	return nil, nil
}

// bytesOf is the value of a [Bytes].
func bytesOf(v any) (any, error) {
	text, err := textOf(v)
	return wire.Latin1(text), err
}

// isDigits is the value of an [IsDigits].
func isDigits(v any) (any, error) {
	text, err := textOf(v)
	return text != "" && strings.Trim(text, "0123456789") == "", err
}

// trimmed is a text without the white space around it.
func trimmed(v any) (any, error) {
	text, err := textOf(v)
	if err != nil {
		return nil, err
	}
	return strings.TrimSpace(text), nil
}

func (s Scope) all(xs []Expr) (Items, error) {
	out := make(Items, 0, len(xs))
	for _, x := range xs {
		v, err := s.Eval(x)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func (s Scope) object(x Object) (any, error) {
	out := make(map[string]any, len(x.Keys))
	for i, k := range x.Keys {
		v, err := s.Eval(x.Values[i])
		if err != nil {
			return nil, err
		}
		out[k] = v
	}
	return out, nil
}

func (s Scope) name(id string) (any, error) {
	v, ok := s[id]
	if !ok {
		return nil, NotKnown("the name %s", id)
	}
	switch v := v.(type) {
	case Failure:
		return nil, v.Err
	case *Response:
		if v.failed() {
			return nil, Raised("the call of %s failed", id)
		}
	}
	return v, nil
}

func (s Scope) answer(x Answer) (any, error) {
	v, err := s.name(x.Var)
	if err != nil {
		return nil, err
	}
	r, ok := v.(*Response)
	if !ok {
		switch v.(type) {
		case string, map[string]any:
			return nil, NotKnown("a part of what is no answer")
		}
		return nil, Raised("%s is no answer", x.Var)
	}
	switch x.Part {
	case Status:
		return big.NewInt(int64(r.message.Status)), nil
	case Headers:
		return headers{r}, nil
	case Text:
		return r.text()
	}
	return r.JSON()
}

func (s Scope) index(x Index) (any, error) {
	v, err := s.Eval(x.X)
	if err != nil {
		return nil, err
	}
	i, err := s.Eval(x.I)
	if err != nil {
		return nil, err
	}
	key, isKey := i.(string)
	switch v := v.(type) {
	case map[string]any:
		if e, ok := v[key]; ok && isKey {
			return e, nil
		}
		return nil, Raised("no key %q", key)
	case headers:
		if value, ok := v.header(key); ok && isKey {
			return value, nil
		}
		return nil, Raised("no header %q", key)
	case Items:
		n, ok := i.(*big.Int)
		if !ok || !n.IsInt64() {
			return nil, Raised("no index")
		}
		at := n.Int64()
		if at < 0 {
			at += int64(len(v))
		}
		if at < 0 || at >= int64(len(v)) {
			return nil, Raised("no element %d", at)
		}
		return v[at], nil
	case string:
		return nil, NotKnown("a character of a string")
	}
	return nil, Raised("no elements")
}

func (s Scope) get(x Get) (any, error) {
	otherwise := x.Default
	if otherwise == nil {
		otherwise = Null{}
	}
	values, err := s.all([]Expr{x.X, x.Key, otherwise})
	if err != nil {
		return nil, err
	}
	key, isKey := values[1].(string)
	switch of := values[0].(type) {
	case headers:
		if value, ok := of.header(key); ok && isKey {
			return value, nil
		}
	case map[string]any:
		if e, ok := of[key]; ok && isKey {
			return e, nil
		}
	default:
		return nil, Raised("no members")
	}
	return values[2], nil
}

func (s Scope) arith(x Arith) (any, error) {
	values, err := s.all([]Expr{x.X, x.Y})
	if err != nil {
		return nil, err
	}
	if t, ok := values[0].(string); ok && x.Op == Add {
		if u, ok := values[1].(string); ok {
			return t + u, nil
		}
		return nil, Raised("a string and something else added")
	}
	m, okM := values[0].(*big.Int)
	n, okN := values[1].(*big.Int)
	switch {
	case !okM || !okN:
	case x.Op == Add:
		return new(big.Int).Add(m, n), nil
	case x.Op == Subtract:
		return new(big.Int).Sub(m, n), nil
	case n.Sign() > 0:
		return new(big.Int).Div(m, n), nil
	}
	return nil, NotKnown("arithmetic of such values")
}

func (s Scope) compare(x Expr, op Op, y Expr) (any, error) {
	values, err := s.all([]Expr{x, y})
	if err != nil {
		return nil, err
	}
	return relate(values[0], op, values[1])
}

// logic evaluates conditions up to the first that decides, and gives the value of the last of these.
func (s Scope) logic(xs []Expr, decides func(any) bool) (any, error) {
	var v any
	for _, x := range xs {
		var err error
		if v, err = s.Eval(x); err != nil {
			return nil, err
		}
		if decides(v) {
			break
		}
	}
	return v, nil
}

// some reports whether a condition holds of an element of an array.
func some(v any, holds func(any) bool) (bool, error) {
	items, ok := v.(Items)
	if !ok {
		return false, Raised("nothing to go through")
	}
	for _, e := range items {
		if holds(e) {
			return true, nil
		}
	}
	return false, nil
}

func (s Scope) each(x Each) (any, error) {
	v, err := s.Eval(x.List)
	if err != nil {
		return nil, err
	}
	items, ok := v.(Items)
	if !ok {
		return nil, Raised("nothing to go through")
	}
	inner := make(Scope, len(s)+1)
	for k, v := range s {
		inner[k] = v
	}
	out := Items{}
	for _, e := range items {
		inner[x.Var] = e
		if x.Cond != nil {
			c, err := inner.Eval(x.Cond)
			if x.Lenient && errors.Is(err, ErrRaised) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if !isTrue(c) {
				continue
			}
		}
		v, err := inner.Eval(x.Elem)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func (s Scope) affix(x, affix Expr, has func(s, affix string) bool) (any, error) {
	values, err := s.all([]Expr{x, affix})
	if err != nil {
		return nil, err
	}
	text, err := textOf(values[0])
	if err != nil {
		return nil, err
	}
	part, ok := values[1].(string)
	return ok && has(text, part), nil
}

// matches holds a value against the regular expression.
func (m Match) matches(v any) (any, error) {
	text, ok := v.(string)
	if !ok {
		return nil, Raised("what is matched is no string")
	}
	pattern := m.Pattern
	if m.Full {
		pattern = `\A(?:` + pattern + `)\z`
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, NotKnown("the pattern %s", pattern)
	}
	return re.MatchString(text), nil
}
