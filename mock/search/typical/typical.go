// Package typical has values that fields of answers are tried with, whatever they are for: by the type of a field, by
// what its name says, and by the value that it has.
package typical

import (
	"math"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/tree"
)

// Moments of fields that hold a time: long ago, on a Saturday, and far ahead, on a working day.
const (
	Past   = "2000-01-01T00:00:00Z"
	Future = "2999-01-01T00:00:00Z"
)

// Large is what numbers are filled with that are 1 else: what is reckoned with them gets lost in rounding.
const Large = 60.0

// Ones are the places of a value whose numbers are 1: of lists in the first element.
func Ones(v any) []exchange.Place {
	return slices.DeleteFunc(tree.Places(v), func(p exchange.Place) bool {
		n, _ := tree.Get(v, tree.Within(p))
		return n != 1.0
	})
}

// Enlarged is a value with all numbers large that are 1, and whether there are any.
func Enlarged(v any) (out any, is bool) {
	ones := Ones(v)
	for _, p := range ones {
		v = tree.Put(v, tree.Within(p), Large)
	}
	return v, len(ones) > 0
}

// Usual are values of all types.
func Usual() []any {
	return []any{1.0, "x", true, 0.0, -1.0, "", false, 0.5, 1e12, nil, []any{}, map[string]any{}}
}

// Probed are values of each type, for fields whose types are not known.
func Probed() []any { return []any{"x", 1.0, true, []any{}, map[string]any{}} }

// Long is a text that is longer than most that are taken.
func Long() string { return strings.Repeat("long ", 400) }

// Plain are all values that are tried of a type that has few; none of others.
func Plain(k kind.Kind) []any {
	switch k {
	case kind.Boolean:
		return []any{true, false}
	case kind.Object:
		return []any{map[string]any{}}
	case kind.List:
		return []any{[]any{}, []any{map[string]any{}}, []any{nil}}
	}
	return nil
}

// Filler is a value of a type, for a field that has to be there; 1 where the type is not known.
func Filler(k kind.Kind) any {
	switch k {
	case kind.String:
		return "x"
	case kind.Boolean:
		return true
	case kind.List:
		return []any{}
	case kind.Object:
		return map[string]any{}
	}
	return 1.0
}

// Wrong is a value that is not of a type.
func Wrong(k kind.Kind) any {
	if k == kind.String {
		return 7.0
	}
	return "wrong"
}

// dated are how names of fields that hold a time end.
var dated = lazy.Regexp(`(?i)(?:^at|date|time|until|since|expires|expiry|_at|At|timestamp|day|from|to|eta|starts?|ends?|begins?|due|deadline|opens|closes|published|created|updated)$`)

// Dated reports whether the name of a field says that it holds a time.
func Dated(name string) bool { return dated().MatchString(name) }

// Bounds of other values of a field: how many tell most, how many there are in all, and how many of these are such that
// the API is known to look for.
const (
	AtOnce   = 3
	most     = 6
	fewKnown = 3
)

// Others are values of a field other than one, of its type, and none: first those of known, which the API looks for.
// Texts stand near the name of the field, which may say that it is dated.
func Others(v any, known []any, dated bool, texts []string) (out []any) {
	add := func(most int, all ...any) {
		for _, o := range all {
			if !tree.Contains(out, o) && !tree.Same(o, v) && kind.Of(o) == kind.Of(v) && len(out) < most {
				out = append(out, o)
			}
		}
	}
	switch v := v.(type) {
	case string:
		add(1, known...)
		if dated {
			add(1, Past[:min(len(v), len(Past))])
		}
		add(AtOnce-1, "trace7f3q")
		out = append(out, nil)
		add(most-1, known...)
		for _, text := range texts {
			add(most, text)
		}
		return out
	case bool:
		add(1, !v)
	case float64:
		add(1, v+13)
		add(fewKnown-1, known...)
		add(most-2, 0.0, -v-1)
		add(most-1, known...)
		if more := v*2 + 1000; !math.IsInf(more, 0) { // which JSON cannot say
			add(most-1, more)
		}
	case []any:
		add(most-1, []any{})
		if len(v) > 0 {
			for _, by := range []float64{13, -13, 0} {
				add(most-1, append(slices.Clone(v), tree.Shifted(v[0], by)))
			}
		}
	}
	if v != nil {
		out = append(out, nil)
	}
	return out
}
