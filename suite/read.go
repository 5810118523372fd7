package suite

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/golang"
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
		python.Written(),
		jvm.Java(),
		jvm.WrittenJava(),
		jvm.Kotlin(),
		jvm.WrittenKotlin(),
		jest.Dialect(),
		jest.Written(),
		postman.Dialect(),
		hurl.Dialect(),
		golang.Dialect(),
	}
}

// dialectsOf returns the dialects that a file may be of, by its name.
func dialectsOf(name string) []script.Dialect {
	end := strings.ToLower(path.Ext(name))
	return slices.DeleteFunc(dialects(), func(d script.Dialect) bool { return !slices.Contains(d.Extensions, end) })
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
	return len(dialectsOf(name)) > 0
}

// Read reads a suite, patched ones included, in the first of the forms that its name tells which finds tests in it. The
// error is a [SyntaxError] where the file is no suite of such a form, or is damaged.
func Read(name string, data []byte) (*script.Script, error) {
	return ReadAmong(name, data, func(string) (string, bool) { return "", false })
}

// ReadAmong is [Read] for a file that has others beside it, from which it takes functions, as package mend finds them.
func ReadAmong(name string, data []byte, beside script.Beside) (*script.Script, error) {
	err := error(&script.SyntaxError{File: name, Reason: "no known form of suite has that name"})
	for _, d := range dialectsOf(name) {
		var s *script.Script
		if s, err = script.ReadAmong(d, name, data, beside); err == nil {
			tellMeasured(s)
			return s, nil
		}
		if damaged := (*script.SyntaxError)(nil); errors.As(err, &damaged) && !damaged.NoTests {
			return nil, err
		}
	}
	return nil, err
}
