package meaning

import (
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
)

// What expressions stand for, beside literals.
type (
	// Value is a value that was taken from answers.
	Value struct {
		X    expr.Expr
		Typ  string // the type that Java has for it: "String", "int", "JsonNode"; "" where the call says any
		Null bool   // where there is nothing, it is null: a path of REST-assured's, a header
		// Kotlin takes it for one that may be null
		Maybe bool
		Sure  bool // Kotlin takes it for one that is never null
		// Jackson made it of JSON: a member that is missing is null, zero or false
		Bound bool
		Elem  string // the type of its elements, where it is bound
		Among bool   // it asks for an element of what a path of REST-assured's leads to
		// it is a text that is put together of the elements of a list; nil where it is another
		Joins *Joined
	}
	// Joined are the elements of a list with a text between them.
	Joined struct {
		List Value
		By   string
	}
	// Map is a map that is put together.
	Map struct{ Keys, Values []java.Node }
)

// PathOf is what a path of Groovy's leads to.
func PathOf(root expr.Expr, arg java.Argument, typ string) java.Node {
	text, ok := arg.X.(java.Text)
	if !ok {
		return java.Opaque{What: "a path that is put together"}
	}
	p, ok := ParsePath(text.Token.Text, root)
	switch {
	case !ok || p.Safe || p.Mended != "" || p.Token != nil || p.End == "doubleValue":
		return java.Opaque{What: "the path " + text.Token.Text}
	case p.End == "size":
		return Value{X: expr.Len{X: p.X}, Typ: typ}
	case p.End == "isEmpty":
		return Value{X: IsEmpty(p.X), Typ: "boolean"}
	}
	return Value{X: p.X, Typ: typ, Null: true}
}

// IsEmpty says that something has no elements, or a text no characters.
func IsEmpty(x expr.Expr) expr.Expr { return expr.Cmp(expr.Len{X: x}, expr.Eq, expr.Num{Text: "0"}) }

// AsText is a value as String.valueOf gives it.
func AsText(x java.Node) java.Node {
	switch x := x.(type) {
	case Value:
		_, done := x.X.(expr.ToText)
		switch {
		case IsNumeric(x.Typ): // twice, as it was no text before
			x.X = expr.ToText{X: expr.ToText{X: x.X}}
		case !done && x.Typ != "String":
			x.X = expr.ToText{X: x.X}
		}
		x.Typ = "String"
		return x
	case java.Text, java.Sum:
		return x
	case java.Number:
		return java.TextOf(strings.TrimRight(x.Text, "lL"))
	}
	return java.Opaque{What: "a text that is made of a value"}
}

// OfValue is a method of a value that was taken from an answer.
func OfValue(v Value, c java.Call) java.Node {
	if v.isLoose() && !slices.Contains([]string{"contains", "containsAll", "isEmpty"}, c.Name) {
		return ofLoose(v, c)
	}
	return ofTaken(v, c)
}

