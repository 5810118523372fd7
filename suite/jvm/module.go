package jvm

import (
	"slices"
	"strings"
)

// method is a method of a file.
type method struct {
	name, class   string
	params        []parameter
	head, keyword int // the tokens of its first annotation or modifier, and of its name
	open, close   int // those of the braces of its body
	notes         []string
	skipped       bool // it, or a class around it, is not run
}

// parameter is a parameter of a method, or a variable that a statement declares.
type parameter struct{ name, typ string }

// javaField is a field: its type, and the tokens of what it is set to where it is declared; to is 0 where it is not.
type javaField struct {
	typ      string
	from, to int
}

// module is what a file defines.
type module struct {
	parser
	imports []string // as they are written: "static a.B.*"
	methods []*method
	outer   map[string]string               // the class around each class, or above it
	nested  map[string]string               // the class around each class; "" for none
	fields  map[string]map[string]javaField // by class
	// set are names of fields that methods give a value, by which of them do: those that run before tests, others
	set map[string]bool
}

// readModule finds what a file defines.
func readModule(tokens []lexeme) *module {
	m := &module{parser: parser{tokens: tokens, match: matches(tokens), operators: true}, outer: map[string]string{},
		nested: map[string]string{}, fields: map[string]map[string]javaField{}, set: map[string]bool{}}
	i := 0
	for i < len(tokens) && (tokens[i].is("package") || tokens[i].is("import")) {
		from := i + 1
		for i < len(tokens) && !tokens[i].is(";") {
			i++
		}
		text := m.joined(from, i)
		if tokens[from-1].is("import") {
			m.imports = append(m.imports, strings.Replace(text, "static", "static ", 1))
		}
		i++
	}
	m.members("", min(i, len(tokens)), len(tokens), false)
	for _, f := range m.methods {
		for k := f.open; k < f.close; k++ {
			if k+1 < f.close && tokens[k].kind == tokName && tokens[k+1].is("=") && !m.runsBefore(f) {
				m.set[tokens[k].text] = true
			}
		}
	}
	return m
}

// joined is the text of tokens, without what stands between them.
func (m *module) joined(from, to int) string {
	var b strings.Builder
	for i := from; i < min(to, len(m.tokens)); i++ {
		b.WriteString(m.tokens[i].text)
	}
	return b.String()
}

// members reads what a class holds, or a file.
func (m *module) members(class string, from, to int, skipped bool) {
	for i := from; i < to; {
		head := i
		var notes []string
		for i < to && m.tokens[i].is("@") && !(i+1 < to && m.tokens[i+1].is("interface")) {
			name := ""
			name, i = m.annotation(i)
			notes = append(notes, name)
			i++
		}
		keyword, typ, kind := m.header(i, to)
		off := skipped || slices.Contains(notes, "Disabled") || slices.Contains(notes, "Ignore")
		switch {
		case kind == "class":
			i = m.class(class, keyword, to, off)
		case kind == "(":
			f := &method{name: m.tokens[keyword].text, class: class, head: head, keyword: keyword, notes: notes, skipped: off}
			end := m.match[keyword+1]
			f.params = m.parameters(keyword+2, end)
			for i = end + 1; i < to && !m.tokens[i].is("{") && !m.tokens[i].is(";"); i++ {
			}
			if i < to && m.tokens[i].is("{") {
				f.open, f.close = i, m.match[i]
				m.methods = append(m.methods, f)
				i = f.close
			}
			i++
		case kind == "{":
			i = m.match[keyword] + 1
		case kind == "":
			i = keyword + 1
		default:
			i = m.field(class, typ, keyword, to)
		}
	}
}

// header finds what a member is: "class", "(" for a method, "=" or ";" for a field, "{" for a block, "" for nothing; and
// its name, or its brace, and the type before that.
func (m *module) header(i, to int) (keyword int, typ, kind string) {
	for ; i < to; i++ {
		t := &m.tokens[i]
		switch {
		case t.is("class"), t.is("interface"), t.is("enum"), t.is("record") && i+2 < to && m.tokens[i+1].kind == tokName &&
			m.tokens[i+2].is("("):
			return i, "", "class"
		case t.is("("), t.is("="), t.is(";"), t.is(","):
			if m.tokens[i-1].kind != tokName || i < 2 {
				return i, "", ""
			}
			if kind = t.text; kind == "," {
				kind = ";"
			}
			return i - 1, typ, kind
		case t.is("{"):
			return i, "", "{"
		case t.is("}"):
			return i, "", ""
		case t.is("<"):
			i = m.generics(i, to)
		case t.kind == tokName && i+1 < to && m.tokens[i+1].kind == tokName || i+1 < to && (m.tokens[i+1].is("<") || m.tokens[i+1].is("[")):
			typ = t.text
		}
	}
	return to, "", ""
}

// generics steps over <…>, and returns its last token.
func (m *module) generics(i, to int) int {
	depth := 0
	for k := i; k < to; k++ {
		switch t := &m.tokens[k]; {
		case t.is("<"):
			depth++
		case t.is(">"):
			depth--
		case t.is(";"), t.is("("), t.is("{"):
			return i
		}
		if depth == 0 {
			return k
		}
	}
	return i
}

