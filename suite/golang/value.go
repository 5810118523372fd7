package golang

import (
	"go/ast"
	"go/types"

	"github.com/flaketap/flaketap/suite/expr"
)

// value is what an expression of a test stands for.
type value interface{ value() }

type (
	// plain is a value of an answer, or one that is written out. A member that Go takes for its type's zero value where
	// an answer lacks it is an expr.Get with that as its default.
	plain struct {
		x    expr.Expr
		typ  types.Type // its static type; nil where that is not known
		ints bool       // it is written out, and has whole numbers where JSON gives a float64
		null bool       // a list that is nil as long as nothing is appended
	}
	// opaque is a value of which nothing is known but why.
	opaque struct{ what string }
	// answer is a *http.Response by the variable of its call; bodyOf is what it has to be read, headersOf its headers.
	answer    struct{ id string }
	bodyOf    struct{ id string }
	headersOf struct{ id string }
	// reader is an io.Reader of a text, and decoder a json.Decoder.
	reader  struct{ text value }
	decoder struct{ from value }
	// tuple is what a function returns that returns several values.
	tuple []value
	// failure is an error, and failureTest a condition that asks for one alone, and is true where one happened, or where
	// none did.
	failure     struct{}
	failureTest struct{ happened bool }
	// tester is a *testing.T, asserter what assert.New and require.New return, client a http.Client.
	tester   struct{}
	asserter struct{ pkg string }
	client   struct{}
	// pointer is the address of a variable.
	pointer struct{ to *cell }
	// function is a function of the file, or one that is written out.
	function struct {
		typ  *ast.FuncType
		body *ast.BlockStmt
		recv *ast.FieldList
		of   value // the receiver of a method
	}
	// regex is a regular expression, diff what cmp.Diff returns, textLen the length of a body, in bytes
	// that may be no text.
	regex   struct{ pattern string }
	diff    struct{ same expr.Expr }
	textLen struct{ x expr.Expr }
	// record is a struct that is written out: its fields by name, and the type that names them.
	record struct {
		typ    types.Type
		fields map[string]value
	}
	// table is a map that is written out and whose elements are structs, or whose keys are no texts: in the order in which
	// it is written, which is not that of a range over it.
	table struct {
		typ         types.Type
		keys, elems []value
	}
	// list is a list of structs that is written out.
	list struct {
		typ   types.Type
		elems []value
	}
)

func (plain) value()       {}
func (opaque) value()      {}
func (answer) value()      {}
func (bodyOf) value()      {}
func (headersOf) value()   {}
func (reader) value()      {}
func (decoder) value()     {}
func (tuple) value()       {}
func (failure) value()     {}
func (failureTest) value() {}
func (tester) value()      {}
func (asserter) value()    {}
func (client) value()      {}
func (pointer) value()     {}
func (function) value()    {}
func (regex) value()       {}
func (diff) value()        {}
func (textLen) value()     {}
func (record) value()      {}
func (list) value()        {}
func (table) value()       {}
func (*request) value()    {}
func (*pairs) value()      {}

// cell is a variable.
type cell struct {
	value value
	typ   types.Type // nil where it is not known
	level int        // how many conditions and loops it was declared in
}

// meaningOf is the meaning of a value; an expr.Unknown where it has none.
func meaningOf(v value) expr.Expr {
	switch v := v.(type) {
	case plain:
		return v.x
	case opaque:
		return expr.Unknown{What: v.what}
	case diff:
		return expr.Unknown{What: "a difference as text"}
	case joined:
		return expr.Unknown{What: "a text that is put together"}
	case textLen:
		return expr.Unknown{What: "the length of a body in bytes"}
	case record:
		return expr.Unknown{What: "a struct"}
	}
	return expr.Unknown{What: "what is no value of an answer"}
}

// bounds of what values are made of.
const maxSize = 1 << 12

// bounded is a value that is made of no more than so many others; one that is made of more is not known.
func bounded(v value) value {
	if size(v) > maxSize {
		return opaque{"a value that is made of too many others"}
	}
	return v
}

// size is how many others a value is made of.
func size(v value) int {
	n := 1
	count := func(expr.Expr) { n++ }
	switch v := v.(type) {
	case plain:
		expr.Walk(v.x, count)
	case tuple:
		for _, one := range v {
			n += size(one)
		}
	case record:
		for _, one := range v.fields {
			n += size(one)
		}
	case list:
		for _, one := range v.elems {
			n += size(one)
		}
	case table:
		for _, one := range v.elems {
			n += size(one)
		}
	case reader:
		n += size(v.text)
	case textLen:
		expr.Walk(v.x, count)
	case diff:
		expr.Walk(v.same, count)
	}
	return n
}

// str is a text that is written out, and boolean a condition.
func str(s string) plain { return plain{x: expr.Str{Value: s}, typ: types.Typ[types.String]} }

func boolean(x expr.Expr) plain { return plain{x: x, typ: types.Typ[types.Bool]} }
