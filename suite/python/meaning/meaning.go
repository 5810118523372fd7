package meaning

import (
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/source"
	"github.com/flaketap/flaketap/suite/python/syntax"
)

// Opaque is a value of which nothing is known but why.
type Opaque struct{ What string }

// Element is the variable of a comprehension, within that.
type Element struct{ Name string }

// Of says what an expression of Python means. What has none that is known is an [expr.Unknown].
func Of(x syntax.Node) expr.Expr {
	switch x := x.(type) {
	case syntax.StrLit:
		return expr.Str{Value: x.S}
	case syntax.NumLit:
		return expr.Num{Text: x.Text}
	case syntax.Text:
		return meaningOfText(x)
	case Element:
		return expr.Name{ID: x.Name}
	case Opaque:
		return Unknown(x.What)
	case syntax.Name:
		return meaningOfName(x.Id)
	case syntax.Attr:
		return meaningOfAttr(x)
	case syntax.Index:
		if slice, ok := x.I.(syntax.Slice); ok {
			return expr.Slice{X: Of(x.X), From: optionalMeaning(slice.From), To: optionalMeaning(slice.To)}
		}
		return expr.Index{X: Of(x.X), I: Of(x.I)}
	case syntax.Call:
		return meaningOfCall(x)
	case syntax.Unary:
		switch x.Op {
		case "not":
			return expr.Not{X: Of(x.X)}
		case "-":
			return expr.Neg{X: Of(x.X)}
		}
		return Unknown("the operator "+x.Op, x.X)
	case syntax.Binary:
		if op, ok := map[string]expr.ArithOp{"+": expr.Add, "-": expr.Subtract, "//": expr.FloorDiv}[x.Op]; ok {
			return expr.Arith{Op: op, X: Of(x.X), Y: Of(x.Y)}
		}
		return Unknown("the operator "+x.Op, x.X, x.Y)
	case syntax.Compare:
		return meaningOfComparison(x)
	case syntax.Logic:
		return meaningOfLogic(x)
	case syntax.Seq:
		if x.Tuple {
			return expr.Set{Elems: meanings(x.Elems)}
		}
		return expr.List{Elems: meanings(x.Elems)}
	case syntax.Set:
		return Unknown("a set", x.Of)
	case syntax.Dict:
		return meaningOfDict(x)
	case syntax.Comp:
		return each(x)
	case Ordered:
		return x.meaning()
	case syntax.ByKey:
		return Unknown("an object that is made of a list", x.List)
	case syntax.IfElse:
		return expr.If{Cond: Of(x.Cond), Then: Of(x.X), Else: Of(x.Y)}
	}
	return Unknown("an expression of an unknown form")
}

func meaningOfLogic(x syntax.Logic) expr.Expr {
	if x.Op == "or" {
		return expr.Or{Xs: meanings(x.Xs)}
	}
	return expr.And{Xs: meanings(x.Xs)}
}

