package java

import (
	"fmt"
	"slices"
	"strings"
)

// Method is a method of a file.
type Method struct {
	Name, Class   string
	Params        []Parameter
	Head, Keyword int // the tokens of its first annotation or modifier, and of its name
	Open, Close   int // those of the braces of its body
	notes         []string
	Skipped       bool // it, or a class around it, is not run
}

// Parameter is a parameter of a method.
type Parameter struct {
	Name, Typ  string
	Elem, JSON string // of its elements, and its name in JSON; as of a [Variable]
	From, To   int    // the tokens of what it is where it is not given; 0 where it has to be
}

// Variable is a field: its type, and the tokens of what it is set to where it is declared; to is 0 where it is not.
type Variable struct {
	Typ      string
	Elem     string // the type of its elements, where it is a list or an array of one type
	JSON     string // the name that an annotation gives it in JSON; "" for its own
	From, To int
}

// File is what a file defines.
type File struct {
	Parser
	Imports []string // as they are written: "static a.B.*"
	Methods []*Method
	Outer   map[string]string              // the class around each class, or above it
	nested  map[string]string              // the class around each class; "" for none
	Fields  map[string]map[string]Variable // by class
	off     map[string]bool                // classes whose tests are skipped
	// Components are what records, and classes of Kotlin, take in their heads, by class.
	Components map[string][]Parameter
	// Enums are the constants of enumerations, by class: of those that are called as they are written.
	Enums map[string][]string
	// Set are names that methods give a value, but for those that run before tests.
	Set map[string]bool
}

// Read finds what a file defines.
func Read(tokens []Token) *File { return (Parser{Tokens: tokens, operators: true}).file() }

// ReadKotlin finds what a file of Kotlin defines, whose statements and declarations are given as Java has them.
func ReadKotlin(tokens []Token) *File {
	return (Parser{Tokens: tokens, operators: true, kotlin: true}).file()
}

// file finds what the tokens define.
func (p Parser) file() *File {
	tokens := p.Tokens
	p.Match = Matches(tokens)
	m := &File{Parser: p, Outer: map[string]string{}, nested: map[string]string{}, off: map[string]bool{},
		Fields: map[string]map[string]Variable{}, Components: map[string][]Parameter{},
		Enums: map[string][]string{}, Set: map[string]bool{}}
	i := 0
	for i < len(tokens) && (tokens[i].Is("package") || tokens[i].Is("import")) {
		from := i + 1
		for i < len(tokens) && !tokens[i].Is(";") {
			i++
		}
		text := m.Joined(from, i)
		if tokens[from-1].Is("import") {
			m.Imports = append(m.Imports, strings.Replace(text, "static", "static ", 1))
		}
		i++
	}
	m.members("", min(i, len(tokens)), len(tokens))
	for _, f := range m.Methods {
		for k := f.Open; k < f.Close; k++ {
			if k+1 < f.Close && tokens[k].Kind == NameToken && tokens[k+1].Is("=") && !m.runsBefore(f) {
				m.Set[tokens[k].Text] = true
			}
		}
	}
	return m
}

// Joined is the text of tokens, without what stands between them.
func (m *File) Joined(from, to int) string {
	var b strings.Builder
	for i := from; i < min(to, len(m.Tokens)); i++ {
		b.WriteString(m.Tokens[i].Text)
	}
	return b.String()
}

// members reads what a class holds, or a file.
func (m *File) members(class string, from, to int) {
	for i := from; i < to; {
		if class == "" && (m.Tokens[i].Is("package") || m.Tokens[i].Is("import")) { // of a file beside
			for i < to && !m.Tokens[i].Is(";") {
				i++
			}
			i++
			continue
		}
		head := i
		var notes []string
		for i < to && m.Tokens[i].Is("@") && !(i+1 < to && m.Tokens[i+1].Is("interface")) {
			name := ""
			name, i = m.Annotation(i)
			notes = append(notes, name)
			i++
		}
		keyword, typ, kind := m.header(i, to)
		off := m.off[class] || slices.Contains(notes, "Disabled") || slices.Contains(notes, "Ignore")
		switch {
		case kind == "class":
			i = m.class(class, keyword, to, off)
		case kind == "(":
			f := &Method{Name: m.Tokens[keyword].Text, Class: class, Head: head, Keyword: keyword, notes: notes, Skipped: off}
			end := m.Match[keyword+1]
			f.Params = m.parameters(keyword+2, end)
			for i = end + 1; i < to && !m.Tokens[i].Is("{") && !m.Tokens[i].Is(";"); i++ {
			}
			if i < to && m.Tokens[i].Is("{") {
				f.Open, f.Close = i, m.Match[i]
				m.Methods = append(m.Methods, f)
				i = f.Close
			}
			i++
		case kind == "{":
			i = m.Match[keyword] + 1
		case kind == "":
			i = keyword + 1
		default:
			json := m.jsonName(head, keyword)
			i = m.field(class, typ, json, keyword, to)
		}
	}
}

