package python

import (
	"errors"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/source"
	"github.com/flaketap/flaketap/suite/python/syntax"
)

// Parse reads one expression.
func Parse(text string) (expr.Expr, error) {
	st, err := syntax.Statements("", text)
	if err != nil {
		return nil, err
	}
	if len(st) != 1 {
		return nil, errors.New("want one expression")
	}
	x, err := syntax.ParseExpr(st[0].Tokens)
	if err != nil {
		return nil, err
	}
	return meaning(x), nil
}

// meaning says what an expression of Python means. What has none that is known is an [expr.Unknown].
func meaning(x syntax.Node) expr.Expr {
	switch x := x.(type) {
	case syntax.StrLit:
		return expr.Str{Value: x.S}
	case syntax.NumLit:
		return expr.Num{Text: x.Text}
	case syntax.Text:
		return meaningOfText(x)
	case pyElement:
		return expr.Name{ID: x.name}
	case pyOpaque:
		return unknown(x.what)
	case syntax.Name:
		return meaningOfName(x.Id)
	case syntax.Attr:
		return meaningOfAttr(x)
	case syntax.Index:
		if slice, ok := x.I.(syntax.Slice); ok {
			return expr.Slice{X: meaning(x.X), From: optionalMeaning(slice.From), To: optionalMeaning(slice.To)}
		}
		return expr.Index{X: meaning(x.X), I: meaning(x.I)}
	case syntax.Call:
		return meaningOfCall(x)
	case syntax.Unary:
		switch x.Op {
		case "not":
			return expr.Not{X: meaning(x.X)}
		case "-":
			return expr.Neg{X: meaning(x.X)}
		}
		return unknown("the operator "+x.Op, x.X)
	case syntax.Binary:
		if op, ok := map[string]expr.ArithOp{"+": expr.Add, "-": expr.Subtract, "//": expr.FloorDiv}[x.Op]; ok {
			return expr.Arith{Op: op, X: meaning(x.X), Y: meaning(x.Y)}
		}
		return unknown("the operator "+x.Op, x.X, x.Y)
	case syntax.Compare:
		return meaningOfComparison(x)
	case syntax.Logic:
		if x.Op == "or" {
			return expr.Or{Xs: meanings(x.Xs)}
		}
		return expr.And{Xs: meanings(x.Xs)}
	case syntax.Seq:
		if x.Tuple {
			return expr.Set{Elems: meanings(x.Elems)}
		}
		return expr.List{Elems: meanings(x.Elems)}
	case syntax.Set:
		return unknown("a set", x.Of)
	case pyRest:
		return unknown("the rest of a list", x.x)
	case syntax.Dict:
		return meaningOfDict(x)
	case syntax.Comp:
		return expr.Each{Elem: meaning(x.Elem), Var: x.Name, List: meaning(x.List), Cond: optionalMeaning(x.Cond)}
	case syntax.IfElse:
		return expr.If{Cond: meaning(x.Cond), Then: meaning(x.X), Else: meaning(x.Y)}
	}
	return unknown("an expression of an unknown form")
}

