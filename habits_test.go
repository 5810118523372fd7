package flaketap_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The rules of CONTRIBUTING.md that no linter knows. .golangci.yml has the others: the length of functions and lines, and
// how much a function may nest.

// maxLines is how long a file may grow before a type or a second noun has to be looked for in it.
const maxLines = 500

func TestFilesAreShort(t *testing.T) {
	for _, file := range sources(t) {
		if n := file.fset.File(file.syntax.Pos()).LineCount(); n > maxLines {
			t.Errorf("%s has %d lines, more than %d", file.path, n, maxLines)
		}
	}
}

// maxWidth is how many characters a line of a comment may have: that of the linter, which is seldom run by hand.
const maxWidth = 120

func TestCommentsFitTheirLines(t *testing.T) {
	for _, file := range sources(t) {
		for _, group := range file.syntax.Comments {
			for _, c := range group.List {
				at := file.fset.Position(c.Pos())
				n := at.Column - 1 + utf8.RuneCountInString(c.Text)
				if at.Column > 5 { // it stands behind code
					continue
				}
				if n > maxWidth && !strings.HasPrefix(c.Text, "//go:") && !strings.ContainsAny(c.Text, "`\"") {
					t.Errorf("%s:%d: the line is %d characters long, more than %d", file.path, at.Line, n, maxWidth)
				}
			}
		}
	}
}

// maxRoom is how many lines of production code a folder may hold.
const maxRoom = 6000

func TestRoomsAreSmall(t *testing.T) {
	lines := map[string]int{}
	for _, file := range sources(t) {
		lines[file.pkg] += file.fset.File(file.syntax.Pos()).LineCount()
	}
	for pkg, n := range lines {
		if n > maxRoom {
			t.Errorf("%s has %d lines, more than %d", pkg, n, maxRoom)
		}
	}
}

// maxWords is how many folders the top level may have: it tells the story of the program.
const maxWords = 15

func TestTopLevelIsShort(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	made := []string{"bin", "demo-out", "dist"} // by make
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(made, e.Name()) {
			words = append(words, e.Name())
		}
	}
	if len(words) > maxWords {
		t.Errorf("%d folders at the top level, more than %d: %s", len(words), maxWords, strings.Join(words, " "))
	}
}

// A package opens with a doc.go that says what it is for; package main says it in main.go, and a package of one file in
// that file.
func TestPackagesSayWhatTheyAreFor(t *testing.T) {
	files, said := map[string]int{}, map[string]string{}
	for _, file := range sources(t) {
		files[file.pkg]++
		if file.syntax.Doc != nil {
			if other := said[file.pkg]; other != "" {
				t.Errorf("%s has a package comment in %s and in %s", file.pkg, other, file.path)
			}
			said[file.pkg] = file.path
		}
	}
	for pkg, n := range files {
		switch base := path.Base(filepath.ToSlash(said[pkg])); {
		case said[pkg] == "":
			t.Errorf("%s has no package comment", pkg)
		case base != "doc.go" && base != "main.go" && n > 1:
			t.Errorf("the package comment of %s stands in %s, not in doc.go", pkg, said[pkg])
		}
	}
}

// What a package keeps for all, it never changes.
func TestNoPackageVariableChanges(t *testing.T) {
	for pkg, files := range packages(t) {
		specs := map[string]*ast.ValueSpec{}
		for _, file := range files {
			for _, d := range file.syntax.Decls {
				if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
					for _, s := range g.Specs {
						for _, name := range s.(*ast.ValueSpec).Names {
							specs[name.Name] = s.(*ast.ValueSpec)
						}
					}
				}
			}
		}
		for _, file := range files {
			ast.Inspect(file.syntax, func(n ast.Node) bool {
				for _, x := range changed(n) {
					if id := rootOf(x); id != nil && specs[id.Name] != nil && (id.Obj == nil || id.Obj.Decl == specs[id.Name]) {
						t.Errorf("%s: %s changes its package variable %s", file.at(n), pkg, id.Name)
					}
				}
				return true
			})
		}
	}
}

// changed are the expressions that a node assigns to, counts on, or takes the address of.
func changed(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			return []ast.Expr{n.X}
		}
	}
	return nil
}

