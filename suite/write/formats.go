package write

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite"
)

// Format is one form of project that a plan can be written as.
type Format struct {
	Name  string // as users choose it: "pytest"
	About string // a line for a list: what it is, and the command that runs it
	write func(Plan) ([]suite.File, error)
}

// Formats lists the forms, in the order in which users are told of them.
func Formats() []Format {
	return []Format{
		{"go", "Go: net/http and testing, no dependencies; go test -count=1 ./...", writeGo},
		{"hurl", "Hurl 8: its own captures and asserts; ./run.sh", writeHurl},
		{"jest", "JavaScript: Jest and fetch; npm ci, then npm test", writeJest},
		{"postman", "a Postman collection, run by Newman; npm ci, then npm test", writePostman},
		{"pytest", "Python: pytest and the standard library; python3 -m pytest", writePytest},
		{"junit5", "Java: JUnit 5 and REST-assured; mvn test", writeJUnit},
		{"kotlin", "Kotlin: JUnit 5 and REST-assured; mvn test", writeKotlin},
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

// Write writes a plan as the form of that name. The files come in the order of their names.
func Write(format string, plan Plan) ([]suite.File, error) {
	for _, f := range Formats() {
		if f.Name != format {
			continue
		}
		files, err := f.write(plan)
		if err != nil {
			return nil, fmt.Errorf("write suite: %w", err)
		}
		slices.SortFunc(files, func(a, b suite.File) int { return strings.Compare(a.Name, b.Name) })
		return files, nil
	}
	return nil, fmt.Errorf("write suite: format %q is not known; %s are", format, strings.Join(Names(), ", "))
}

// secretsFile is the file of a plan's secrets, for the owner's eyes alone.
func secretsFile(plan Plan) (suite.File, error) {
	secrets := plan.Secrets
	if secrets == nil {
		secrets = map[string]string{}
	}
	data, err := json.MarshalIndent(secrets, "", "  ")
	if err != nil {
		return suite.File{}, fmt.Errorf("encode secrets: %w", err)
	}
	return suite.File{Name: "secrets.json", Data: append(data, '\n'), Perm: 0o600}, nil
}

// groups lists the groups of a plan's tests in the order of their first tests, with their tests.
func groups(tests []Test) (names []string, by map[string][]Test) {
	by = map[string][]Test{}
	for _, t := range tests {
		if by[t.Group] == nil {
			names = append(names, t.Group)
		}
		by[t.Group] = append(by[t.Group], t)
	}
	return names, by
}

// together puts all tests into one group where those of several share what can be sent only once: for forms whose files
// share nothing.
func together(tests []Test) []Test {
	in := map[uint64]string{}
	for _, t := range tests {
		for _, s := range t.Steps {
			if s.Single && cmp.Or(in[s.Seq], t.Group) != t.Group {
				return inGroup(tests, "tests")
			}
			in[s.Seq] = t.Group
		}
	}
	return tests
}

func inGroup(tests []Test, group string) []Test {
	out := slices.Clone(tests)
	for i := range out {
		out[i].Group = group
	}
	return out
}

// shared lists the set-ups that tests share, each once, in recorded order, with a name for each: words of a-z and 0-9,
// joined by "_".
func shared(tests []Test) (steps []Step, names map[uint64]string) {
	names = map[uint64]string{}
	taken := map[string]bool{}
	for _, t := range tests {
		for _, s := range t.Steps {
			if s.Once && names[s.Seq] == "" {
				names[s.Seq] = "?"
				steps = append(steps, s)
			}
		}
	}
	slices.SortFunc(steps, func(a, b Step) int { return int(a.Seq) - int(b.Seq) })
	for _, s := range steps {
		name := slug(s.Title)
		for _, c := range s.Captures {
			if taken[name] {
				name += "_" + slug(c.Name)
			}
		}
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s_%d", slug(s.Title), n)
		}
		taken[name] = true
		names[s.Seq] = name
	}
	return steps, names
}
