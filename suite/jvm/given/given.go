package given

import (
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/script"
)

// maxRuns bounds how many values a test is followed with.
const maxRuns = 32

// Resolver knows what the file of a test says of values.
type Resolver interface {
	// ValueOf is what an expression stands for, by its tokens.
	ValueOf(from, to int) java.Node
	// Gives is what a method of the file gives that takes nothing.
	Gives(f *java.Method) java.Node
}

// Runs lists the values that a test runs with, in order: of each run, those of the first parameters. They are nil where
// the test runs once, or where not all of them are known; several is whether it runs several times.
func Runs(m *java.File, f *java.Method, by Resolver) (runs [][]java.Node, several bool) {
	_, several = f.IsTest()
	l := &listing{file: m, of: f, by: by, ok: true}
	seen := map[string]bool{}
	for _, n := range notesOf(m, f) {
		several = several || n.has("dataProvider")
		if l.add(n); seen[n.name] && strings.HasSuffix(n.name, "Source") {
			l.ok = false // in which order they come is not said
		}
		seen[n.name] = true
	}
	if !several || !l.ok || len(l.runs) == 0 || len(l.runs) > maxRuns || l.converts() {
		return nil, several
	}
	return l.runs, true
}

// listing is the list of the runs of a test in the making.
type listing struct {
	file *java.File
	of   *java.Method
	by   Resolver
	runs [][]java.Node
	ok   bool // all of them are known
}

// add adds the runs that an annotation lists.
func (l *listing) add(n note) {
	switch n.name {
	case "RepeatedTest":
		times, _ := strconv.Atoi(java.WrittenText(l.first(n, "value")))
		l.ok = l.ok && times > 0 && times <= maxRuns
		for range min(times, maxRuns) {
			l.runs = append(l.runs, nil)
		}
	case "ValueSource":
		l.values(n)
	case "NullSource", "EmptySource", "NullAndEmptySource":
		l.none(n.name)
	case "CsvSource":
		l.csv(n)
	case "EnumSource":
		l.constants(n)
	case "MethodSource":
		l.method(n)
	case "Test":
		if n.has("dataProvider") {
			l.provided(l.text(n, "dataProvider"))
		}
		l.ok = l.ok && !n.has("invocationCount") && !n.has("threadPoolSize")
	default:
		l.ok = l.ok && !strings.HasSuffix(n.name, "Source")
	}
}

// converts reports whether parameters say by annotations what is made of their values, or take any number of these.
func (l *listing) converts() bool {
	open := l.of.Keyword + 1
	for _, t := range l.file.Tokens[open:l.file.Match[open]] {
		if t.Is("@") || t.Is("...") || t.Is("vararg") {
			return true
		}
	}
	text := l.file.Joined(open, l.file.Match[open])
	return strings.Contains(text, "...") || strings.Contains(text, "ArgumentsAccessor")
}

// values adds those of @ValueSource(ints = {1, 2}).
func (l *listing) values(n note) {
	for _, a := range n.attributes {
		for _, v := range a.values {
			x := l.by.ValueOf(v.from, v.to)
			if java.WrittenText(x) == script.Unknown || strings.Contains(java.WrittenText(x), script.Unknown) {
				l.ok = false
			}
			l.run(x)
		}
	}
	l.ok = l.ok && len(n.attributes) == 1
}

// none adds null, an empty text, or both.
func (l *listing) none(name string) {
	if len(l.of.Params) != 1 {
		l.ok = false
		return
	}
	if strings.HasPrefix(name, "Null") {
		l.run(java.Name{ID: "null"})
	}
	if strings.Contains(name, "Empty") {
		l.ok = l.ok && strings.TrimSuffix(l.of.Params[0].Typ, "?") == "String"
		l.run(java.TextOf(""))
	}
}