func ofTaken(v Value, c java.Call) java.Node {
	switch {
	case v.Typ == "JsonPath":
		return ofJSONPath(v, c)
	case v.Typ == "Optional":
		return ofOptional(v, c)
	case len(c.Args) == 0:
		return ofItself(v, c)
	}
	key := Of(c.Args[0].X)
	of := func(typ string) java.Node {
		if _, isName := key.(expr.Str); !isName && !isIndex(key) {
			return java.Opaque{What: "a member of an unknown name"}
		}
		return Value{X: expr.Index{X: v.X, I: key}, Typ: typ, Null: v.Typ == "" || v.Typ == "Map" || v.Typ == "List"}
	}
	is := func(x expr.Expr) java.Node { return Value{X: x, Typ: "boolean"} }
	text, isText := patternOf(c.Args[0].X, key)
	switch c.Name {
	case "get", "path", "required", "opt":
		return of(map[string]string{"JsonNode": "JsonNode", "JsonElement": "JsonElement"}[v.Typ])
	case "at":
		return pointed(v, key)
	case "getJSONObject", "optJSONObject", "getAsJsonObject":
		return of(map[bool]string{true: "JsonElement", false: "JSONObject"}[c.Name == "getAsJsonObject"])
	case "getJSONArray", "optJSONArray", "getAsJsonArray":
		return of(map[bool]string{true: "JsonElement", false: "JSONArray"}[c.Name == "getAsJsonArray"])
	case "getString":
		return of("String")
	case "getInt", "getLong", "getDouble", "getBoolean":
		return of(strings.ToLower(strings.TrimPrefix(c.Name, "get")))
	case "has", "containsKey":
		return is(expr.Cmp(key, expr.In, v.X))
	case "isNull":
		return is(expr.Or{Xs: []expr.Expr{expr.Cmp(key, expr.NotIn, v.X), expr.IsNull(expr.Index{X: v.X, I: key})}})
	case "optString":
		return Value{X: expr.ToText{X: expr.Get{X: v.X, Key: key, Default: expr.Str{}}}, Typ: "String"}
	case "hasNonNull":
		return is(expr.AllOf(expr.Cmp(key, expr.In, v.X), expr.Cmp(expr.Index{X: v.X, I: key}, expr.IsNot, expr.Null{})))
	case "equals":
		return Value{X: Same(v, c.Args[0].X).Means, Typ: "boolean"}
	case "containsAll":
		if list, ok := key.(expr.List); ok && len(list.Elems) > 0 {
			var all []expr.Expr
			for _, e := range list.Elems {
				all = append(all, expr.Cmp(e, expr.In, v.X))
			}
			return is(expr.AllOf(all...))
		}
	case "contains":
		return Value{X: expr.Cmp(key, expr.In, Stripped(v.X)), Typ: "boolean", Among: v.Null}
	case "startsWith":
		return is(expr.HasPrefix{X: Stripped(v.X), Prefix: key})
	case "endsWith":
		return is(expr.HasSuffix{X: Stripped(v.X), Suffix: key})
	case "matches":
		if isText {
			return is(expr.Match{X: Stripped(v.X), Pattern: text.Value, Full: true})
		}
	}
	return java.Opaque{What: "the method " + c.Name}
}

func isIndex(x expr.Expr) bool {
	_, ok := x.(expr.Num)
	return ok
}

// ofItself is a method without arguments of a value.
func ofItself(v Value, c java.Call) java.Node {
	if x, ok := ofList(v, c.Name); ok {
		return x
	}
	typ := map[string]string{"asInt": "int", "intValue": "int", "getAsInt": "int", "asLong": "long", "longValue": "long",
		"getAsLong": "long", "asDouble": "double", "doubleValue": "double", "getAsDouble": "double", "asBoolean": "boolean",
		"booleanValue": "boolean", "getAsBoolean": "boolean", "textValue": "String", "decimalValue": "BigDecimal", "toDouble": "double",
		"getAsJsonObject": "JsonElement", "getAsJsonArray": "JsonElement"}[c.Name]
	if typ != "" && !(c.Name == "toDouble" && v.Typ == "String") { // which is read as a number
		v.Typ, v.Null = typ, false
		return v
	}
	is := func(types ...expr.Type) java.Node {
		return Value{X: expr.IsType{X: v.X, Types: types}, Typ: "boolean"}
	}
	switch c.Name {
	case "asText", "getAsString":
		v.Null = false
		return AsText(v)
	case "toString":
		if IsTree(v.Typ) {
			break
		}
		return AsText(v)
	case "trim", "strip":
		return Value{X: expr.Trim{X: Stripped(v.X)}, Typ: "String"}
	case "size", "length":
		return Value{X: expr.Len{X: Stripped(v.X)}, Typ: "int"}
	case "isEmpty":
		return Value{X: IsEmpty(Stripped(v.X)), Typ: "boolean"}
	case "isBlank":
		return Value{X: expr.Cmp(expr.Trim{X: Stripped(v.X)}, expr.Eq, expr.Str{}), Typ: "boolean"}
	case "isNull", "isJsonNull":
		return Value{X: expr.IsNull(v.X), Typ: "boolean"}
	case "isArray", "isJsonArray":
		return is(expr.TypeArray)
	case "isObject", "isJsonObject":
		return is(expr.TypeObject)
	case "isTextual":
		return is(expr.TypeString)
	case "isBoolean":
		return is(expr.TypeBool)
	case "isIntegralNumber":
		return is(expr.TypeInt)
	case "isFloatingPointNumber":
		return is(expr.TypeFloat)
	case "isNumber":
		return is(expr.TypeInt, expr.TypeFloat)
	case "isMissingNode":
		if missing, ok := expr.Missing(v.X); ok {
			return Value{X: missing, Typ: "boolean"}
		}
	case "keySet", "keys":
		return Value{X: v.X, Typ: TypeKeys}
	}
	return java.Opaque{What: "the method " + c.Name}
}