// header finds what a member is: "class", "(" for a method, "=" or ";" for a field, "{" for a block, "" for nothing; and
// its name, or its brace, and the type before that.
func (m *File) header(i, to int) (keyword int, typ, kind string) {
	for ; i < to; i++ {
		t := &m.Tokens[i]
		switch {
		case t.Is("class"), t.Is("interface"), t.Is("enum"), t.Is("record") && i+2 < to && m.Tokens[i+1].Kind == NameToken &&
			m.Tokens[i+2].Is("("):
			return i, "", "class"
		case t.Is("("), t.Is("="), t.Is(";"), t.Is(","):
			if i < 2 || m.Tokens[i-1].Kind != NameToken {
				return i, "", ""
			}
			if kind = t.Text; kind == "," {
				kind = ";"
			}
			return i - 1, typ, kind
		case t.Is("{"):
			return i, "", "{"
		case t.Is("}"):
			return i, "", ""
		case t.Is("<"):
			i = m.Generics(i, to)
		case t.Kind == NameToken && i+1 < to && m.Tokens[i+1].Kind == NameToken || i+1 < to && (m.Tokens[i+1].Is("<") ||
			m.Tokens[i+1].Is("[")):
			typ = t.Text
		}
	}
	return to, "", ""
}

// Generics steps over <…>, and returns its last token.
func (m *File) Generics(i, to int) int {
	depth := 0
	for k := i; k < to; k++ {
		switch t := &m.Tokens[k]; {
		case t.Is("<"):
			depth++
		case t.Is(">"):
			depth--
		case t.Is(";"), t.Is("("), t.Is("{"):
			return i
		}
		if depth == 0 {
			return k
		}
	}
	return i
}

// class reads a class from its keyword on, and returns where what follows it begins.
func (m *File) class(outer string, keyword, to int, skipped bool) int {
	name := ""
	if keyword+1 < to {
		name = m.Tokens[keyword+1].Text
	}
	if m.Outer[name], m.nested[name] = outer, outer; outer == name {
		m.Outer[name], m.nested[name] = "", ""
	}
	for i := keyword + 1; i < to; i++ {
		switch t := &m.Tokens[i]; {
		case t.Is("extends") && i+1 < to && outer == "" && m.Tokens[i+1].Text != name:
			m.Outer[name] = m.Tokens[i+1].Text
		case t.Is("("):
			if i == keyword+2 || m.Tokens[i-1].Is(">") {
				m.components(name, i+1, m.Match[i])
			}
			i = m.Match[i]
		case t.Is(";"):
			return i + 1
		case t.Is("{"):
			if m.Tokens[keyword].Is("enum") {
				m.constants(name, i+1, m.Match[i])
			} else if m.depth < maxClasses {
				m.depth++
				m.off[name] = skipped
				m.members(name, i+1, m.Match[i])
				m.depth--
			}
			return m.Match[i] + 1
		}
	}
	return to
}

// maxClasses bounds how deeply classes nest.
const maxClasses = 20

// FieldOf reads the fields that one declaration has, and returns where what follows it begins.
func (m *File) field(class, typ, json string, name, to int) int {
	if m.Fields[class] == nil {
		m.Fields[class] = map[string]Variable{}
	}
	for {
		end := name + 1
		for end < to && !m.Tokens[end].Is(";") && !m.Tokens[end].Is(",") {
			if t := &m.Tokens[end]; t.Is("(") || t.Is("[") || t.Is("{") {
				end = m.Match[end]
			} else if t.Is("<") {
				end = m.Generics(end, to)
			}
			end++
		}
		f := Variable{Typ: typ, JSON: json}
		elem, array := m.elemBefore(name)
		if f.Elem = elem; array {
			f.Typ = "array"
		}
		if name+1 < end && m.Tokens[name+1].Is("=") {
			f.From, f.To = name+2, end
		}
		m.Fields[class][m.Tokens[name].Text] = f
		if end+1 >= to || !m.Tokens[end].Is(",") || m.Tokens[end+1].Kind != NameToken {
			return end + 1
		}
		name = end + 1
	}
}

// parameters reads the parameters between two parentheses.
func (m *File) parameters(from, to int) []Parameter {
	var out []Parameter
	typ, name, set, begin := "", "", 0, from
	for i := from; i <= to; i++ {
		switch t := &m.Tokens[i]; {
		case i == to || t.Is(","):
			if name != "" {
				p := Parameter{Name: name, Typ: typ, JSON: m.jsonName(begin, i)}
				end := i
				if set > 0 {
					p.From, p.To = set, i
					end = set - 1
				}
				if elem, array := m.elemBefore(end - 1); elem != "" {
					if p.Elem = elem; array {
						p.Typ = "array"
					}
				}
				out = append(out, p)
			}
			typ, name, set, begin = "", "", 0, i+1
		case set > 0 && (t.Is("(") || t.Is("[") || t.Is("{")):
			i = m.Match[i]
		case set > 0:
		case t.Is("="):
			set = i + 1
		case t.Is("<"):
			i = m.Generics(i, to)
		case t.Is("@"):
			_, i = m.Annotation(i)
		case t.Kind == NameToken:
			typ, name = name, t.Text
		}
	}
	return out
}

