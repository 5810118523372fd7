package suite

import (
	"path"
	"slices"
	"strings"
)

// dialects lists the forms of suites that are known: another one is another package, and a line here.
func dialects() []Dialect {
	return []Dialect{
		pythonDialect(),
		javaDialect(),
		kotlinDialect(),
		jestDialect(),
		postmanDialect(),
		hurlDialect(),
	}
}

// dialectOf returns the dialect of a file, by its name.
func dialectOf(name string) (Dialect, bool) {
	end := strings.ToLower(path.Ext(name))
	for _, d := range dialects() {
		if slices.Contains(d.Extensions, end) {
			return d, true
		}
	}
	return Dialect{}, false
}

// Forms says for people which suites [Read] reads.
func Forms() string {
	var names []string
	for _, d := range dialects() {
		names = append(names, d.Name)
	}
	return strings.Join(names, "; ")
}

// Readable reports whether a file may hold tests of a form that [Read] knows, by its name.
func Readable(name string) bool {
	_, ok := dialectOf(name)
	return ok
}

// Read reads a suite, patched ones included, in the form that its name tells. The error is a [SyntaxError] where the
// file is no suite of that form, or is damaged.
func Read(name string, data []byte) (*Script, error) {
	d, ok := dialectOf(name)
	if !ok {
		return nil, &SyntaxError{File: name, Reason: "no form of suite is known by that name"}
	}
	return ReadAs(d, name, data)
}