// IsTree reports whether a type is that of JSON in a library's own form.
func IsTree(typ string) bool {
	return slices.Contains([]string{"JsonNode", "JsonElement", "JsonObject", "JsonArray", "JSONObject", "JSONArray", "ObjectNode",
		"ArrayNode"}, typ)
}

// ofJSONPath is a method of REST-assured's JsonPath.
func ofJSONPath(v Value, c java.Call) java.Node {
	if len(c.Args) == 2 && (c.Name == "getList" || c.Name == "getObject") {
		c.Args = c.Args[:1] // the class of its elements
	}
	if len(c.Args) != 1 {
		if len(c.Args) == 0 && c.Name == "get" {
			v.Typ = ""
			return v
		}
		return java.Opaque{What: "the method " + c.Name}
	}
	typ, ok := map[string]string{"get": "", "getString": "String", "getInt": "int", "getLong": "long", "getDouble": "double",
		"getFloat": "float", "getBoolean": "boolean", "getList": "List", "getMap": "Map", "getJsonObject": ""}[c.Name]
	if !ok {
		return java.Opaque{What: "the method " + c.Name}
	}
	x := PathOf(v.X, c.Args[0], typ)
	if at, isValue := x.(Value); isValue && typ == "String" {
		at.X = expr.ToText{X: at.X}
		return at
	}
	return x
}

// ofOptional is a method of a header that there may be, or of an element that a list may have.
func ofOptional(v Value, c java.Call) java.Node {
	name, answer, isHeader := expr.HeaderOf(v.X)
	typ := v.Elem
	if isHeader {
		typ = "String"
	}
	missing, _ := expr.Missing(v.X)
	switch {
	case missing == nil:
	case c.Name == "isPresent":
		return Value{X: expr.Negate(missing), Typ: "boolean"}
	case c.Name == "isEmpty":
		return Value{X: missing, Typ: "boolean"}
	case c.Name == "get", c.Name == "orElseThrow":
		return Value{X: v.X, Typ: typ, Null: v.Null && !isHeader}
	case c.Name == "orElse" && len(c.Args) == 1:
		switch otherwise := Of(c.Args[0].X); {
		case otherwise == expr.Expr(expr.Null{}):
			return Value{X: v.X, Typ: typ, Null: true}
		case isHeader:
			return Value{X: expr.Get{X: expr.Answer{Var: answer, Part: expr.Headers}, Key: expr.Str{Value: name},
				Default: otherwise},
				Typ: "String"}
		}
	}
	return java.Opaque{What: "the method " + c.Name}
}

// pointed is what a JSON pointer leads to.
func pointed(v Value, pointer expr.Expr) java.Node {
	text, ok := pointer.(expr.Str)
	if !ok || text.Value != "" && !strings.HasPrefix(text.Value, "/") {
		return java.Opaque{What: "a pointer"}
	}
	x := v.X
	for _, key := range strings.Split(text.Value, "/")[1:] {
		key = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
		if key != "" && strings.Trim(key, "0123456789") == "" {
			x = expr.Index{X: x, I: expr.Num{Text: plainDigits(key)}}
		} else {
			x = expr.Index{X: x, I: expr.Str{Value: key}}
		}
	}
	return Value{X: x, Typ: v.Typ}
}

