package golang

import (
	"bytes"
	_ "embed"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"
)

//go:embed muted.go.txt
var muted []byte

// Mute returns the files of a suite's copy that are to be others, and those that are added, by name. The names are
// those of the suite's files, with slashes.
func Mute(files map[string][]byte) map[string][]byte {
	packages := map[string]*folder{}
	for name, text := range files {
		if path.Ext(name) != ".go" || len(text) > maxFile {
			continue
		}
		fset := token.NewFileSet()
		syntax, err := parser.ParseFile(fset, name, text, parser.PackageClauseOnly)
		if err != nil {
			continue
		}
		key := path.Dir(name) + " " + syntax.Name.Name
		if packages[key] == nil {
			packages[key] = &folder{dir: path.Dir(name), name: syntax.Name.Name, fset: token.NewFileSet()}
		}
		packages[key].read(name, text)
	}
	out := map[string][]byte{}
	for _, p := range packages {
		p.mute(out)
	}
	return out
}

// maxFile bounds a file that is read, in bytes.
const maxFile = 4 << 20

// folder is a package of the suite.
type folder struct {
	dir, name string
	fset      *token.FileSet
	files     []*file
	info      types.Info
	functions map[types.Object]*ast.FuncDecl
	sending   map[types.Object]bool // functions that come to send a request
	suites    map[string]bool       // types that embed testify's suite.Suite
}

// file is a file of a package, and what is to be another text in it.
type file struct {
	*folder
	name   string
	text   []byte
	syntax *ast.File
	edits  []edit
}

// edit puts a text in the place of another.
type edit struct {
	from, to token.Pos
	text     string
}

func (p *folder) read(name string, text []byte) {
	syntax, err := parser.ParseFile(p.fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return
	}
	p.files = append(p.files, &file{folder: p, name: name, text: text, syntax: syntax})
}

// mute adds the package's files as they are muted.
func (p *folder) mute(out map[string][]byte) {
	slices.SortFunc(p.files, func(a, b *file) int { return strings.Compare(a.name, b.name) })
	p.check()
	changed, product := false, false
	for _, f := range p.files {
		f.mute()
		if len(f.edits) == 0 {
			continue
		}
		out[f.name] = f.edited()
		changed, product = true, product || !strings.HasSuffix(f.name, "_test.go")
	}
	name := "flaketap_probe"
	switch {
	case !changed:
		return
	case strings.HasSuffix(p.name, "_test"):
		name += "_outside_test"
	case !product:
		name += "_test"
	}
	out[path.Join(p.dir, name+".go")] = bytes.Replace(muted, []byte("package suite"), []byte("package "+p.name), 1)
}

// check finds out which name is which. Of other packages only the type of a test is known.
func (p *folder) check() {
	p.info = types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Scopes: map[ast.Node]*types.Scope{}}
	syntax := make([]*ast.File, len(p.files))
	for i, f := range p.files {
		syntax[i] = f.syntax
	}
	config := types.Config{Error: func(error) {}, FakeImportC: true, Importer: known{}}
	_, _ = config.Check("suite", p.fset, syntax, &p.info) // what it misses are the other packages
	p.functions, p.suites = map[types.Object]*ast.FuncDecl{}, map[string]bool{}
	for _, f := range p.files {
		for _, d := range f.syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if o := p.info.Defs[d.Name]; o != nil && d.Body != nil {
					p.functions[o] = d
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok && p.embedsSuite(s.Type) {
						p.suites[s.Name.Name] = true
					}
				}
			}
		}
	}
	p.findSending()
}

// embedsSuite reports whether a type is a struct with testify's suite.Suite in it.
func (p *folder) embedsSuite(x ast.Expr) bool {
	s, ok := x.(*ast.StructType)
	return ok && slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool {
		sel, ok := f.Type.(*ast.SelectorExpr)
		return ok && len(f.Names) == 0 && sel.Sel.Name == "Suite" && p.imported(sel.X) == testifySuite
	})
}

// known are the packages whose types are known: testing alone.
type known struct{}

// Import implements types.Importer.
func (known) Import(name string) (*types.Package, error) {
	if name != "testing" {
		return nil, errUnknown
	}
	pkg := types.NewPackage(name, name)
	for _, name := range []string{"T", "TB"} {
		o := types.NewTypeName(token.NoPos, pkg, name, nil)
		under := types.Type(types.NewStruct(nil, nil))
		if name == "TB" {
			under = types.NewInterfaceType(nil, nil)
		}
		types.NewNamed(o, under, nil)
		pkg.Scope().Insert(o)
	}
	pkg.MarkComplete()
	return pkg, nil
}

var errUnknown = errors.New("not loaded")

// imported is the path of the imported package that an expression names; "" where it names none.
func (p *folder) imported(x ast.Expr) string {
	if id, ok := x.(*ast.Ident); ok {
		if name, ok := p.info.Uses[id].(*types.PkgName); ok {
			return name.Imported().Path()
		}
	}
	return ""
}

// isTest reports whether an expression is a *testing.T or a testing.TB.
func (p *folder) isTest(x ast.Expr) bool {
	t := p.info.TypeOf(x)
	return t != nil && isTestType(t)
}

func isTestType(t types.Type) bool {
	text := t.String()
	return text == "*testing.T" || text == "testing.TB"
}

// source is the text of a node.
func (f *file) source(n ast.Node) string {
	return string(f.text[f.offset(n.Pos()):f.offset(n.End())])
}

// offset is where something stands in the text, in bytes.
func (f *file) offset(p token.Pos) int {
	at := f.fset.File(f.syntax.FileStart)
	return min(at.Offset(p), len(f.text))
}

// edited is the file's text with what is to be another.
func (f *file) edited() []byte {
	slices.SortStableFunc(f.edits, func(a, b edit) int { return int(a.from - b.from) })
	var b bytes.Buffer
	at := 0
	for _, e := range f.edits {
		from, to := f.offset(e.from), f.offset(e.to)
		if from < at {
			continue // another stands there
		}
		b.Write(f.text[at:from])
		b.WriteString(e.text)
		at = to
	}
	b.Write(f.text[at:])
	return b.Bytes()
}