// rootOf is the variable of which an expression is a part.
func rootOf(x ast.Expr) *ast.Ident {
	for {
		switch e := x.(type) {
		case *ast.Ident:
			return e
		case *ast.IndexExpr:
			x = e.X
		case *ast.SelectorExpr:
			x = e.X
		case *ast.StarExpr:
			x = e.X
		case *ast.ParenExpr:
			x = e.X
		default:
			return nil
		}
	}
}

// fuzzedThrough lists what reads bytes from outside and is fuzzed through something else, which is named.
var fuzzedThrough = map[string]string{
	"formats.Read":             "it chooses among readers, each of which has a target",
	"internal/wire.DecodePart": "Decode, of which it is the larger part",
	"suite.Read":               "Patch, which begins with it: a target for each dialect",
	"suite.ReadAmong":          "suite.Patch, as suite.Read is",
	"suite/script.Read":        "suite.Patch, as suite.Read is",
	"suite/script.ReadAmong":   "the targets of the dialects that read other files",
}

// What reads a file or a message of somebody else's has a fuzz target in its package.
func TestDecodersAreFuzzed(t *testing.T) {
	if len(fuzzedThrough) > 10 {
		t.Errorf("%d exceptions are too many to be ones", len(fuzzedThrough))
	}
	fuzzed := map[string]map[string]bool{} // by folder, the names that fuzz targets mention
	walk(t, func(name string) {
		if !strings.HasSuffix(name, "_test.go") {
			return
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range syntax.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Fuzz") {
				dir := path.Dir(filepath.ToSlash(name))
				if fuzzed[dir] == nil {
					fuzzed[dir] = map[string]bool{}
				}
				ast.Inspect(f, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						fuzzed[dir][id.Name] = true
					}
					return true
				})
			}
		}
	})
	for _, file := range sources(t) {
		for _, d := range file.syntax.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !decodes(f) || strings.HasPrefix(file.pkg, "internal/testbed") || fuzzed[file.pkg][f.Name.Name] {
				continue
			}
			if name := file.pkg + "." + f.Name.Name; fuzzedThrough[name] == "" {
				t.Errorf("%s: %s has no fuzz target in its package", file.at(f), name)
			}
		}
	}
}

// decodes reports whether a function looks like one that reads bytes from outside.
func decodes(f *ast.FuncDecl) bool {
	verbs := []string{"Parse", "Read", "Decode", "Unpack", "Unmarshal", "Load", "Import"}
	if !f.Name.IsExported() || !slices.ContainsFunc(verbs, func(v string) bool {
		rest, ok := strings.CutPrefix(f.Name.Name, v)
		return ok && strings.ToUpper(rest[:min(1, len(rest))]) == rest[:min(1, len(rest))]
	}) {
		return false
	}
	for _, p := range f.Type.Params.List {
		switch typ := p.Type.(type) {
		case *ast.ArrayType:
			if id, ok := typ.Elt.(*ast.Ident); ok && id.Name == "byte" {
				return true
			}
		case *ast.SelectorExpr:
			if x, ok := typ.X.(*ast.Ident); ok && x.Name == "io" && strings.HasPrefix(typ.Sel.Name, "Reader") {
				return true
			}
		}
	}
	return false
}

// reading are the methods of *cli.Context by which a function reads what the user asked for.
var reading = []string{"Args", "NArg", "IsSet", "String", "StringSlice", "Bool", "Int", "Uint64", "Float64", "Duration", "Generic"}

// hooks are the fields of commands that the library calls with a context.
var hooks = []string{"Action", "Before", "OnUsageError", "ExitErrHandler"}

// readsArguments are the functions that are given a context for its arguments, or for whatever flags there are: all others
// are named after the options that they return.
var readsArguments = []string{"alone", "arguments", "checkFlags"}