// meaningOfText reads an f-string as the sum of its parts, as texts.
func meaningOfText(x syntax.Text) expr.Expr {
	var sum expr.Expr
	for _, part := range x.Parts {
		plain, isPlain := part.(syntax.StrLit)
		y := meaning(part)
		switch {
		case isPlain && plain.S == "" && (sum != nil || len(x.Parts) > 1):
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
func unknown(what string, operands ...syntax.Node) expr.Expr {
	return expr.Unknown{What: what, Operands: meanings(operands)}
}

func meanings(xs []syntax.Node) []expr.Expr {
	out := make([]expr.Expr, len(xs))
	for i, x := range xs {
		out[i] = meaning(x)
	}
	return out
}

func optionalMeaning(x syntax.Node) expr.Expr {
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

func meaningOfAttr(x syntax.Attr) expr.Expr {
	of, isName := x.X.(syntax.Name)
	if part, ok := answerParts()[x.Name]; ok && isName {
		return expr.Answer{Var: of.Id, Part: part}
	}
	if isName && x.Name == "links" {
		return expr.Links{X: expr.Answer{Var: of.Id, Part: expr.Headers}}
	}
	return unknown("the attribute "+x.Name, x.X)
}

func meaningOfCall(x syntax.Call) expr.Expr {
	if len(x.Kw) > 0 {
		return unknown("named arguments", x.Args...)
	}
	if attr, ok := x.Fn.(syntax.Attr); ok {
		return meaningOfMethod(attr, x.Args)
	}
	fn, _ := x.Fn.(syntax.Name)
	switch {
	case fn.Id == "isinstance" && len(x.Args) == 2:
		return meaningOfIsinstance(x.Args[0], x.Args[1])
	case len(x.Args) != 1:
		return unknown("the function "+fn.Id, x.Args...)
	}
	if comp, ok := x.Args[0].(syntax.StrLit); ok && fn.Id == "float" && (comp.S == "inf" || comp.S == "-inf") {
		return expr.Inf{Negative: comp.S == "-inf"}
	}
	arg := meaning(x.Args[0])
	switch fn.Id {
	case "len":
		if rest, ok := x.Args[0].(pyRest); ok {
			return expr.Arith{Op: expr.Subtract, X: expr.Len{X: meaning(rest.x)}, Y: expr.Int(rest.from)}
		}
		return expr.Len{X: arg}
	case "str":
		return expr.ToText{X: arg}
	case "next":
		if _, each := x.Args[0].(syntax.Comp); each {
			return expr.Index{X: arg, I: expr.Int(0)}
		}
	case "any":
		return expr.Any{X: arg}
	case "all":
		return expr.All{X: arg}
	case "is_valid_uri_or_empty":
		return expr.IsURI{X: arg}
	}
	return unknown("the function "+fn.Id, x.Args...)
}

// meaningOfIsinstance reads the second argument as it is written: a type, or a tuple of types.
func meaningOfIsinstance(x, types syntax.Node) expr.Expr {
	names := []syntax.Node{types}
	if seq, ok := types.(syntax.Seq); ok {
		names = seq.Elems
	}
	of := expr.IsType{X: meaning(x)}
	for _, n := range names {
		name, _ := n.(syntax.Name)
		t, ok := source.Types()[name.Id]
		if !ok {
			return unknown("the type "+name.Id, x)
		}
		of.Types = append(of.Types, t)
	}
	return of
}

func meaningOfMethod(fn syntax.Attr, args []syntax.Node) expr.Expr {
	if of, ok := fn.X.(syntax.Name); ok && fn.Name == "json" {
		return expr.Answer{Var: of.Id, Part: expr.JSON}
	}
	if pattern, ok := patternArgument(fn, args); ok {
		return expr.Match{X: meaning(args[1]), Pattern: pattern, Full: fn.Name == "fullmatch"}
	}
	if x, ok := tokenPart(fn, args); ok {
		return x
	}
	x := meaning(fn.X)
	switch {
	case fn.Name == "get" && len(args) == 1:
		return expr.Get{X: x, Key: meaning(args[0])}
	case fn.Name == "get" && len(args) == 2:
		return expr.Get{X: x, Key: meaning(args[0]), Default: meaning(args[1])}
	case fn.Name == "isdigit" && len(args) == 0:
		return expr.IsDigits{X: x}
	case fn.Name == "strip" && len(args) == 0:
		return expr.Trim{X: x}
	case fn.Name == "startswith" && len(args) == 1:
		return expr.HasPrefix{X: x, Prefix: meaning(args[0])}
	case fn.Name == "endswith" && len(args) == 1:
		return expr.HasSuffix{X: x, Suffix: meaning(args[0])}
	}
	return unknown("the method "+fn.Name, append([]syntax.Node{fn.X}, args...)...)
}

// imports reports whether an expression is a module: its name, or __import__("module").
func imports(x syntax.Node, module string) bool {
	if isPyName(x, module) {
		return true
	}
	call, ok := x.(syntax.Call)
	return ok && isPyName(call.Fn, "__import__") && len(call.Args) == 1 && call.Args[0] == syntax.Node(syntax.StrLit{S: module})
}

// tokenPart reads what is written for an [expr.TokenPart]:
// __import__("json").loads(__import__("base64").urlsafe_b64decode(x.split(".")[0] + "==")).
func tokenPart(fn syntax.Attr, args []syntax.Node) (expr.Expr, bool) {
	if fn.Name != "loads" || !imports(fn.X, "json") || len(args) != 1 {
		return nil, false
	}
	call, _ := args[0].(syntax.Call)
	decode, _ := call.Fn.(syntax.Attr)
	if decode.Name != "urlsafe_b64decode" || !imports(decode.X, "base64") || len(call.Args) != 1 {
		return nil, false
	}
	padded, _ := call.Args[0].(syntax.Binary)
	part, _ := padded.X.(syntax.Index)
	split, _ := part.X.(syntax.Call)
	of, _ := split.Fn.(syntax.Attr)
	nth, _ := part.I.(syntax.NumLit)
	if padded.Op != "+" || padded.Y != syntax.Node(syntax.StrLit{S: "=="}) || of.Name != "split" || len(split.Args) != 1 ||
		split.Args[0] != syntax.Node(syntax.StrLit{S: "."}) || nth.Text != "0" && nth.Text != "1" {
		return nil, false
	}
	return expr.TokenPart{X: meaning(of.X), Nth: int(nth.Text[0] - '0')}, true
}

// patternArgument returns the regular expression of __import__("re").fullmatch(pattern, text), or search.
func patternArgument(fn syntax.Attr, args []syntax.Node) (string, bool) {
	if !imports(fn.X, "re") {
		return "", false
	}
	if len(args) != 2 || fn.Name != "fullmatch" && fn.Name != "search" && fn.Name != "match" {
		return "", false
	}
	pattern, ok := args[0].(syntax.StrLit)
	if fn.Name == "match" {
		return `\A(?:` + pattern.S + `)`, ok
	}
	return pattern.S, ok
}

// meaningOfComparison reads a chain of comparisons, each with the one before it.
func meaningOfComparison(x syntax.Compare) expr.Expr {
	for _, as := range []func(syntax.Compare) (expr.Expr, bool){tuplesAs, nearAs, inOrderAs, sortedAs, namesAs, setAs} {
		if said, ok := as(x); ok {
			return said
		}
	}
	if len(x.Ops) == 2 && x.Ops[0] == "<=" && x.Ops[1] == "<=" {
		return expr.Between{Low: meaning(x.X), X: meaning(x.Ys[0]), High: meaning(x.Ys[1])}
	}
	var all []expr.Expr
	left := meaning(x.X)
	for i, op := range x.Ops {
		right := meaning(x.Ys[i])
		all = append(all, expr.Compare{X: left, Op: source.Ops()[op], Y: right})
		left = right
	}
	return expr.AllOf(all...)
}

func meaningOfDict(x syntax.Dict) expr.Expr {
	var d expr.Object
	for i, k := range x.Keys {
		key, ok := k.(syntax.StrLit)
		if !ok {
			return unknown("a key that is not a string")
		}
		d.Keys, d.Values = append(d.Keys, key.S), append(d.Values, meaning(x.Values[i]))
	}
	return d
}
