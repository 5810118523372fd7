package python

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/syntax"
)

// function is a function or a method of a file.
type function struct {
	module      *module
	name, class string // class is "" for a function of the module
	params      []parameter
	decorators  []syntax.Statement
	head        syntax.Statement
	body        []syntax.Statement
	fixture     bool   // pytest sends it before a test that names it
	autouse     bool   // or before every test
	scope       string // of a fixture: how long what it gives is kept, "" for one test
	skipped     bool
	unrolled    bool // it has a loop that is followed turn by turn
	many        bool // the test runs several times, with other values
}

// parameter is a parameter of a function.
type parameter struct {
	name  string
	value syntax.Node // its default; nil where it has none
	rest  bool        // it takes the named arguments that no other parameter has: **name
}

// module is what a file defines.
type module struct {
	functions []*function
	bases     map[string][]string    // of each class
	begins    map[string]int         // where each class begins, in bytes
	fields    map[string][]field     // of each record's class, in order
	kinds     map[string]recordKind  // of each class
	imports   map[string]imported    // names that come from other files
	conftests []*module              // of a file of tests: what pytest finds fixtures in besides, the nearest first
	re        bool                   // it imports the module re
	constants map[string]syntax.Node // what is assigned at its top level, or in a class as "self.NAME", each once
}

// readModule finds the functions and constants of a file. Functions within functions are statements of these.
func readModule(stmts []syntax.Statement) *module {
	m := &module{constants: map[string]syntax.Node{}, bases: map[string][]string{},
		begins: map[string]int{}, fields: map[string][]field{}, kinds: map[string]recordKind{},
		imports: map[string]imported{}}
	class, inClass := "", -1
	var decorators []syntax.Statement
	for i := 0; i < len(stmts); i++ {
		st := stmts[i]
		indent := len(st.Indent)
		if indent <= inClass {
			class, inClass = "", -1
		}
		switch {
		case st.Is("@"):
			decorators = append(decorators, st)
			continue
		case st.Is("class") && len(st.Tokens) > 1:
			class, inClass = st.Tokens[1].Text, indent
			m.bases[class], m.begins[class] = syntax.Bases(st.Tokens), st.Start
			if m.kinds[class] = kindOfRecord(decorators, m.bases[class]); m.kinds[class] != noRecord {
				m.fields[class] = []field{}
			}
		case st.Is("def"), st.Is("async", "def"):
			f := newFunction(st, class, decorators)
			f.module = m
			for i+1 < len(stmts) && len(stmts[i+1].Indent) > indent {
				i++
				f.body = append(f.body, stmts[i])
			}
			m.functions = append(m.functions, f)
			if changesFields(decorators) {
				m.fields[class] = nil
			}
		case st.Is("import", "re") && len(st.Tokens) == 2:
			m.re = true
		case m.fields[class] != nil && len(st.Tokens) > 2 && st.Tokens[0].Kind == syntax.TokenName &&
			st.Tokens[1].Text == ":":
			f, ok := newField(st.Tokens)
			if m.fields[class] = append(m.fields[class], f); !ok || slices.ContainsFunc(st.Tokens, func(t syntax.Token) bool {
				return t.Text == "ClassVar" || t.Text == "InitVar" || t.Text == "KW_ONLY"
			}) {
				m.fields[class] = nil // not each of them is a field
			}
		case st.Is("model_config") && m.fields[class] != nil: // which may name them otherwise
			m.fields[class] = nil
		default:
			m.constant(st, class)
		}
		decorators = nil
	}
	return m
}