// Textual is a value for a comparison with others: what was a text before, where all of these are texts.
func (v Value) Textual(others ...expr.Expr) expr.Expr {
	if slices.ContainsFunc(others, func(x expr.Expr) bool { return !IsPlainText(x) }) {
		return v.X
	}
	return Stripped(v.X)
}

// Number is a number that is written out.
func Number(x expr.Expr) (float64, bool) {
	text, ok := Numeral(x)
	n, err := strconv.ParseFloat(text, 64)
	return n, ok && err == nil
}

// decimal writes a number out.
func decimal(n float64) expr.Expr { return expr.Numeral(strconv.FormatFloat(n, 'f', -1, 64)) }

// Near says that a number is no further from another than a third: it is that, or close to it.
func Near(actual, want, delta java.Node) Said {
	x, middle := Of(actual), Of(want)
	n, okN := Number(middle)
	d, okD := Number(Of(delta))
	if okD && !okN {
		apart := expr.Arith{Op: expr.Subtract, X: x, Y: middle}
		return Says(expr.Between{Low: decimal(-d), X: apart, High: decimal(d)})
	}
	if !okN || !okD {
		return Says(expr.Unknown{What: "a number that is not written out"})
	}
	equal := expr.Cmp(x, expr.Eq, middle)
	return Said{expr.Or{Xs: []expr.Expr{expr.Between{Low: decimal(n - d), X: x, High: decimal(n + d)}, equal}}, equal}
}

// IsLiteral reports whether a value is written out.
func IsLiteral(x java.Node) bool { return expr.IsLiteral(Of(x)) }

// Instance reads the classes that JSON's values have in REST-assured.
func Instance(subject expr.Expr, arg java.Node) expr.Expr {
	f, ok := arg.(java.Field)
	if ok && f.Name == "java" { // String::class.java
		f, ok = f.X.(java.Field)
	}
	if !ok || f.Name != "class" {
		return nil
	}
	name := ""
	switch x := f.X.(type) {
	case java.Name:
		name = x.ID
	case java.Field:
		name = x.Name
	}
	types := map[string][]expr.Type{"String": {expr.TypeString}, "Boolean": {expr.TypeBool},
		"Number": {expr.TypeInt, expr.TypeFloat},
		"List":   {expr.TypeArray}, "Map": {expr.TypeObject},
		"int": {expr.TypeInt}, "long": {expr.TypeInt}, "double": {expr.TypeFloat}, "float": {expr.TypeFloat},
		"boolean": {expr.TypeBool},
		"Integer": {expr.TypeInt}, "Int": {expr.TypeInt}, "Long": {expr.TypeInt}, "BigInteger": {expr.TypeInt},
		"Double": {expr.TypeFloat}, "Float": {expr.TypeFloat}, "BigDecimal": {expr.TypeFloat}}[name]
	if types == nil {
		return nil
	}
	return IsType(subject, types...)
}

// Literal reads a number literal: digits in tens, with underscores, a suffix, an exponent.
func Literal(text string) expr.Expr {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "+"), "_", "")
	negative := strings.HasPrefix(text, "-")
	digits := strings.TrimPrefix(text, "-")
	if strings.HasPrefix(digits, "0x") || strings.HasPrefix(digits, "0b") || digits == "" {
		return nil
	}
	digits = strings.TrimRight(digits, "lLdDfF")
	if _, ok := expr.Number(digits); !ok || strings.Trim(digits, "0123456789.eE+-") != "" {
		return nil
	}
	var x expr.Expr = expr.Num{Text: digits}
	if negative {
		x = expr.Neg{X: x}
	}
	return x
}

// Numeral returns a number as it is written, with its sign; false where an expression is none.
func Numeral(x expr.Expr) (string, bool) {
	switch x := x.(type) {
	case expr.Num:
		return x.Text, true
	case expr.Neg:
		n, ok := x.X.(expr.Num)
		return "-" + n.Text, ok
	}
	return "", false
}

// IsNumeric reports whether a type of Java's is one of numbers.
func IsNumeric(typ string) bool {
	return slices.Contains([]string{"int", "long", "double", "float", "short", "Integer", "Long", "Double", "Float", "Short"}, typ)
}
