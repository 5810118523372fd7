package write

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/gotest"
	"github.com/flaketap/flaketap/suite/write/hurl"
	"github.com/flaketap/flaketap/suite/write/jest"
	"github.com/flaketap/flaketap/suite/write/junit"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/postman"
	"github.com/flaketap/flaketap/suite/write/pytest"
)

// Format is one form of project that a plan can be written as.
type Format struct {
	Name  string // as users choose it: "pytest"
	About string // a line for a list: what it is
	Run   string // the command that runs it
	// the file of the secrets, and the one with their names alone
	secrets, example string
	mocks            mocks
	write            func(plan.Plan) ([]suite.File, error)
}

// mocks says what serves the stubs of a form's tests where flaketap does not.
type mocks int

const (
	noMocks mocks = iota // its tests do not say what external services answer
	helper               // of the standard library of its language, beside the tests
	wireMock
)

// Formats lists the forms, in the order in which users are told of them.
func Formats() []Format {
	return []Format{
		{"go", "Go: net/http and testing, no dependencies", "go test -count=1 ./...", "secrets.json", "secrets.example.json", helper, gotest.Write},
		{"hurl", "Hurl 8: its own captures and asserts", "./run.sh", "secrets.env", "secrets.example.env", noMocks, hurl.Write},
		{"jest", "JavaScript: Jest and fetch", "npm ci && npm test", "secrets.json", "secrets.example.json", helper, jest.Write},
		{"postman", "a Postman collection, run by Newman", "npm ci && npm test", "environment.json", "environment.example.json", noMocks, postman.Write},
		{"pytest", "Python: pytest and the standard library", "python3 -m pytest", "secrets.json", "secrets.example.json", helper, pytest.Write},
		{"junit5", "Java: JUnit 5 and REST-assured", "mvn test", "secrets.json", "secrets.example.json", wireMock, junit.Write},
		{"kotlin", "Kotlin: JUnit 5 and REST-assured", "mvn test", "secrets.json", "secrets.example.json", wireMock, junit.WriteKotlin},
	}
}

// Names lists the names of the forms.
func Names() []string {
	var out []string
	for _, f := range Formats() {
		out = append(out, f.Name)
	}
	return out
}

// MockNames lists the names of the forms whose tests can carry what external services answer.
func MockNames() []string {
	var out []string
	for _, f := range Formats() {
		if f.mocks != noMocks {
			out = append(out, f.Name)
		}
	}
	return out
}

// ByWireMock reports whether WireMock serves the stubs of a form's tests where flaketap does not.
func ByWireMock(format string) bool {
	return slices.ContainsFunc(Formats(), func(f Format) bool { return f.Name == format && f.mocks == wireMock })
}

// Write writes a plan as the form of that name. The files come in the order of their names.
func Write(format string, p plan.Plan) ([]suite.File, error) {
	for _, f := range Formats() {
		if f.Name != format {
			continue
		}
		if len(p.Mocks) > 0 && f.mocks == noMocks {
			return nil, fmt.Errorf("write suite: the form %s has no tests that carry what external services answer: want one of %s",
				format, strings.Join(MockNames(), ", "))
		}
		files, err := f.write(p)
		if err != nil {
			return nil, fmt.Errorf("write suite: %w", err)
		}
		files = append(files, suite.File{Name: "README.md", Data: []byte(f.readme(p)), Perm: 0o644})
		if f.secrets == "secrets.json" {
			example, err := plan.ExampleFile(p)
			if err != nil {
				return nil, fmt.Errorf("write suite: %w", err)
			}
			files = append(files, example)
		}
		for _, m := range p.Mocks {
			files = append(files, suite.File{Name: plan.MocksFolder + "/" + m.Name + ".json", Data: m.Mappings, Perm: 0o644})
		}
		if p.WarmUp != nil {
			files = append(files, suite.File{Name: plan.WarmUpFile, Data: p.WarmUp, Perm: 0o644})
		}
		slices.SortFunc(files, func(a, b suite.File) int { return strings.Compare(a.Name, b.Name) })
		return files, nil
	}
	return nil, fmt.Errorf("write suite: unknown format %q: want one of %s", format, strings.Join(Names(), ", "))
}