// Annotation returns the simple name of an annotation, and its last token.
func (p *Parser) Annotation(i int) (name string, last int) {
	for i++; i < len(p.Tokens) && p.Tokens[i].Kind == NameToken; i += 2 {
		name = p.Tokens[i].Text
		if i+1 == len(p.Tokens) || !p.Tokens[i+1].Is(".") && !p.Tokens[i+1].Is(":") {
			if i+1 < len(p.Tokens) && p.Tokens[i+1].Is("(") {
				return name, p.Match[i+1]
			}
			return name, i
		}
	}
	return name, i - 1
}

// lineage lists a class, what it extends or stands in, and so on.
func (m *File) lineage(class string) []string {
	var out []string
	for class != "" && !slices.Contains(out, class) {
		out = append(out, class)
		class = m.Outer[class]
	}
	return append(out, "")
}

// Find returns the method of a name that takes so many arguments and that a class has, or one around it; nil where
// there Is none, or several.
func (m *File) Find(class, name string, args int) *Method {
	for _, of := range m.lineage(class) {
		var found []*Method
		for _, f := range m.Methods {
			if f.Name == name && f.Class == of && f.takes(args) {
				found = append(found, f)
			}
		}
		if len(found) > 0 {
			if len(found) > 1 {
				return nil
			}
			return found[0]
		}
	}
	return nil
}

// takes reports whether a method can be called with so many arguments.
func (f *Method) takes(args int) bool {
	needs := 0
	for _, p := range f.Params {
		if p.From == 0 {
			needs++
		}
	}
	return needs <= args && args <= len(f.Params)
}

// FieldOf returns the field of a name that a class has, or one around it.
func (m *File) FieldOf(class, name string) (Variable, bool) {
	for _, of := range m.lineage(class) {
		if f, ok := m.Fields[of][name]; ok {
			return f, true
		}
	}
	return Variable{}, false
}

// Before lists what runs before each test of a class, in order.
func (m *File) Before(class string) []*Method {
	var once, each []*Method
	for _, of := range slices.Backward(m.lineage(class)) {
		for _, f := range m.Methods {
			switch {
			case f.Class != of || !m.runsBefore(f):
			case slices.ContainsFunc(f.notes, func(n string) bool {
				return slices.Contains([]string{"BeforeEach", "Before", "BeforeMethod", "BeforeTest"}, n)
			}):
				each = append(each, f)
			default:
				once = append(once, f)
			}
		}
	}
	return append(once, each...)
}

// OnceFor names what a method does that runs once for the tests of a class, and of those within it; "" where it runs
// before each. What Kotlin has in an init block runs for each instance.
func (m *File) OnceFor(f *Method, class string) string {
	if f.Name == "init" || !slices.ContainsFunc(f.notes, func(n string) bool { return n == "BeforeAll" || n == "BeforeClass" }) {
		return ""
	}
	for m.nested[class] != "" && slices.Contains(m.lineage(m.nested[class]), f.Class) {
		class = m.nested[class] // which has it run once for all
	}
	return fmt.Sprintf("%s.%d", class, f.Open)
}

// runsBefore reports whether a method runs before tests.
func (m *File) runsBefore(f *Method) bool {
	return slices.ContainsFunc(f.notes, func(n string) bool {
		return slices.Contains([]string{"BeforeAll", "BeforeClass", "BeforeEach", "Before", "BeforeMethod", "BeforeTest"}, n)
	})
}

// IsTest reports whether a method is a test, and whether it runs with several values.
func (f *Method) IsTest() (test, many bool) {
	for _, n := range f.notes {
		many = many || n == "ParameterizedTest" || n == "RepeatedTest" || n == "TestTemplate"
		test = test || many || n == "Test"
	}
	return test && f.Open > 0, many
}

// Nested is the name of a class behind those of the classes around it: "Outer.Inner".
func (m *File) Nested(class string) string {
	name := class
	for n := 0; m.nested[class] != "" && n < len(m.nested); n++ {
		class = m.nested[class]
		name = class + "." + name
	}
	return name
}

// Has reports whether the file imports a name, or all of what it is in: "static a.B.c", "a.B".
func (m *File) Has(name string) bool {
	all := name[:strings.LastIndexByte(name, '.')] + ".*"
	return slices.Contains(m.Imports, name) || slices.Contains(m.Imports, all)
}

// Base is the name that a statement begins with.
func (m *File) Base(from int) string {
	tokens := m.Tokens
	if tokens[from].Is("this") && from+2 < len(tokens) {
		return "this." + tokens[from+2].Text
	}
	return tokens[from].Text
}

// TypeBefore is the simple name of the type that is declared before a name.
func (m *File) TypeBefore(from, name int) string {
	tokens, typ := m.Tokens, ""
	for i := from; i < name; i++ {
		switch t := &tokens[i]; {
		case t.Is("<"):
			i = m.Generics(i, name)
		case t.Is("["):
			return "array"
		case t.Kind == NameToken && !t.Is("final"):
			typ = t.Text
		}
	}
	return typ
}
