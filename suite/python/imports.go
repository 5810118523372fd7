package python

import (
	"path"
	"strings"

	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// Bounds of what is read beside a file of tests: files, paths that are looked for, as most modules are of packages, and
// folders that lie above it.
const (
	maxFiles   = 50
	maxPaths   = 1000
	maxFolders = 5
)

// beside reads the modules that a file of tests takes fixtures and functions from.
type beside struct {
	text  script.Beside
	files map[string]*module // by path; nil for one that cannot be read
	read  int
}

// conftests are the modules that pytest finds fixtures in, of the folder of a file and of those above it.
func (b *beside) conftests(file string) []*module {
	var out []*module
	dir := path.Dir(script.Slashed(file))
	for range maxFolders {
		if m := b.module(path.Join(dir, "conftest.py")); m != nil {
			out = append(out, m)
		}
		dir = above(dir)
	}
	return out
}

// above is the folder that a folder lies in.
func above(dir string) string {
	if dir == "." || dir == ".." || strings.HasSuffix(dir, "/..") {
		return path.Join(dir, "..")
	}
	return path.Dir(dir)
}

// module reads a file; nil where there is none, or none that can be read.
func (b *beside) module(file string) *module {
	if m, known := b.files[file]; known || len(b.files) >= maxPaths || b.read >= maxFiles {
		return m
	}
	b.files[file] = nil
	text, ok := b.text(file)
	if !ok {
		return nil
	}
	b.read++
	stmts, err := syntax.Statements(file, text)
	if err != nil {
		return nil
	}
	m := readModule(stmts)
	b.files[file] = m // before its own imports: files may import each other
	b.imports(m, file, stmts)
	return m
}

// imports reads what the statements of a file import from others: from .helpers import url, import helpers as h.
func (b *beside) imports(m *module, file string, stmts []syntax.Statement) {
	for _, st := range stmts {
		switch {
		case st.Is("import"):
			for _, part := range parted(st.Tokens[1:]) {
				name, as := renamed(part)
				if from := b.find(file, name); from != nil && (as != "" || !strings.Contains(name, ".")) {
					m.imports[nameOr(as, name)] = imported{module: from}
				}
			}
		case st.Is("from"):
			at := syntax.TopLevel(st.Tokens, "import")
			if at < 0 {
				continue
			}
			source := written(st.Tokens[1:at])
			for _, part := range parted(st.Tokens[at+1:]) {
				name, as := renamed(part)
				if from := b.find(file, source); from != nil {
					m.imports[nameOr(as, name)] = imported{from, name}
				} else if from := b.find(file, strings.TrimSuffix(source, ".")+"."+name); from != nil { // from tests import helpers
					m.imports[nameOr(as, name)] = imported{module: from}
				}
			}
		}
	}
}

func nameOr(as, name string) string {
	if as == "" {
		return name
	}
	return as
}

// parted splits tokens at their commas, brackets left out.
func parted(tokens []syntax.Token) [][]syntax.Token {
	out := [][]syntax.Token{nil}
	for _, t := range tokens {
		switch t.Text {
		case "(", ")":
		case ",":
			out = append(out, nil)
		default:
			out[len(out)-1] = append(out[len(out)-1], t)
		}
	}
	return out
}

// renamed reads name, or name as other.
func renamed(tokens []syntax.Token) (name, as string) {
	for i, t := range tokens {
		if t.Text == "as" && t.Kind == syntax.TokenName && i+1 < len(tokens) {
			return written(tokens[:i]), tokens[i+1].Text
		}
	}
	return written(tokens), ""
}

// written is the text of some tokens.
func written(tokens []syntax.Token) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(t.Text)
	}
	return b.String()
}

// find reads the module of a name, as a file imports it: relative to its own folder, or to that or one above it.
func (b *beside) find(file, name string) *module {
	dir := path.Dir(script.Slashed(file))
	rest := strings.TrimLeft(name, ".")
	dots := len(name) - len(rest)
	steps := strings.ReplaceAll(rest, ".", "/")
	for range max(dots-1, 0) {
		dir = above(dir)
	}
	if steps == "" && dots == 0 || dots > maxFolders {
		return nil
	}
	folders := maxFolders
	if dots > 0 {
		folders = 1
	}
	for range folders {
		for _, end := range []string{".py", "/__init__.py"} {
			if m := b.module(path.Join(dir, steps+end)); m != nil {
				return m
			}
		}
		dir = above(dir)
	}
	return nil
}
