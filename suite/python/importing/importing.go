package importing

import (
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// Names are the edits that import names below the imports of a file, where they are not imported: as "module name".
func Names(s *script.Script, stmts []syntax.Statement, names []string) []script.Edit {
	slices.Sort(names)
	last, known := -1, ""
	for i, st := range imports(stmts) {
		last = i
		known += s.Text[st.Start:st.End] + "\n"
	}
	text := ""
	for _, name := range slices.Compact(names) {
		module, function, _ := strings.Cut(name, " ")
		from := regexp.MustCompile(`(?m)^from ` + regexp.QuoteMeta(module) + ` import (?:\([^)]*|.*)\b` + function + `\b`)
		if !from.MatchString(known) {
			text += script.LineEnd(s.Lines[0]) + "from " + module + " import " + function
		}
	}
	if text == "" {
		return nil
	}
	if last < 0 {
		return first(s, stmts, strings.TrimPrefix(text, script.LineEnd(s.Lines[0])))
	}
	end := stmts[last].End
	if rest, _, _ := strings.Cut(s.Text[end:], "\n"); rest != "" {
		end += len(strings.TrimSuffix(rest, "\r")) // a comment
	}
	return []script.Edit{{Start: end, End: end, Text: text}}
}

// first are the edits that import something in a file that imports nothing.
func first(s *script.Script, stmts []syntax.Statement, imports string) []script.Edit {
	at, text := syntax.FirstImport(s.Text, stmts, imports, script.LineEnd(s.Lines[0]))
	return []script.Edit{{Start: at, End: at, Text: text}}
}

// imports goes through the imports above what a file defines, with their numbers among its statements.
func imports(stmts []syntax.Statement) func(yield func(int, syntax.Statement) bool) {
	return func(yield func(int, syntax.Statement) bool) {
		for i, st := range stmts {
			if st.Is("def") || st.Is("class") || st.Is("@") || st.Is("async") {
				return
			}
			if st.Indent == "" && (st.Is("import") || st.Is("from")) && !yield(i, st) {
				return
			}
		}
	}
}

// Free reports whether a file can import a module of Python's own: no name of the file is that of the module.
func Free(stmts []syntax.Statement, module string) bool {
	return !slices.ContainsFunc(stmts, func(st syntax.Statement) bool {
		return slices.ContainsFunc(st.Tokens, func(t syntax.Token) bool {
			return t.Kind == syntax.TokenName && t.Text == module
		})
	})
}

// Imports reports whether a file imports a module as a whole, under its name.
func Imports(stmts []syntax.Statement, module string) bool {
	for _, st := range imports(stmts) {
		if st.Is("import", module) && len(st.Tokens) == 2 {
			return true
		}
	}
	return false
}

// Modules are the edits that import modules of Python's own which edits of a file speak of, and that it does not
// import: in the order of the alphabet among those that it does, or above all others.
func Modules(s *script.Script, stmts []syntax.Statement, edits []script.Edit, modules ...string) []script.Edit {
	eol, lines := script.LineEnd(s.Lines[0]), ""
	var out []script.Edit
	for _, module := range modules {
		speaks := regexp.MustCompile(`(?:^|[^\w."'])` + module + `\.\w+\(`)
		spoken := slices.ContainsFunc(edits, func(e script.Edit) bool { return speaks.MatchString(e.Text) })
		if !spoken || !Free(stmts, module) {
			continue
		}
		line := "import " + module + eol
		if at, ok := place(s, stmts, module); ok {
			out = append(out, script.Edit{Start: at, End: at, Text: line, Once: true})
		} else {
			lines += line
		}
	}
	if lines == "" {
		return out
	}
	for _, st := range imports(stmts) {
		if !st.Is("from", "__future__") {
			return append(out, script.Edit{Start: st.Start, End: st.Start, Text: lines + eol})
		}
	}
	return append(out, first(s, stmts, strings.TrimSuffix(lines, eol))...)
}

// place is where the import of a module goes among those of Python's own; false where there are none.
func place(s *script.Script, stmts []syntax.Statement, module string) (at int, ok bool) {
	for _, st := range imports(stmts) {
		switch {
		case st.Is("from", "__future__"), !ok && !isOwn(st):
		case !isOwn(st):
			return at, true
		case st.Is("from") || st.Tokens[1].Text > module:
			return st.Start, true
		default:
			rest, _, _ := strings.Cut(s.Text[st.End:], "\n")
			at, ok = min(st.End+len(rest)+1, len(s.Text)), true
		}
	}
	return at, ok
}

// isOwn reports whether an import is of a module that comes with Python.
func isOwn(st syntax.Statement) bool {
	return len(st.Tokens) > 1 && slices.Contains([]string{"abc", "argparse", "asyncio", "base64", "collections", "contextlib",
		"copy", "csv", "dataclasses", "datetime", "decimal", "enum", "functools", "glob", "hashlib", "http", "io", "itertools",
		"json", "logging", "math", "operator", "os", "pathlib", "random", "re", "shutil", "socket", "statistics", "string",
		"subprocess", "sys", "tempfile", "textwrap", "threading", "time", "typing", "unittest", "urllib", "uuid", "warnings",
		"xml", "zoneinfo"}, st.Tokens[1].Text)
}