// constants adds those of an enumeration.
func (l *listing) constants(n note) {
	class := ""
	if v := n.values("value"); len(v) == 1 {
		class = strings.TrimSuffix(strings.TrimSuffix(l.file.Joined(v[0].from, v[0].to), ".class"), "::class")
	} else if len(l.of.Params) > 0 {
		class = l.of.Params[0].Typ
	}
	all, known := l.file.Enums[class[strings.LastIndexByte(class, '.')+1:]]
	var names []string
	for _, v := range n.values("names") {
		names = append(names, java.WrittenText(l.by.ValueOf(v.from, v.to)))
	}
	mode := ""
	if v := n.values("mode"); len(v) == 1 {
		mode = l.file.Tokens[v[0].to-1].Text
	}
	l.ok = l.ok && known && (mode == "" || mode == "INCLUDE" || mode == "EXCLUDE") && !n.has("from") && !n.has("to")
	for _, name := range all {
		if len(names) == 0 || slices.Contains(names, name) == (mode != "EXCLUDE") {
			l.run(java.TextOf(name))
		}
	}
}

// method adds what a method gives that @MethodSource names, or that is called as the test is.
func (l *listing) method(n note) {
	name := l.of.Name
	if n.has("value") {
		name = l.text(n, "value")
	}
	if f := l.file.Find(l.of.Class, name, 0); f != nil {
		l.given(l.by.Gives(f))
	} else {
		l.ok = false
	}
}

// provided adds what a method gives that TestNG's @DataProvider names.
func (l *listing) provided(name string) {
	for _, f := range l.file.Methods {
		for _, n := range notesOf(l.file, f) {
			if n.name == "DataProvider" && len(f.Params) == 0 && (f.Name == name && !n.has("name") || l.text(n, "name") == name) {
				l.ok = l.ok && !n.has("indices")
				l.given(l.by.Gives(f))
				return
			}
		}
	}
	l.ok = false
}

// given adds the elements of a list: arguments, or the one argument.
func (l *listing) given(x java.Node) {
	all, ok := x.(java.Array)
	l.ok = l.ok && ok
	for _, e := range all.Elems {
		row, several := e.(java.Array)
		if one := len(l.of.Params) == 1; !several || one && slices.Contains([]string{"List", "array", "Map"}, l.of.Params[0].Typ) {
			l.run(e)
		} else {
			l.run(row.Elems...)
		}
	}
}

// run adds one run.
func (l *listing) run(values ...java.Node) {
	row := make([]java.Node, 0, len(values))
	for i, p := range l.of.Params {
		if i < len(values) {
			row = append(row, l.converted(values[i], p))
		}
	}
	l.runs = append(l.runs, row)
}

// converted is a value as its parameter has it.
func (l *listing) converted(x java.Node, p java.Parameter) java.Node {
	unknown := java.Opaque{What: "the parameter " + p.Name}
	text := java.WrittenText(x)
	if x == java.Node(java.Name{ID: "null"}) {
		return x
	}
	_, isText := x.(java.Text)
	switch typ := strings.TrimSuffix(p.Typ, "?"); typ {
	case "boolean", "Boolean":
		if text == "true" || text == "false" {
			return java.Name{ID: text}
		}
		return unknown
	case "int", "Integer", "long", "Long", "short", "Short", "byte", "Byte", "BigInteger":
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			return unknown
		}
		return java.Number{Text: text}
	case "double", "Double", "float", "Float":
		n, err := strconv.ParseFloat(text, 64)
		written := strconv.FormatFloat(n, 'f', -1, 64)
		if err != nil || n != 0 && (max(n, -n) < 1e-3 || max(n, -n) >= 1e7) { // of which Java writes the exponent
			return unknown
		}
		if !strings.Contains(written, ".") {
			written += ".0"
		}
		return java.Number{Text: written}
	case "String", "Object", "CharSequence":
		return x
	default:
		if isText && !slices.Contains(l.file.Enums[typ], text) {
			return unknown
		}
	}
	return x
}
