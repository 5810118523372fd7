package expr

// Expr is an expression: one of the node types of this package.
type Expr interface{ node() }

// Literals and names.
type (
	// Str is a text.
	Str struct{ Value string }
	// Num is a number as it is written, in the notation of JSON: "4", "4.0", "1e3". What is below zero is a [Neg].
	Num struct{ Text string }
	// Bool is true or false.
	Bool struct{ Value bool }
	// Null is JSON's null.
	Null struct{}
	// Inf is an infinite number, which no answer in JSON has.
	Inf struct{ Negative bool }
	// Name is a variable of the test that holds what it took from answers.
	Name struct{ ID string }
	// Undefined is a name that the suite takes for a literal and that its language does not have, as NaN in Python. To
	// evaluate it raises an error.
	Undefined struct{ ID string }
	// Unknown is what no node stands for. Its operands are evaluated, as they may raise an error; it has no value.
	Unknown struct {
		What     string // for people: "the function sorted"
		Operands []Expr
	}
)

// Answers and the ways into them.
type (
	// Answer is a part of what a call was answered.
	Answer struct {
		Var  string // the variable of the call
		Part Part
	}
	// Index is a member of an object, an element of an array, or one of an answer's headers.
	Index struct{ X, I Expr }
	// Get is what Index is, and Default where there is none; nil stands for [Null].
	Get struct{ X, Key, Default Expr }
	// Slice is a piece of a text, in characters, or of an array; From and To are nil where the piece begins or ends with
	// it, and are counted from its end where they are below zero.
	Slice struct{ X, From, To Expr }
)

// Part says which part of an answer an [Answer] is.
type Part uint8

// The parts of an answer.
const (
	Status  Part = iota // the status code, a number
	Headers             // by their names, which are in lower case where a dialect reads them without regard to case
	Text                // the body as text
	JSON                // the body as JSON
)

// Operations on values.
type (
	// Neg is a number with its sign turned.
	Neg struct{ X Expr }
	// Arith is a sum, a difference or a quotient; texts are added too.
	Arith struct {
		Op   ArithOp
		X, Y Expr
	}
	// Len counts the characters of a text, the elements of an array, the members of an object.
	Len struct{ X Expr }
	// Length is what JavaScript calls .length: the UTF-16 units of a text, the elements of an array, an object's member
	// of that name.
	Length struct{ X Expr }
	// Bytes is a text whose characters stand for the bytes of another in UTF-8, one for each.
	Bytes struct{ X Expr }
	// ToText is a text or a whole number as a text.
	ToText struct{ X Expr }
	// TokenPart is the object that a part of a JSON web token (RFC 7519) encodes: 0 is its header, 1 its claims.
	TokenPart struct {
		X   Expr
		Nth int
	}
	// Links is the object of the links in an answer's header Link (RFC 8288), by their relations, each an object of its
	// url and its parameters, as requests and httpx read them; X is the answer's headers.
	Links struct{ X Expr }
	// Total is the sum of the numbers of an array.
	Total struct{ X Expr }
	// Trim is a text without the white space around it.
	Trim struct{ X Expr }
	// If is Then where Cond is true, and Else where it is not.
	If struct{ Cond, Then, Else Expr }
)

// ArithOp is an operator of an [Arith].
type ArithOp uint8

// The operators of arithmetic.
const (
	Add      ArithOp = iota
	Subtract         // of whole numbers
	FloorDiv         // of whole numbers, rounded down
)

// Composite values.
type (
	// List is an array that is written out.
	List struct{ Elems []Expr }
	// Set is the values of which one is meant, on the right of [In].
	Set struct{ Elems []Expr }
	// Object is an object that is written out: its keys, and its values in the same order.
	Object struct {
		Keys   []string
		Values []Expr
	}
	// Without is an object without the members of some names.
	Without struct {
		X    Expr
		Keys []string
	}
	// Each is the array of what Elem is for each element of List, which Elem and Cond call Var, and of which Cond,
	// where it is not nil, is true. Lenient is whether a condition that raises an error is false, as in JavaScript, where
	// what is not there is undefined.
	Each struct {
		Elem    Expr
		Var     string
		List    Expr
		Cond    Expr
		Lenient bool
	}
	// Ordered is an array in the order of what Key is for its elements, which Key calls Var, or of these themselves where
	// it is nil; from the greatest down where Falling. What is equal stays in the order that it had.
	Ordered struct {
		List    Expr
		Var     string
		Key     Expr
		Falling bool
	}
)

