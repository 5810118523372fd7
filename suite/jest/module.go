package jest

import (
	"path"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// Names that a file cannot give to anything itself: what stands behind module.exports = and export default.
const (
	moduleExports = "module.exports"
	exportDefault = "export default"
)

// module is a file: that of the tests, or one that it takes functions from.
type module struct {
	path     string
	tokens   []js.Token
	typed    bool               // TypeScript
	packages map[string]string  // names that it imports, and the modules that they come from
	links    map[string]js.Link // names that it imports from other files of the suite
	top      *group             // what it declares
	exports  map[string]js.Link // what others call by a name
	stars    []string           // files of which it exports all
	assigned bool               // module.exports = …
	common   bool               // exports.name = …
	changed  js.Changed
}

func newModule(file string, tokens []js.Token) *module {
	m := &module{path: file, tokens: tokens, packages: js.Imported(tokens), links: map[string]js.Link{},
		exports: map[string]js.Link{}, top: &group{declared: map[string]declaration{}}, changed: js.ChangedBy(tokens,
			js.Block{To: len(tokens)})}
	switch strings.ToLower(path.Ext(script.Slashed(file))) {
	case ".ts", ".mts", ".cts":
		m.typed = true
	}
	return m
}

// mentions reports whether a file has one of some words.
func (m *module) mentions(words ...string) bool {
	return slices.ContainsFunc(m.tokens, func(t js.Token) bool { return slices.ContainsFunc(words, t.Is) })
}

// parser reads a block of the file.
func (m *module) parser(b js.Block) *js.Parser {
	return &js.Parser{Tokens: m.tokens, Pos: b.From, End: b.To, Typed: m.typed}
}

// declares reads what a file declares, imports and exports at its top level.
func (m *module) declares() {
	for p := m.parser(js.Block{To: len(m.tokens)}); p.Pos < p.End; {
		st := p.Statement()
		m.top.declares(st)
		m.linked(p, st)
	}
}

// declares notes the names of a statement outside of tests. A name that is assigned there stands for nothing known.
func (g *group) declares(st js.Statement) {
	for i, name := range st.Names {
		g.declare(name, declaration{x: st.Values[i], fixed: st.Keyword != "let" && st.Keyword != "var"})
	}
	for i, part := range st.Parts {
		g.declared[part.Name] = declaration{part: &st.Parts[i], fixed: st.Keyword == "const"}
	}
	x := st.X
	if st.Keyword == "" && x != nil && x.Form == js.NodeBinary && x.Args[0].Form == js.NodeName && x.Assigns() {
		g.declare(x.Args[0].Text, declaration{})
	}
}

// linked notes what a statement at the top level imports from other files and exports to others.
func (m *module) linked(p *js.Parser, st js.Statement) {
	for _, l := range p.Links(st) {
		switch {
		case !l.Export:
			m.links[l.Name] = l
		case l.Name == "*":
			m.stars = append(m.stars, l.From)
		default:
			m.exports[l.Name] = l
		}
	}
	switch {
	case st.Export == "default" && st.X != nil:
		m.gives("default", exportDefault, st.X)
	case st.Export == "default" && len(st.Names) > 0:
		m.exports["default"] = js.Link{Key: st.Names[0]}
	case st.Export != "":
		for _, name := range st.Names {
			m.exports[name] = js.Link{Key: name}
		}
	case st.Keyword == "" && st.X != nil && st.X.Form == js.NodeBinary && st.X.Text == "=":
		m.assigns(st.X.Args[0], st.X.Args[1])
	}
}

// assigns reads module.exports = x, exports.name = x and module.exports.name = x.
func (m *module) assigns(to, x *js.Node) {
	isWhole := func(n *js.Node) bool { return n.Form == js.NodeMember && n.Text == "exports" && n.Args[0].Is("module") }
	switch {
	case isWhole(to):
		m.assigned = true
		m.top.declare(moduleExports, declaration{x: x, fixed: true})
	case to.Form == js.NodeMember && (isWhole(to.Args[0]) || to.Args[0].Is("exports")):
		m.common = true
		m.gives(to.Text, "exports."+to.Text, x)
	}
}

// gives notes an expression that others call by a name, under a name that the file cannot give to anything itself.
func (m *module) gives(key, name string, x *js.Node) {
	m.top.declare(name, declaration{x: x, fixed: true})
	m.exports[key] = js.Link{Key: name}
}
