package python

import (
	"slices"
	"strings"
)

// function is a function or a method of a file.
type function struct {
	name, class string // class is "" for a function of the module
	params      []parameter
	head        statement
	body        []statement
	fixture     bool // pytest sends it before a test that names it
	autouse     bool // or before every test
	skipped     bool
	many        bool // the test runs several times, with other values
}

// parameter is a parameter of a function.
type parameter struct {
	name  string
	value node // its default; nil where it has none
	rest  bool // it takes the named arguments that no other parameter has: **name
}

// module is what a file defines.
type module struct {
	functions []*function
	re        bool            // it imports the module re
	constants map[string]node // what is assigned at its top level, or in a class as "self.NAME", each once
}

// readModule finds the functions and constants of a file. Functions within functions are statements of these.
func readModule(stmts []statement) *module {
	m := &module{constants: map[string]node{}}
	class, inClass := "", -1
	var decorators []statement
	for i := 0; i < len(stmts); i++ {
		st := stmts[i]
		indent := len(st.Indent)
		if indent <= inClass {
			class, inClass = "", -1
		}
		switch {
		case st.is("@"):
			decorators = append(decorators, st)
			continue
		case st.is("class") && len(st.tokens) > 1:
			class, inClass = st.tokens[1].text, indent
		case st.is("def"), st.is("async", "def"):
			f := newFunction(st, class, decorators)
			for i+1 < len(stmts) && len(stmts[i+1].Indent) > indent {
				i++
				f.body = append(f.body, stmts[i])
			}
			m.functions = append(m.functions, f)
		case st.is("import", "re") && len(st.tokens) == 2:
			m.re = true
		default:
			m.constant(st, class)
		}
		decorators = nil
	}
	return m
}

// newFunction reads what a def says.
func newFunction(st statement, class string, decorators []statement) *function {
	f := &function{class: class, head: st}
	tokens := st.tokens
	for len(tokens) > 0 && tokens[0].text != "def" {
		tokens = tokens[1:]
	}
	if len(tokens) > 2 {
		f.name, f.params = tokens[1].text, parameters(tokens[2:])
	}
	for _, d := range decorators {
		for _, t := range d.tokens {
			if t.kind != tokenName {
				continue
			}
			switch t.text {
			case "fixture":
				f.fixture = true
			case "autouse":
				f.autouse = true
			case "skip":
				f.skipped = true
			case "parametrize", "given", "expand":
				f.many = true
			}
		}
	}
	return f
}

// parameters lists the parameters of a function, self aside; tokens begin with their parenthesis.
func parameters(tokens []token) []parameter {
	var out []parameter
	depth, from := 0, 1
	for i, t := range tokens {
		if t.kind != tokenOp {
			continue
		}
		switch {
		case strings.Contains("([{", t.text):
			depth++
		case strings.Contains(")]}", t.text):
			depth--
		}
		if depth == 0 || depth == 1 && t.text == "," {
			if p, ok := newParameter(tokens[from:i]); ok {
				out = append(out, p)
			}
			from = i + 1
		}
		if depth == 0 {
			break
		}
	}
	return out
}

// newParameter reads name: type = default; false where that is no parameter of a name, or self.
func newParameter(tokens []token) (parameter, bool) {
	rest := len(tokens) == 2 && tokens[0].text == "**"
	if rest {
		tokens = tokens[1:]
	}
	if len(tokens) == 0 || tokens[0].kind != tokenName || tokens[0].text == "self" || tokens[0].text == "cls" {
		return parameter{}, false
	}
	p := parameter{name: tokens[0].text, rest: rest}
	if at := topLevel(tokens, "="); at > 0 {
		x, err := parseExpr(tokens[at+1:])
		if err != nil {
			x = pyOpaque{"the parameter " + p.name}
		}
		p.value = x
	}
	return p, true
}

// constant notes what a statement outside of functions assigns. A name that is assigned twice stands for nothing known.
func (m *module) constant(st statement, class string) {
	at := topLevel(st.tokens, "=")
	if at != 1 || st.tokens[0].kind != tokenName {
		return
	}
	name := st.tokens[0].text
	if class != "" {
		name = "self." + name
	}
	x, err := parseExpr(st.tokens[2:])
	if _, again := m.constants[name]; again || err != nil {
		x = pyOpaque{"the name " + name}
	}
	m.constants[name] = x
}

// topLevel is the index of the first token that is an operator or a keyword given and stands in no bracket; -1 where
// there is none.
func topLevel(tokens []token, text string) int {
	depth := 0
	return slices.IndexFunc(tokens, func(t token) bool {
		if t.kind != tokenOp && t.kind != tokenName {
			return false
		}
		switch {
		case t.kind == tokenOp && strings.Contains("([{", t.text):
			depth++
		case t.kind == tokenOp && strings.Contains(")]}", t.text):
			depth--
		}
		return depth == 0 && t.text == text
	})
}

// find returns the function of a name that a test can call: a method of its class for self.NAME, one of the module
// else; nil where there is none, or several.
func (m *module) find(class, name string) *function {
	var found *function
	for _, f := range m.functions {
		if f.name == name && f.class == class {
			if found != nil {
				return nil
			}
			found = f
		}
	}
	return found
}

// before lists what runs before each test of a class: fixtures of use to all, and methods that set up.
func (m *module) before(class string) []*function {
	var out []*function
	for _, f := range m.functions {
		own := f.class == class && class != ""
		switch {
		case f.fixture && f.autouse && (own || f.class == ""),
			own && slices.Contains([]string{"setUpClass", "setUp", "asyncSetUp", "setup_class", "setup_method"}, f.name),
			f.class == "" && class == "" && slices.Contains([]string{"setup_module", "setup_function", "setUpModule"}, f.name):
			out = append(out, f)
		}
	}
	return out
}
