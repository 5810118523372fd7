package meaning

import (
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
)

// Regex is a regular expression that is written out: Pattern.compile("…") of Java, Regex("…") of Kotlin. With an input
// it is what Java's matcher gives.
type Regex struct {
	Pattern string
	input   Value
}

// RegexOf is the regular expression that a function makes; false for any other function.
func RegexOf(class string, c java.Call) (Regex, bool) {
	if !(class == "Pattern" && c.Name == "compile") && !(class == "" && c.Name == "Regex") || len(c.Args) != 1 {
		return Regex{}, false
	}
	text, ok := c.Args[0].X.(java.Text)
	if !ok {
		return Regex{}, false
	}
	return Regex{Pattern: text.Token.Text}, true
}

// Method is a method of a regular expression, or of its matcher.
func (x Regex) Method(c java.Call) java.Node {
	if len(c.Args) == 1 {
		x.input, _ = c.Args[0].X.(Value)
	}
	switch {
	case x.input.X == nil:
	case len(c.Args) == 1 && c.Name == "matcher":
		return x
	case len(c.Args) == 1 && c.Name == "containsMatchIn", len(c.Args) == 0 && c.Name == "find":
		return x.matches(expr.Match{Pattern: x.Pattern})
	case c.Name == "matches":
		return x.matches(expr.Match{Pattern: x.Pattern, Full: true})
	}
	return java.Opaque{What: "the method " + c.Name}
}

func (x Regex) matches(m expr.Match) java.Node {
	m.X = Stripped(x.input.X)
	return Value{X: m, Typ: "boolean"}
}

// What says what a regular expression is where a value is wanted.
func (Regex) What() string { return "a regular expression" }

// patternOf is the pattern that an argument is: of a regular expression, or the text that it is itself.
func patternOf(x java.Node, means expr.Expr) (pattern expr.Str, ok bool) {
	if of, isRegex := x.(Regex); isRegex {
		return expr.Str{Value: of.Pattern}, true
	}
	pattern, ok = means.(expr.Str)
	return pattern, ok
}