// Conditions.
type (
	// Compare is a comparison of two values.
	Compare struct {
		X  Expr
		Op Op
		Y  Expr
	}
	// Between says that Low <= X <= High.
	Between struct{ Low, X, High Expr }
	// And is true where all its conditions are, which are at least one. They are evaluated in order, up to the first
	// that decides, as those of Or.
	And struct{ Xs []Expr }
	// Or is true where one of its conditions is.
	Or struct{ Xs []Expr }
	// Not is the opposite of a condition.
	Not struct{ X Expr }
	// Any says that some element of an array is true, and All that all are.
	Any struct{ X Expr }
	// All says that all elements of an array are true.
	All struct{ X Expr }
	// IsType says that a value is of one of some types.
	IsType struct {
		X     Expr
		Types []Type
	}
	// Match says that a text has a piece that a regular expression in Go's syntax matches, or that all of it does.
	Match struct {
		X       Expr
		Pattern string
		Full    bool
	}
	// HasPrefix says that a text begins with another, and HasSuffix that it ends with it.
	HasPrefix struct{ X, Prefix Expr }
	// HasSuffix says that a text ends with another.
	HasSuffix struct{ X, Suffix Expr }
	// IsDigits says that a text is made of decimal digits, of at least one.
	IsDigits struct{ X Expr }
	// SameItems says that two arrays have the same elements in any order, each as often.
	SameItems struct{ X, Y Expr }
	// InOrder says that no element of an array is less than the one before it.
	InOrder struct{ X Expr }
	// IsURI says that a text is a URI, or empty, or that there is none.
	IsURI struct{ X Expr }
	// IsEmpty says that a body is nothing: null, an empty text, an array or an object without members, or a value that
	// has none.
	IsEmpty struct{ X Expr }
)

// Op is the operator of a [Compare].
type Op uint8

// The operators.
const (
	Eq    Op = iota
	Ne       // the opposite of Eq
	Lt       // of numbers, or of texts, as the three that follow
	Le       // less than or equal
	Gt       // greater than
	Ge       // greater than or equal
	In       // X is a piece of the text Y, an element of the array or set Y, or the name of a member or a header of Y
	NotIn    // the opposite of In
	Is       // as Eq, where Y is null, true or false: nothing else is equal to these
	IsNot    // the opposite of Is
)

// Type is a type of JSON's values.
type Type uint8

// The types, in the order in which statements list them.
const (
	TypeBool Type = iota
	TypeObject
	TypeFloat // a number with a point or an exponent
	TypeInt   // a number without one, and, as values are compared, a boolean
	TypeArray
	TypeString
	TypeNull
)

func (Str) node()       {}
func (Num) node()       {}
func (Bool) node()      {}
func (Null) node()      {}
func (Inf) node()       {}
func (Name) node()      {}
func (Undefined) node() {}
func (Unknown) node()   {}
func (Answer) node()    {}
func (Index) node()     {}
func (Get) node()       {}
func (Slice) node()     {}
func (Neg) node()       {}
func (Arith) node()     {}
func (Len) node()       {}
func (Length) node()    {}
func (Bytes) node()     {}
func (ToText) node()    {}
func (TokenPart) node() {}
func (Links) node()     {}
func (Total) node()     {}
func (Trim) node()      {}
func (If) node()        {}
func (List) node()      {}
func (Set) node()       {}
func (Object) node()    {}
func (Without) node()   {}
func (Each) node()      {}
func (Ordered) node()   {}
func (Compare) node()   {}
func (Between) node()   {}
func (And) node()       {}
func (Or) node()        {}
func (Not) node()       {}
func (Any) node()       {}
func (All) node()       {}
func (IsType) node()    {}
func (Match) node()     {}
func (HasPrefix) node() {}
func (HasSuffix) node() {}
func (IsDigits) node()  {}
func (SameItems) node() {}
func (InOrder) node()   {}
func (IsURI) node()     {}
func (IsEmpty) node()   {}
