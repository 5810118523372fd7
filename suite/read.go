package suite

import (
	"path"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/hurl"
	"github.com/flaketap/flaketap/suite/jest"
	"github.com/flaketap/flaketap/suite/jvm"
	"github.com/flaketap/flaketap/suite/postman"
	"github.com/flaketap/flaketap/suite/python"
	"github.com/flaketap/flaketap/suite/script"
)

// dialects lists the forms of suites that are known: another one is another package, and a line here.
func dialects() []script.Dialect {
	return []script.Dialect{
		python.Dialect(),
		jvm.Java(),
		jvm.Kotlin(),
		jest.Dialect(),
		postman.Dialect(),
		hurl.Dialect(),
	}
}

// dialectOf returns the dialect of a file, by its name.
func dialectOf(name string) (script.Dialect, bool) {
	end := strings.ToLower(path.Ext(name))
	for _, d := range dialects() {
		if slices.Contains(d.Extensions, end) {
			return d, true
		}
	}
	return script.Dialect{}, false
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
func Read(name string, data []byte) (*script.Script, error) {
	d, ok := dialectOf(name)
	if !ok {
		return nil, &script.SyntaxError{File: name, Reason: "no known form of suite has that name"}
	}
	return script.Read(d, name, data)
}