// newFunction reads what a def says.
func newFunction(st syntax.Statement, class string, decorators []syntax.Statement) *function {
	f := &function{class: class, head: st, decorators: decorators}
	tokens := st.Tokens
	for len(tokens) > 0 && tokens[0].Text != "def" {
		tokens = tokens[1:]
	}
	if len(tokens) > 2 {
		f.name, f.params = tokens[1].Text, parameters(tokens[2:])
	}
	for _, d := range decorators {
		f.scope = cmp.Or(f.scope, syntax.FixtureScope(d))
		f.many = f.many || slices.ContainsFunc(d.Tokens, func(t syntax.Token) bool {
			return t.Kind == syntax.TokenName && t.Text == "params"
		})
		for _, t := range d.Tokens {
			if t.Kind != syntax.TokenName {
				continue
			}
			switch t.Text {
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

// onceFor names what a function does once for several tests, those of a class given among them; "" where each test has
// it done.
func (f *function) onceFor(class string) string {
	scope := f.scope
	if !f.fixture {
		scope = map[string]string{"setUpClass": "class", "setup_class": "class",
			"setUpModule": "module", "setup_module": "module"}[f.name]
	}
	switch scope {
	case "module", "package", "session":
		class = ""
	case "class":
		if class == "" {
			return "" // of a function, which is a class of its own here
		}
	default:
		return ""
	}
	return fmt.Sprintf("%s.%s.%s.%d", scope, class, f.name, f.head.Start)
}

// parameters lists the parameters of a function, self aside; tokens begin with their parenthesis.
func parameters(tokens []syntax.Token) []parameter {
	if len(tokens) == 0 || tokens[0].Text != "(" {
		return nil
	}
	return parametersIn(tokens[1:max(1, syntax.Closed(tokens))])
}

// parametersIn lists the parameters between parentheses, or of a lambda.
func parametersIn(tokens []syntax.Token) []parameter {
	var out []parameter
	for _, one := range syntax.Split(tokens) {
		if p, ok := newParameter(one); ok {
			out = append(out, p)
		}
	}
	return out
}

// newParameter reads name: type = default; false where that is no parameter of a name, or self.
func newParameter(tokens []syntax.Token) (parameter, bool) {
	rest := len(tokens) == 2 && tokens[0].Text == "**"
	if rest {
		tokens = tokens[1:]
	}
	if len(tokens) == 0 || tokens[0].Kind != syntax.TokenName || tokens[0].Text == "self" || tokens[0].Text == "cls" {
		return parameter{}, false
	}
	p := parameter{name: tokens[0].Text, rest: rest}
	if at := syntax.TopLevel(tokens, "="); at > 0 {
		x, err := syntax.ParseExpr(tokens[at+1:])
		if err != nil {
			x = meaning.Opaque{What: "the parameter " + p.name}
		}
		p.value = x
	}
	return p, true
}

// constant notes what a statement outside of functions assigns. A name that is assigned twice stands for nothing known.
func (m *module) constant(st syntax.Statement, class string) {
	at := syntax.TopLevel(st.Tokens, "=")
	if at != 1 || st.Tokens[0].Kind != syntax.TokenName {
		return
	}
	name := st.Tokens[0].Text
	if class != "" {
		name = "self." + name
	}
	x, err := syntax.ParseExpr(st.Tokens[2:])
	if _, again := m.constants[name]; again || err != nil {
		x = meaning.Opaque{What: "the name " + name}
	}
	m.constants[name] = x
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

// called is the function that a file calls by a name: its own, or one that it imports; nil where there is none.
func (m *module) called(name string) *function {
	if f := m.find("", name); f != nil {
		return f
	}
	if from, ok := m.imports[name]; ok && from.name != "" {
		return from.module.find("", from.name)
	}
	return nil
}

// maxBases bounds how far up classes that others are derived from are followed.
const maxBases = 8

// method returns the method of a class, its own or that of a class that it is derived from; nil where there is none.
func (m *module) method(class, name string) *function {
	for _, c := range m.lineage(class, maxBases) {
		if f := c.module.find(c.name, name); f != nil {
			return f
		}
	}
	return nil
}

// imported is what a name of another file stands for: what that file calls by a name, or the file itself, where the
// name is "".
type imported struct {
	module *module
	name   string
}

// named is what a name stands for that is no variable: what the file imports by it, or has of its own.
func (m *module) named(name string) imported {
	if from, ok := m.imports[name]; ok && from.name != "" {
		return from
	}
	return imported{m, name}
}

// lineage lists a class and those that it is derived from.
func (m *module) lineage(class string, depth int) []imported {
	if class == "" || depth == 0 {
		return nil
	}
	if from, ok := m.imports[class]; ok && m.bases[class] == nil {
		return from.module.lineage(from.name, depth-1)
	}
	out := []imported{{m, class}}
	for _, base := range m.bases[class] {
		out = append(out, m.lineage(base, depth-1)...)
	}
	return out
}

// before lists what runs before each test of a class: fixtures of use to all, those of conftest.py first, and methods
// that set up, those of the classes that it is derived from first.
func (m *module) before(class string) []*function {
	var out []*function
	for _, c := range slices.Backward(m.conftests) {
		out = append(out, c.beforeOwn("")...)
	}
	for _, c := range slices.Backward(m.lineage(class, maxBases)) {
		if c.module != m || c.name != class {
			out = append(out, slices.DeleteFunc(c.module.beforeOwn(c.name), func(f *function) bool { return f.class == "" })...)
		}
	}
	return append(out, m.beforeOwn(class)...)
}

// beforeOwn lists what the file itself has run before each test of a class.
func (m *module) beforeOwn(class string) []*function {
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
