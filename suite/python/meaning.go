package python

import (
	"errors"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/source"
)

// Parse reads one expression.
func Parse(text string) (expr.Expr, error) {
	st, err := statements("", text)
	if err != nil {
		return nil, err
	}
	if len(st) != 1 {
		return nil, errors.New("want one expression")
	}
	x, err := parseExpr(st[0].tokens)
	if err != nil {
		return nil, err
	}
	return meaning(x), nil
}

// meaning says what an expression of Python means. What has none that is known is an [expr.Unknown].
func meaning(x node) expr.Expr {
	switch x := x.(type) {
	case strLit:
		return expr.Str{Value: x.s}
	case numLit:
		return expr.Num{Text: x.text}
	case pyText:
		return meaningOfText(x)
	case pyElement:
		return expr.Name{ID: x.name}
	case pyOpaque:
		return unknown(x.what)
	case pyName:
		return meaningOfName(x.id)
	case pyAttr:
		return meaningOfAttr(x)
	case pyIndex:
		if slice, ok := x.i.(pySlice); ok {
			return expr.Slice{X: meaning(x.x), From: optionalMeaning(slice.from), To: optionalMeaning(slice.to)}
		}
		return expr.Index{X: meaning(x.x), I: meaning(x.i)}
	case pyCall:
		return meaningOfCall(x)
	case pyUnary:
		switch x.op {
		case "not":
			return expr.Not{X: meaning(x.x)}
		case "-":
			return expr.Neg{X: meaning(x.x)}
		}
		return unknown("the operator "+x.op, x.x)
	case pyBinary:
		if op, ok := map[string]expr.ArithOp{"+": expr.Add, "-": expr.Subtract, "//": expr.FloorDiv}[x.op]; ok {
			return expr.Arith{Op: op, X: meaning(x.x), Y: meaning(x.y)}
		}
		return unknown("the operator "+x.op, x.x, x.y)
	case pyCompare:
		return meaningOfComparison(x)
	case logic:
		if x.op == "or" {
			return expr.Or{Xs: meanings(x.xs)}
		}
		return expr.And{Xs: meanings(x.xs)}
	case pySeq:
		if x.tuple {
			return expr.Set{Elems: meanings(x.elems)}
		}
		return expr.List{Elems: meanings(x.elems)}
	case pySet:
		return unknown("a set", x.of)
	case pyRest:
		return unknown("the rest of a list", x.x)
	case pyDict:
		return meaningOfDict(x)
	case pyComp:
		return expr.Each{Elem: meaning(x.elem), Var: x.name, List: meaning(x.list), Cond: optionalMeaning(x.cond)}
	case ifElse:
		return expr.If{Cond: meaning(x.cond), Then: meaning(x.x), Else: meaning(x.y)}
	}
	return unknown("an expression of an unknown form")
}

// meaningOfText reads an f-string as the sum of its parts, as texts.
func meaningOfText(x pyText) expr.Expr {
	var sum expr.Expr
	for _, part := range x.parts {
		plain, isPlain := part.(strLit)
		y := meaning(part)
		switch {
		case isPlain && plain.s == "" && (sum != nil || len(x.parts) > 1):
			continue
		case !isPlain:
			y = expr.ToText{X: y}
		}
		if sum == nil {
			sum = y
		} else {
			sum = expr.Arith{Op: expr.Add, X: sum, Y: y}
		}
	}
	if sum == nil {
		return expr.Str{}
	}
	return sum
}

// unknown is the meaning of what is done with some operands and is not known.
func unknown(what string, operands ...node) expr.Expr {
	return expr.Unknown{What: what, Operands: meanings(operands)}
}

func meanings(xs []node) []expr.Expr {
	out := make([]expr.Expr, len(xs))
	for i, x := range xs {
		out[i] = meaning(x)
	}
	return out
}

func optionalMeaning(x node) expr.Expr {
	if x == nil {
		return nil
	}
	return meaning(x)
}

func meaningOfName(id string) expr.Expr {
	switch id {
	case "True", "False":
		return expr.Bool{Value: id == "True"}
	case "None":
		return expr.Null{}
	case "Infinity", "NaN": // which the generator writes as it does in other languages
		return expr.Undefined{ID: id}
	}
	return expr.Name{ID: id}
}

// answerParts are the attributes of an answer, as the requests library names them.
func answerParts() map[string]expr.Part {
	return map[string]expr.Part{"status_code": expr.Status, "text": expr.Text, "headers": expr.Headers}
}

func meaningOfAttr(x pyAttr) expr.Expr {
	of, isName := x.x.(pyName)
	if part, ok := answerParts()[x.name]; ok && isName {
		return expr.Answer{Var: of.id, Part: part}
	}
	if isName && x.name == "links" {
		return expr.Links{X: expr.Answer{Var: of.id, Part: expr.Headers}}
	}
	return unknown("the attribute "+x.name, x.x)
}

func meaningOfCall(x pyCall) expr.Expr {
	if len(x.kw) > 0 {
		return unknown("named arguments", x.args...)
	}
	if attr, ok := x.fn.(pyAttr); ok {
		return meaningOfMethod(attr, x.args)
	}
	fn, _ := x.fn.(pyName)
	switch {
	case fn.id == "isinstance" && len(x.args) == 2:
		return meaningOfIsinstance(x.args[0], x.args[1])
	case len(x.args) != 1:
		return unknown("the function "+fn.id, x.args...)
	}
	if comp, ok := x.args[0].(strLit); ok && fn.id == "float" && (comp.s == "inf" || comp.s == "-inf") {
		return expr.Inf{Negative: comp.s == "-inf"}
	}
	arg := meaning(x.args[0])
	switch fn.id {
	case "len":
		if rest, ok := x.args[0].(pyRest); ok {
			return expr.Arith{Op: expr.Subtract, X: expr.Len{X: meaning(rest.x)}, Y: expr.Int(rest.from)}
		}
		return expr.Len{X: arg}
	case "str":
		return expr.ToText{X: arg}
	case "any":
		return expr.Any{X: arg}
	case "all":
		return expr.All{X: arg}
	case "is_valid_uri_or_empty":
		return expr.IsURI{X: arg}
	}
	return unknown("the function "+fn.id, x.args...)
}

