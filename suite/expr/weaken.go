package expr

import (
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// MaxListed bounds how many different values a weakened statement lists.
const MaxListed = 6

// Learned says of a subject what a map says will hold of it, the strongest first: one of some values, the way that
// texts are written, the range of numbers. What is known of the way they are written is made as narrow as the texts
// that were seen bear, which are given once each.
func Learned(subject Expr, h mapfile.Holds, texts []string) []Expr {
	var out []Expr
	if n := len(h.OneOf); n > 0 && n <= MaxListed {
		var values []any
		for _, raw := range h.OneOf {
			v, err := ParseJSON(raw)
			if err != nil {
				return nil
			}
			values = append(values, v)
		}
		if set, ok := SetOf(values); ok {
			out = append(out, Compare{subject, In, set})
		}
	}
	pattern := unanchored(h.Pattern)
	if pattern == "" || h.Format == "jwt" { // its first letters are those of any
		pattern = notation.FormatPattern(h.Format)
		if narrow := notation.Narrow(pattern, texts); narrow != pattern {
			out = append(out, written(subject, narrow)...)
		}
	}
	if pattern != "" {
		out = append(out, written(subject, pattern)...)
	}
	if low, high := notation.EpochRange(h.Format); h.Type == "integer" && low != "" {
		out = append(out, whole(subject, Between{Num{low}, subject, Num{high}}))
	}
	var ranged Expr
	switch {
	case h.Min != "" && h.Max != "":
		ranged = Between{Numeral(h.Min.String()), subject, Numeral(h.Max.String())}
	case h.Min != "":
		ranged = Compare{subject, Ge, Numeral(h.Min.String())}
	default:
		return out
	}
	if h.Type == "integer" {
		ranged = whole(subject, ranged)
	}
	return append(out, ranged)
}

// written says of a text how it is written, if it is not null.
func written(subject Expr, pattern string) []Expr {
	match := Match{subject, pattern, true}
	return []Expr{match, Or{[]Expr{IsNull(subject), match}}}
}

// whole says of a number that it is a whole one, and more.
func whole(subject, more Expr) Expr {
	return And{[]Expr{IsType{subject, []Type{TypeInt}}, more}}
}

// SetOf is the set of scalars, in the order of how they are shown; ok is false where one is none.
func SetOf(values []any) (set Set, ok bool) {
	values = slices.Clone(values)
	slices.SortFunc(values, func(a, b any) int { return strings.Compare(Show(a), Show(b)) })
	for _, v := range values {
		x, ok := Literal(v)
		if !ok {
			return Set{}, false
		}
		set.Elems = append(set.Elems, x)
	}
	return set, true
}

// unanchored takes the anchors of a pattern off, which a [Match] of the whole text has of itself.
func unanchored(pattern string) string {
	return strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$")
}

// HoldsOf reports whether a statement about a subject is true of a value, which no execution needs to have.
func HoldsOf(statement, subject Expr, v any) bool {
	const value = "v"
	ok, err := Scope{value: v}.Holds(Subst(statement, subject, Name{value}))
	return ok && err == nil
}

// Shapes says of a subject what is true of some values by their types, and of texts by the way they are written, the
// strongest first. Of no values it says that they are null.
func Shapes(subject Expr, values []any) []Expr {
	var types []Type
	var texts []string
	for _, v := range values {
		if t := TypeOf(v); !slices.Contains(types, t) {
			types = append(types, t)
		}
		if s, ok := v.(string); ok && !slices.Contains(texts, s) {
			texts = append(texts, s)
		}
	}
	null := slices.Contains(types, TypeNull)
	types = slices.DeleteFunc(types, func(t Type) bool { return t == TypeNull })
	slices.Sort(types)
	if len(types) == 0 {
		return []Expr{IsNull(subject)}
	}
	var out []Expr
	if len(types) == 1 && types[0] == TypeString {
		out = textShapes(subject, texts)
	}
	out = append(out, IsType{subject, types})
	if null {
		for i, x := range out {
			out[i] = Or{[]Expr{IsNull(subject), x}}
		}
	}
	return out
}

// minDigits is how many digits must be seen in a row, over all texts, before they are taken for the digits of numbers:
// hex would have shown a letter, but for once in 80 thousand times.
const minDigits = 24

// textShapes says of texts how they are written: a known format, a digest, digits, letters that were drawn. Of their
// lengths nothing is said where no rule fixes them: a time loses its last zeros, a random number its first.
func textShapes(subject Expr, texts []string) []Expr {
	every := func(ok func(s string) bool) bool {
		return !slices.ContainsFunc(texts, func(s string) bool { return !ok(s) })
	}
	for _, f := range []string{"rfc3339", "rfc1123", "datetime", "date", "uuid4", "uuid", "hex:32", "hex:40", "hex:64",
		"hex:128"} {
		re := regexp.MustCompile(`\A(?:` + notation.FormatPattern(f) + `)\z`)
		if (len(texts) > 1 || !strings.HasPrefix(f, "hex")) && every(re.MatchString) {
			return []Expr{Match{subject, notation.Narrow(notation.FormatPattern(f), texts), true}}
		}
	}
	if len(strings.Join(texts, "")) >= minDigits &&
		every(func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }) {
		return []Expr{IsDigits{subject}}
	}
	if prefix := lettersOf(texts[0]); prefix != "" && every(func(s string) bool { return lettersOf(s) == prefix }) &&
		len(strings.Join(texts, "")) >= minDigits+len(texts)*len(prefix) {
		return []Expr{Match{subject, prefix + "[0-9]+", true}}
	}
	if every(isToken) {
		return []Expr{Match{subject, notation.FormatPattern("jwt"), true}}
	}
	if pattern := notation.SpellingOf(texts); pattern != "" {
		return []Expr{Match{subject, unanchored(pattern), true}}
	}
	return nil
}