// meaningOfText reads an f-string as the sum of its parts, as texts.
func meaningOfText(x syntax.Text) expr.Expr {
	var sum expr.Expr
	for _, part := range x.Parts {
		plain, isPlain := part.(syntax.StrLit)
		y := Of(part)
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

// Unknown is the meaning of what is done with some operands and is not known.
func Unknown(what string, operands ...syntax.Node) expr.Expr {
	return expr.Unknown{What: what, Operands: meanings(operands)}
}

func meanings(xs []syntax.Node) []expr.Expr {
	out := make([]expr.Expr, len(xs))
	for i, x := range xs {
		out[i] = Of(x)
	}
	return out
}

func optionalMeaning(x syntax.Node) expr.Expr {
	if x == nil {
		return nil
	}
	return Of(x)
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
	return Unknown("the attribute "+x.Name, x.X)
}

func meaningOfCall(x syntax.Call) expr.Expr {
	if len(x.Kw) > 0 {
		return Unknown("named arguments", x.Args...)
	}
	if attr, ok := x.Fn.(syntax.Attr); ok {
		return meaningOfMethod(attr, x.Args)
	}
	fn, _ := x.Fn.(syntax.Name)
	switch {
	case fn.Id == "isinstance" && len(x.Args) == 2:
		return meaningOfIsinstance(x.Args[0], x.Args[1])
	case len(x.Args) != 1:
		return Unknown("the function "+fn.Id, x.Args...)
	}
	if comp, ok := x.Args[0].(syntax.StrLit); ok && fn.Id == "float" && (comp.S == "inf" || comp.S == "-inf") {
		return expr.Inf{Negative: comp.S == "-inf"}
	}
	arg := Of(x.Args[0])
	switch fn.Id {
	case "len":
		return expr.Len{X: arg}
	case "sum":
		return expr.Total{X: arg}
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
	if inOrder, ok := orderedAs(fn.Id, arg); ok {
		return inOrder
	}
	return Unknown("the function "+fn.Id, x.Args...)
}

// meaningOfIsinstance reads the second argument as it is written: a type, or a tuple of types.
func meaningOfIsinstance(x, types syntax.Node) expr.Expr {
	names := []syntax.Node{types}
	if seq, ok := types.(syntax.Seq); ok {
		names = seq.Elems
	}
	of := expr.IsType{X: Of(x)}
	for _, n := range names {
		name, _ := n.(syntax.Name)
		t, ok := source.Types()[name.Id]
		if !ok {
			return Unknown("the type "+name.Id, x)
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
		return expr.Match{X: Of(args[1]), Pattern: pattern, Full: fn.Name == "fullmatch"}
	}
	if x, ok := tokenPart(fn, args); ok {
		return x
	}
	x := Of(fn.X)
	switch {
	case fn.Name == "get" && len(args) == 1:
		return expr.Get{X: x, Key: Of(args[0])}
	case fn.Name == "get" && len(args) == 2:
		return expr.Get{X: x, Key: Of(args[0]), Default: Of(args[1])}
	case fn.Name == "isdigit" && len(args) == 0:
		return expr.IsDigits{X: x}
	case fn.Name == "strip" && len(args) == 0:
		return expr.Trim{X: x}
	case fn.Name == "startswith" && len(args) == 1:
		return expr.HasPrefix{X: x, Prefix: Of(args[0])}
	case fn.Name == "endswith" && len(args) == 1:
		return expr.HasSuffix{X: x, Suffix: Of(args[0])}
	}
	return Unknown("the method "+fn.Name, append([]syntax.Node{fn.X}, args...)...)
}

// imports reports whether an expression is a module: its name, or __import__("module").
func imports(x syntax.Node, module string) bool {
	if syntax.IsName(x, module) {
		return true
	}
	call, ok := x.(syntax.Call)
	return ok && syntax.IsName(call.Fn, "__import__") && len(call.Args) == 1 && call.Args[0] == syntax.Node(syntax.StrLit{S: module})
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
	return expr.TokenPart{X: Of(of.X), Nth: int(nth.Text[0] - '0')}, true
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
		return expr.Between{Low: Of(x.X), X: Of(x.Ys[0]), High: Of(x.Ys[1])}
	}
	var all []expr.Expr
	left := Of(x.X)
	for i, op := range x.Ops {
		right := Of(x.Ys[i])
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
			return Unknown("a key that is not a string")
		}
		d.Keys, d.Values = append(d.Keys, key.S), append(d.Values, Of(x.Values[i]))
	}
	return d
}

// SubjectFirst turns round a comparison whose left side is written out, as in 200 == answer.status_code.
func SubjectFirst(x syntax.Node) syntax.Node {
	c, ok := x.(syntax.Compare)
	if !ok || len(c.Ops) != 1 || c.Ops[0] != "==" && c.Ops[0] != "!=" || !IsLiteral(c.X) || IsLiteral(c.Ys[0]) {
		return x
	}
	return syntax.Compare{X: c.Ys[0], Ops: c.Ops, Ys: []syntax.Node{c.X}}
}

// IsLiteral reports whether an expression is written out.
func IsLiteral(x syntax.Node) bool { return expr.IsLiteral(Of(x)) }

// each is what a comprehension means.
func each(x syntax.Comp) expr.Expr {
	if x.Value != "" {
		return Unknown("what is made of each member of an object", x.List)
	}
	return expr.Each{Elem: Of(x.Elem), Var: x.Name, List: Of(x.List), Cond: optionalMeaning(x.Cond)}
}