// The context of the command line goes to functions that read flags, and to those that the library calls: all others are
// given what they need. Nobody sets flags.
func TestContextsAreRead(t *testing.T) {
	for pkg, files := range packages(t) {
		called := map[string]bool{} // the functions that are hooks, by name
		for _, file := range files {
			ast.Inspect(file.syntax, func(n ast.Node) bool {
				if kv, ok := n.(*ast.KeyValueExpr); ok && isHook(kv.Key) {
					if s, ok := kv.Value.(*ast.SelectorExpr); ok {
						called[s.Sel.Name] = true
					}
				}
				return true
			})
		}
		for _, file := range files {
			literals := hookLiterals(file.syntax)
			ast.Inspect(file.syntax, func(n ast.Node) bool {
				switch f := n.(type) {
				case *ast.FuncDecl:
					c, name := contextOf(f.Type), f.Name.Name
					if c == "" || called[name] {
						return true
					}
					if !reads(f.Body, c) {
						t.Errorf("%s: %s.%s is given a *cli.Context and reads no flag", file.at(f), pkg, name)
					}
					if !strings.HasSuffix(strings.TrimSuffix(name, "s"), "Option") && !slices.Contains(readsArguments, name) {
						t.Errorf("%s: %s.%s reads flags: it is to be named …Options", file.at(f), pkg, name)
					}
				case *ast.FuncLit:
					if c := contextOf(f.Type); c != "" && !literals[f] && !reads(f.Body, c) {
						t.Errorf("%s: a function of %s is given a *cli.Context and reads no flag", file.at(f), pkg)
					}
				case *ast.StructType, *ast.InterfaceType:
					if mentionsContext(n) {
						t.Errorf("%s: a type of %s holds a *cli.Context", file.at(n), pkg)
					}
				}
				return true
			})
		}
	}
}

// isHook reports whether an expression names one of the hooks.
func isHook(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && slices.Contains(hooks, id.Name)
}

// hookLiterals returns the function literals of a file that are hooks.
func hookLiterals(file *ast.File) map[*ast.FuncLit]bool {
	out := map[*ast.FuncLit]bool{}
	add := func(key, value ast.Expr) {
		if s, ok := key.(*ast.SelectorExpr); ok {
			key = s.Sel
		}
		if f, ok := value.(*ast.FuncLit); ok && isHook(key) {
			out[f] = true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			add(n.Key, n.Value)
		case *ast.AssignStmt:
			for i := range n.Lhs {
				if len(n.Lhs) == len(n.Rhs) {
					add(n.Lhs[i], n.Rhs[i])
				}
			}
		}
		return true
	})
	return out
}

// contextOf returns the name of a function's parameter that is a *cli.Context, "" where it has none.
func contextOf(f *ast.FuncType) string {
	for _, p := range f.Params.List {
		if len(p.Names) == 1 && isContext(p.Type) {
			return p.Names[0].Name
		}
	}
	return ""
}

func isContext(x ast.Expr) bool {
	star, ok := x.(*ast.StarExpr)
	if !ok {
		return false
	}
	s, ok := star.X.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "Context" {
		return false
	}
	id, ok := s.X.(*ast.Ident)
	return ok && id.Name == "cli"
}

func mentionsContext(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		found = found || ok && isContext(x)
		return true
	})
	return found
}

// reads reports whether a body reads flags of a context itself, and sets none.
func reads(body *ast.BlockStmt, context string) (read bool) {
	set := false
	ast.Inspect(body, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && id.Name == context {
				read, set = read || slices.Contains(reading, s.Sel.Name), set || s.Sel.Name == "Set"
			}
		}
		return true
	})
	return read && !set
}

// A reader who meets f(x, true) cannot tell what it asks for: a function that is told by a constant what to do is two
// functions, or is given a named value. What is stored, or found out and handed on, may well be a bool.
func TestNoConstantSwitches(t *testing.T) {
	files := sources(t)
	takesBool := map[string]bool{} // the functions that have a parameter of type bool, by name
	for _, file := range files {
		for _, d := range file.syntax.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && slices.ContainsFunc(f.Type.Params.List, isBool) {
				takesBool[f.Name.Name] = true
			}
		}
	}
	for _, file := range files {
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if ok && takesBool[nameOf(call.Fun)] && slices.ContainsFunc(call.Args, isConstantBool) {
				t.Errorf("%s: %s is given a constant true or false", file.at(call), nameOf(call.Fun))
			}
			return true
		})
	}
}

func isBool(p *ast.Field) bool {
	id, ok := p.Type.(*ast.Ident)
	return ok && id.Name == "bool"
}

// nameOf returns the name of the function or method that is called; "" where it has none.
func nameOf(fun ast.Expr) string {
	switch f := fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

func isConstantBool(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && (id.Name == "true" || id.Name == "false")
}

// packages parses the production code anew, with what each name stands for within its file, by folder.
func packages(t *testing.T) map[string][]source {
	t.Helper()
	out := map[string][]source{}
	for _, file := range sources(t) {
		fset := token.NewFileSet()
		syntax, err := parser.ParseFile(fset, file.path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		file.syntax, file.fset = syntax, fset
		out[file.pkg] = append(out[file.pkg], file)
	}
	return out
}