// lettersOf is what a text of some letters and a number begins with: "SN" of "SN196345"; "" where it is none.
func lettersOf(text string) string {
	digits := strings.TrimLeft(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return ""
	}
	return text[:len(text)-len(digits)]
}

// MemberOf says of an array in any order that one of its elements is, or holds, a value which the subject, within the
// element that array is a step to, was expected to be.
func MemberOf(array Index, subject, value Expr) Expr {
	if Identical(subject, array) {
		return Compare{value, In, array.X}
	}
	const element = "e"
	return Compare{value, In, Each{Elem: Subst(subject, array, Name{element}), Var: element, List: array.X}}
}

// Paths lists the paths to where a value stands within another one, which begin with at; of objects in the order of
// their keys. tries bounds how many values are looked at, and counts down.
func Paths(root, v any, at Expr, tries *int) []Expr {
	if *tries--; *tries < 0 {
		return nil
	}
	var out []Expr
	switch root := root.(type) {
	case Items:
		for i, e := range root {
			out = append(out, Paths(e, v, Index{at, Int(i)}, tries)...)
		}
	case map[string]any:
		keys := make([]string, 0, len(root))
		for k := range root {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			out = append(out, Paths(root[k], v, Index{at, Str{k}}, tries)...)
		}
	default:
		if Equal(root, v) {
			out = append(out, at)
		}
	}
	return out
}

// Admitted reads the statements that are made of a value's type, range, spelling, or set of values: it returns what
// they are about, and values of each kind that they admit; nil where the expression is another.
func Admitted(x Expr) (subject Expr, values []any) {
	switch x := x.(type) {
	case And: // of a type and in a range, of one type and not of another
		for _, part := range slices.Backward(x.Xs) {
			subject, values = Admitted(part)
			if values == nil || Mentions[TokenPart](subject) {
				continue
			}
			if slices.ContainsFunc(x.Xs, func(y Expr) bool { return !About(y, subject) }) {
				break // it says something of several values
			}
			return subject, values
		}
		return nil, nil
	case IsDigits:
		return x.X, []any{""}
	case Match:
		if number, ok := x.X.(ToText); ok {
			return number.X, constants(numbersIn(x.Pattern)...) // as Hurl says one of some
		}
		return x.X, []any{""}
	case IsType:
		samples := []any{TypeBool: false, TypeObject: map[string]any{}, TypeFloat: 0.0, TypeInt: new(big.Int),
			TypeArray: Items{}, TypeString: ""}
		for _, t := range x.Types {
			values = append(values, samples[t])
		}
		return x.X, values
	case Between:
		return x.X, constants(x.Low, x.High)
	case Compare:
		if b, ok := x.Y.(Bool); ok && b.Value { // pm.expect(Number.isInteger(x)).to.be.true
			if subject, values = Admitted(x.X); values != nil {
				return subject, values
			}
		}
		switch x.Op {
		case Eq:
			if _, computed := x.Y.(Arith); computed {
				return x.X, []any{new(big.Int)}
			}
		case Ge, Is:
			return x.X, constants(x.Y)
		case In:
			if set, ok := x.Y.(Set); ok {
				return x.X, constants(set.Elems...)
			}
		}
	}
	return nil, nil
}

// numbersIn reads the regular expression of one of some numbers, ^(?:200|404)$; nil where it is another.
func numbersIn(pattern string) []Expr {
	inner, ok := strings.CutPrefix(pattern, "^(?:")
	inner, ends := strings.CutSuffix(inner, ")$")
	if !ok || !ends || strings.Trim(inner, "0123456789|") != "" {
		return nil
	}
	var out []Expr
	for _, n := range strings.Split(inner, "|") {
		out = append(out, Num{n})
	}
	return out
}

// constants evaluates literals; nil where one is none.
func constants(xs ...Expr) []any {
	var out []any
	for _, x := range xs {
		v, err := Scope{}.Eval(x)
		if err != nil {
			return nil
		}
		out = append(out, v)
	}
	return out
}

// StatusIn says that a status is one of some, or any where these are very many.
func StatusIn(subject Expr, statuses []string) Expr {
	if len(statuses) > MaxListed {
		return Between{Low: Int(100), X: subject, High: Int(599)}
	}
	var set Set
	for _, status := range statuses {
		set.Elems = append(set.Elems, Numeral(status))
	}
	return Cmp(subject, In, set)
}