// class reads a class from its keyword on, and returns where what follows it begins.
func (m *module) class(outer string, keyword, to int, skipped bool) int {
	name := ""
	if keyword+1 < to {
		name = m.tokens[keyword+1].text
	}
	if m.outer[name], m.nested[name] = outer, outer; outer == name {
		m.outer[name], m.nested[name] = "", ""
	}
	for i := keyword + 1; i < to; i++ {
		switch t := &m.tokens[i]; {
		case t.is("extends") && i+1 < to && outer == "" && m.tokens[i+1].text != name:
			m.outer[name] = m.tokens[i+1].text
		case t.is("("):
			i = m.match[i]
		case t.is(";"):
			return i + 1
		case t.is("{"):
			if !m.tokens[keyword].is("enum") && m.depth < maxClasses {
				m.depth++
				m.members(name, i+1, m.match[i], skipped)
				m.depth--
			}
			return m.match[i] + 1
		}
	}
	return to
}

// maxClasses bounds how deeply classes nest.
const maxClasses = 20

// field reads the fields that one declaration has, and returns where what follows it begins.
func (m *module) field(class, typ string, name, to int) int {
	if m.fields[class] == nil {
		m.fields[class] = map[string]javaField{}
	}
	for {
		end := name + 1
		for end < to && !m.tokens[end].is(";") && !m.tokens[end].is(",") {
			if t := &m.tokens[end]; t.is("(") || t.is("[") || t.is("{") {
				end = m.match[end]
			} else if t.is("<") {
				end = m.generics(end, to)
			}
			end++
		}
		f := javaField{typ: typ}
		if name+1 < end && m.tokens[name+1].is("=") {
			f.from, f.to = name+2, end
		}
		m.fields[class][m.tokens[name].text] = f
		if end+1 >= to || !m.tokens[end].is(",") || m.tokens[end+1].kind != tokName {
			return end + 1
		}
		name = end + 1
	}
}

// parameters reads the parameters between two parentheses.
func (m *module) parameters(from, to int) []parameter {
	var out []parameter
	typ, name := "", ""
	for i := from; i <= to; i++ {
		switch t := &m.tokens[i]; {
		case i == to || t.is(","):
			if name != "" {
				out = append(out, parameter{name, typ})
			}
			typ, name = "", ""
		case t.is("<"):
			i = m.generics(i, to)
		case t.is("@"):
			_, i = m.annotation(i)
		case t.kind == tokName:
			typ, name = name, t.text
		}
	}
	return out
}

// annotation returns the simple name of an annotation, and its last token.
func (p *parser) annotation(i int) (name string, last int) {
	for i++; i < len(p.tokens) && p.tokens[i].kind == tokName; i += 2 {
		name = p.tokens[i].text
		if i+1 == len(p.tokens) || !p.tokens[i+1].is(".") && !p.tokens[i+1].is(":") {
			if i+1 < len(p.tokens) && p.tokens[i+1].is("(") {
				return name, p.match[i+1]
			}
			return name, i
		}
	}
	return name, i - 1
}

// lineage lists a class, what it extends or stands in, and so on.
func (m *module) lineage(class string) []string {
	var out []string
	for class != "" && !slices.Contains(out, class) {
		out = append(out, class)
		class = m.outer[class]
	}
	return append(out, "")
}

// find returns the method of a name that takes so many arguments and that a class has, or one around it; nil where there
// is none, or several.
func (m *module) find(class, name string, args int) *method {
	for _, of := range m.lineage(class) {
		var found []*method
		for _, f := range m.methods {
			if f.name == name && f.class == of && len(f.params) == args {
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

// field returns the field of a name that a class has, or one around it.
func (m *module) fieldOf(class, name string) (javaField, bool) {
	for _, of := range m.lineage(class) {
		if f, ok := m.fields[of][name]; ok {
			return f, true
		}
	}
	return javaField{}, false
}

// before lists what runs before each test of a class, in order.
func (m *module) before(class string) []*method {
	var once, each []*method
	for _, of := range slices.Backward(m.lineage(class)) {
		for _, f := range m.methods {
			switch {
			case f.class != of || !m.runsBefore(f):
			case slices.ContainsFunc(f.notes, func(n string) bool { return n == "BeforeEach" || n == "Before" || n == "BeforeMethod" }):
				each = append(each, f)
			default:
				once = append(once, f)
			}
		}
	}
	return append(once, each...)
}

// runsBefore reports whether a method runs before tests.
func (m *module) runsBefore(f *method) bool {
	return slices.ContainsFunc(f.notes, func(n string) bool {
		return slices.Contains([]string{"BeforeAll", "BeforeClass", "BeforeEach", "Before", "BeforeMethod"}, n)
	})
}

// isTest reports whether a method is a test, and whether it runs with several values.
func (f *method) isTest() (test, many bool) {
	for _, n := range f.notes {
		many = many || n == "ParameterizedTest" || n == "RepeatedTest" || n == "TestTemplate"
		test = test || many || n == "Test"
	}
	return test && f.open > 0, many
}

// has reports whether the file imports a name, or all of what it is in: "static a.B.c", "a.B".
func (m *module) has(name string) bool {
	all := name[:strings.LastIndexByte(name, '.')] + ".*"
	return slices.Contains(m.imports, name) || slices.Contains(m.imports, all)
}