// meaningOfIsinstance reads the second argument as it is written: a type, or a tuple of types.
func meaningOfIsinstance(x, types node) expr.Expr {
	names := []node{types}
	if seq, ok := types.(pySeq); ok {
		names = seq.elems
	}
	of := expr.IsType{X: meaning(x)}
	for _, n := range names {
		name, _ := n.(pyName)
		t, ok := source.Types()[name.id]
		if !ok {
			return unknown("the type "+name.id, x)
		}
		of.Types = append(of.Types, t)
	}
	return of
}

func meaningOfMethod(fn pyAttr, args []node) expr.Expr {
	if of, ok := fn.x.(pyName); ok && fn.name == "json" {
		return expr.Answer{Var: of.id, Part: expr.JSON}
	}
	if pattern, ok := patternArgument(fn, args); ok {
		return expr.Match{X: meaning(args[1]), Pattern: pattern, Full: fn.name == "fullmatch"}
	}
	if x, ok := tokenPart(fn, args); ok {
		return x
	}
	x := meaning(fn.x)
	switch {
	case fn.name == "get" && len(args) == 1:
		return expr.Get{X: x, Key: meaning(args[0])}
	case fn.name == "get" && len(args) == 2:
		return expr.Get{X: x, Key: meaning(args[0]), Default: meaning(args[1])}
	case fn.name == "isdigit" && len(args) == 0:
		return expr.IsDigits{X: x}
	case fn.name == "strip" && len(args) == 0:
		return expr.Trim{X: x}
	case fn.name == "startswith" && len(args) == 1:
		return expr.HasPrefix{X: x, Prefix: meaning(args[0])}
	case fn.name == "endswith" && len(args) == 1:
		return expr.HasSuffix{X: x, Suffix: meaning(args[0])}
	}
	return unknown("the method "+fn.name, append([]node{fn.x}, args...)...)
}

// imports reports whether an expression is a module: its name, or __import__("module").
func imports(x node, module string) bool {
	if isPyName(x, module) {
		return true
	}
	call, ok := x.(pyCall)
	return ok && isPyName(call.fn, "__import__") && len(call.args) == 1 && call.args[0] == node(strLit{module})
}

// tokenPart reads what is written for an [expr.TokenPart]:
// __import__("json").loads(__import__("base64").urlsafe_b64decode(x.split(".")[0] + "==")).
func tokenPart(fn pyAttr, args []node) (expr.Expr, bool) {
	if fn.name != "loads" || !imports(fn.x, "json") || len(args) != 1 {
		return nil, false
	}
	call, _ := args[0].(pyCall)
	decode, _ := call.fn.(pyAttr)
	if decode.name != "urlsafe_b64decode" || !imports(decode.x, "base64") || len(call.args) != 1 {
		return nil, false
	}
	padded, _ := call.args[0].(pyBinary)
	part, _ := padded.x.(pyIndex)
	split, _ := part.x.(pyCall)
	of, _ := split.fn.(pyAttr)
	nth, _ := part.i.(numLit)
	if padded.op != "+" || padded.y != node(strLit{"=="}) || of.name != "split" || len(split.args) != 1 ||
		split.args[0] != node(strLit{"."}) || nth.text != "0" && nth.text != "1" {
		return nil, false
	}
	return expr.TokenPart{X: meaning(of.x), Nth: int(nth.text[0] - '0')}, true
}

// patternArgument returns the regular expression of __import__("re").fullmatch(pattern, text), or search.
func patternArgument(fn pyAttr, args []node) (string, bool) {
	if !imports(fn.x, "re") {
		return "", false
	}
	if len(args) != 2 || fn.name != "fullmatch" && fn.name != "search" && fn.name != "match" {
		return "", false
	}
	pattern, ok := args[0].(strLit)
	if fn.name == "match" {
		return `\A(?:` + pattern.s + `)`, ok
	}
	return pattern.s, ok
}

// meaningOfComparison reads a chain of comparisons, each with the one before it.
func meaningOfComparison(x pyCompare) expr.Expr {
	for _, as := range []func(pyCompare) (expr.Expr, bool){tuplesAs, nearAs, inOrderAs, sortedAs, namesAs, setAs} {
		if said, ok := as(x); ok {
			return said
		}
	}
	if len(x.ops) == 2 && x.ops[0] == "<=" && x.ops[1] == "<=" {
		return expr.Between{Low: meaning(x.x), X: meaning(x.ys[0]), High: meaning(x.ys[1])}
	}
	var all []expr.Expr
	left := meaning(x.x)
	for i, op := range x.ops {
		right := meaning(x.ys[i])
		all = append(all, expr.Compare{X: left, Op: source.Ops()[op], Y: right})
		left = right
	}
	return expr.AllOf(all...)
}

func meaningOfDict(x pyDict) expr.Expr {
	var d expr.Object
	for i, k := range x.keys {
		key, ok := k.(strLit)
		if !ok {
			return unknown("a key that is not a string")
		}
		d.Keys, d.Values = append(d.Keys, key.s), append(d.Values, meaning(x.values[i]))
	}
	return d
}
