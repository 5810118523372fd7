package golang

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/expr"
)

// What is said in the place of an assertion is written as Go has it for the types there, or not at all.
func TestSaid(t *testing.T) {
	const maker = "var v struct {\n\t\tplace\n\t\tName string\n\t\tCount uint8\n\t\tRank int64\n\t\tReady bool\n\t\tTags []string\n\t\tMore any\n\t}"
	str := func(s string) expr.Expr { return expr.Str{Value: s} }
	set := func(xs ...expr.Expr) expr.Expr { return expr.Set{Elems: xs} }
	type says = func(of func(steps ...string) expr.Expr) expr.Expr
	type at = func(steps ...string) expr.Expr
	is := func(x expr.Expr, types ...expr.Type) expr.Expr { return expr.IsType{X: x, Types: types} }
	cond := func(text string) string { return "if " + text + " {\n\t\tt.Error()\n\t}" }
	for _, tt := range []struct {
		body string
		says says
		want string
	}{
		{decoded(maker, `v.Count != 3`), func(of at) expr.Expr { return expr.Same(of("count"), expr.Int(255)) }, cond("v.Count != 255")},
		{decoded(maker, `v.Count != 3`), func(of at) expr.Expr { return expr.Same(of("count"), expr.Int(256)) }, ""},
		{decoded(maker, `v.Count != 3`), func(of at) expr.Expr { return expr.Same(of("count"), expr.Num{Text: "2.5"}) }, ""},
		{decoded(maker, `v.Rank != 3`), func(of at) expr.Expr { return expr.Same(of("rank"), expr.Num{Text: "1e30"}) }, ""},
		{decoded(maker, `v.Name != "a"`), func(of at) expr.Expr { return expr.Same(of("name"), of("count")) }, ""},
		{decoded(maker, `v.Name != "a"`), func(of at) expr.Expr { return expr.Same(of("name"), of("city")) }, cond("v.Name != v.City")},
		{decoded(maker, `v.Name != "a"`), func(of at) expr.Expr { return expr.Cmp(str("tags"), expr.NotIn, of()) }, cond("!(v.Tags == nil)")},
		{decoded(maker, `v.Name != "a"`), func(of at) expr.Expr { return expr.Cmp(str("name"), expr.NotIn, of()) }, cond(`!(v.Name == "")`)},
		{decoded(maker, `v.Name != "a"`), func(of at) expr.Expr { return expr.Cmp(str("name"), expr.In, of()) }, ""},
		{decoded(maker, `v.Name != "a"`), func(of at) expr.Expr { return expr.Cmp(str("b"), expr.In, of("tags")) }, cond(`!slices.Contains(v.Tags, "b")`)},
		{decoded(maker, `v.Name != "a"`), func(of at) expr.Expr { return expr.Cmp(expr.Int(4), expr.In, of("tags")) }, ""},
		{decoded(maker, `v.Name != "a"`), func(of at) expr.Expr {
			return expr.AnyOf(expr.Cmp(str("tags"), expr.NotIn, of()), expr.Cmp(of("tags"), expr.Eq, expr.List{Elems: []expr.Expr{}}))
		}, cond("!(v.Tags == nil) && !cmp.Equal(v.Tags, []string{})")},
		{decoded(maker, `v.Name != "a"`), func(of at) expr.Expr {
			return expr.AnyOf(expr.Cmp(str("name"), expr.NotIn, of()), expr.Cmp(of("name"), expr.Eq, str("")))
		}, cond(`v.Name != ""`)},
		{decoded(maker, `v.Name != "a"`), func(of at) expr.Expr {
			return expr.And{Xs: []expr.Expr{is(of("name"), expr.TypeString), expr.HasPrefix{X: of("name"), Prefix: str("b")}}}
		},
			cond(`!strings.HasPrefix(v.Name, "b")`)},
		{decoded(maker, `v.Count != 3`), func(of at) expr.Expr {
			return expr.And{Xs: []expr.Expr{is(of("count"), expr.TypeInt), expr.Not{X: is(of("count"), expr.TypeBool)}, expr.Cmp(of("count"), expr.Ge, expr.Int(1))}}
		}, cond("v.Count < 1")},
		{decoded(maker, `v.Count != 3`), func(of at) expr.Expr { return is(of("count"), expr.TypeString) }, ""},
		{decoded(maker, `v.City != "a"`), func(of at) expr.Expr { return expr.Cmp(of("city"), expr.In, set(str("b"), str("c"))) }, cond(`!(v.City == "b" || v.City == "c")`)},
		// a value of any
		{decoded(maker, `v.More != "a"`), func(of at) expr.Expr { return is(of("more"), expr.TypeInt, expr.TypeFloat, expr.TypeString) },
			cond("!func() bool { _, ok := v.More.(float64); return ok }() && !func() bool { _, ok := v.More.(string); return ok }()")},
		{decoded(maker, `v.More != "a"`), func(of at) expr.Expr {
			return expr.And{Xs: []expr.Expr{expr.Cmp(of("more", "a"), expr.Ge, expr.Int(1)), expr.Cmp(of("more", "b"), expr.Ge, expr.Int(1))}}
		}, cond("!func() bool { n, ok := v.More.(map[string]any)[\"a\"].(float64); return ok && n >= 1 }() || !func() bool { n, ok := v.More.(map[string]any)[\"b\"].(float64); return ok && n >= 1 }()")},
		{decoded(maker, `v.More != "a"`), func(of at) expr.Expr {
			return expr.And{Xs: []expr.Expr{expr.Cmp(of("more"), expr.Ge, expr.Int(1)), expr.Cmp(of("more"), expr.Lt, expr.Int(9))}}
		}, cond("n, ok := v.More.(float64); !ok || n < 1 || n >= 9")},
		// patterns
		{decoded(maker, `v.Name != "a"`), matches("a|b"), cond("!regexp.MustCompile(`^(?:a|b)$`).MatchString(v.Name)")},
		{decoded(maker, `v.Name != "a"`), matches("(a|b)[|]"), cond("!regexp.MustCompile(`^(a|b)[|]$`).MatchString(v.Name)")},
		{decoded(maker, `v.Name != "a"`), matches(`a\|b`), cond("!regexp.MustCompile(`^a\\|b$`).MatchString(v.Name)")},
		{decoded(maker, `v.Name != "a"`), matches(`\Qa`), cond("!regexp.MustCompile(`^(?:\\Qa)$`).MatchString(v.Name)")},
		{decoded(maker, `v.Name != "a"`), matches("(a)|[b]"), cond("!regexp.MustCompile(`^(?:(a)|[b])$`).MatchString(v.Name)")},
		// texts of numbers
		{decoded(maker, `strconv.Itoa(int(v.Rank)) != "3"`), func(of at) expr.Expr { return expr.Same(expr.ToText{X: of("rank")}, str("4")) },
			cond(`strconv.Itoa(int(v.Rank)) != "3" && fmt.Sprint(v.Rank) != "4"`)},
		{decoded(maker, `fmt.Sprint(v.Rank) != "3"`), func(of at) expr.Expr { return expr.Same(expr.ToText{X: of("rank")}, str("4")) }, cond(`fmt.Sprint(v.Rank) != "4"`)},
		// names that are not used elsewhere
		{decoded(maker+"\n\twant := \"a\"", `v.Name != want`), func(of at) expr.Expr { return expr.Same(of("name"), str("b")) }, cond(`v.Name != "b"`) + "\n\t_ = want"},
		{strings.Replace(decoded(maker, `v.Name != want`), "t.Error()", "t.Error(want)", 1) + "\n\t_ = want", func(of at) expr.Expr { return expr.Same(of("name"), str("b")) },
			""},
		// testify
		{checked(maker, `assert.Equal(t, "a", v.Name)`), func(of at) expr.Expr { return expr.Cmp(expr.Len{X: of("tags")}, expr.Eq, expr.Int(2)) }, `assert.Len(t, v.Tags, 2)`},
		{checked(maker, `assert.Equal(t, "a", v.Name)`), func(of at) expr.Expr { return expr.Cmp(expr.Len{X: of("tags")}, expr.Ge, expr.Int(2)) }, `assert.GreaterOrEqual(t, len(v.Tags), 2)`},
		{checked(maker, `assert.Equal(t, "a", v.Name)`), func(of at) expr.Expr {
			return expr.SameItems{X: of("tags"), Y: expr.List{Elems: []expr.Expr{str("b"), str("a")}}}
		}, `assert.ElementsMatch(t, []string{"b", "a"}, v.Tags)`},
		{checked(maker, `assert.Equal(t, "a", v.Name)`), func(of at) expr.Expr {
			return expr.SameItems{X: of("tags"), Y: expr.List{Elems: []expr.Expr{expr.Int(1)}}}
		}, ""},
	} {
		s := wrote(t, header+uses+"func TestIt(t *testing.T) {\n\t"+tt.body+"\n}\n")
		test := s.Tests[0]
		a := test.Assertions[len(test.Assertions)-1]
		got, _ := s.Writer.Assert(s, test, a, tt.says(func(steps ...string) expr.Expr {
			x := expr.Expr(expr.Answer{Var: test.Calls[0].Var, Part: expr.JSON})
			for _, step := range steps {
				x = expr.Index{X: x, I: expr.Str{Value: step}}
			}
			return x
		}))
		if got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.body, got, tt.want)
		}
	}
}

// uses is code that uses what the file imports, and declares a type.
const uses = `type place struct{ City string }

func uses() {
	_, _, _, _, _ = cmp.Equal, regexp.MustCompile, slices.Contains[[]string], strings.HasPrefix, fmt.Sprint
}

`

// matches says that all of a name matches a pattern.
func matches(pattern string) func(of func(steps ...string) expr.Expr) expr.Expr {
	return func(of func(steps ...string) expr.Expr) expr.Expr {
		return expr.Match{X: of("name"), Pattern: pattern, Full: true}
	}
}
