package project_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/project"
)

func TestClients(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"nothing":               {nil, "[]"},
		"pytest":                {map[string]string{"tests/test_orders.py": ""}, "[{python3 -m pytest tests/test_orders.py}]"},
		"pytest by its section": {map[string]string{"pyproject.toml": "[tool.pytest.ini_options]"}, "[{python3 -m pytest pyproject.toml}]"},
		"another pyproject":     {map[string]string{"pyproject.toml": "[project]"}, "[]"},
		"npm":                   {map[string]string{"package.json": `{"scripts": {"test": "jest"}}`}, "[{npm test package.json}]"},
		"npm without tests":     {map[string]string{"package.json": `{"scripts": {}}`}, "[]"},
		"package.json is bad":   {map[string]string{"package.json": `{"scripts": 3`}, "[]"},
		"go":                    {map[string]string{"go.mod": "module x"}, "[{go test -count=1 ./... go.mod}]"},
		"maven":                 {map[string]string{"pom.xml": ""}, "[{mvn test pom.xml}]"},
		"maven's wrapper":       {map[string]string{"pom.xml": "", "mvnw": ""}, "[{./mvnw test pom.xml}]"},
		"gradle":                {map[string]string{"build.gradle.kts": "", "gradlew": ""}, "[{./gradlew test --rerun build.gradle.kts}]"},
		"hurl":                  {map[string]string{"e2e/a.hurl": ""}, "[{hurl --test --glob '**/*.hurl' e2e/a.hurl}]"},
		"postman": {map[string]string{"the shop.postman_collection.json": ""},
			"[{newman run 'the shop.postman_collection.json' the shop.postman_collection.json}]"},
		"of others": {map[string]string{"node_modules/test_x.py": "", ".git/test_x.py": ""}, "[]"},
		"two":       {map[string]string{"go.mod": "", "conftest.py": ""}, "[{python3 -m pytest conftest.py} {go test -count=1 ./... go.mod}]"},
	} {
		dir := t.TempDir()
		for file, text := range c.files {
			path := filepath.Join(dir, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := fmt.Sprint(project.Clients(dir)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	if got := project.Clients(filepath.Join(t.TempDir(), "none")); got != nil {
		t.Errorf("of no folder: %v", got)
	}
}

func TestAsk(t *testing.T) {
	found := []project.Client{{Command: "npm test"}}
	for name, c := range map[string]struct {
		given project.Settings
		typed string
		want  project.Settings
	}{
		"all usual":     {typed: "\n\n\n", want: project.Settings{Target: "http://127.0.0.1:8080", Client: "npm test"}},
		"a URL":         {typed: "http://localhost:1\n./reset.sh\npytest\n", want: project.Settings{Target: "http://localhost:1", Reset: "./reset.sh", Client: "pytest"}},
		"a URL at last": {typed: "http://localhost:1/path\nhttp://localhost:1\n\n\n", want: project.Settings{Target: "http://localhost:1", Client: "npm test"}},
		"a command":     {typed: "api {port}\n\n\n\n", want: project.Settings{Start: "api {port}", Ready: "http://127.0.0.1:{port}/", Client: "npm test"}},
		"a path":        {typed: "api {port}\n/health\n\n\n", want: project.Settings{Start: "api {port}", Ready: "http://127.0.0.1:{port}/health", Client: "npm test"}},
		"its own port":  {typed: "api\nhttp://localhost:1\n\n\n\n", want: project.Settings{Start: "api", Target: "http://localhost:1", Ready: "http://localhost:1/", Client: "npm test"}},
		"where it is, then": {given: project.Settings{Start: "api", Ready: "401 http://localhost:1/health"}, typed: "\n\n\n",
			want: project.Settings{Start: "api", Target: "http://localhost:1", Ready: "401 http://localhost:1/health", Client: "npm test"}},
		"what is missing": {given: project.Settings{Target: "http://localhost:1", Client: "curl"}, typed: "true\n", want: project.Settings{Target: "http://localhost:1", Reset: "true", Client: "curl"}},
	} {
		got := c.given
		err := got.Ask(t.Context(), console.NewDialog(strings.NewReader(c.typed), io.Discard), found)
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if err := got.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// An input that ends is no answer, wherever it ends.
	const typed = "api\nhttp://localhost:1\n\n\n\n"
	for n := range strings.Count(typed, "\n") {
		part := strings.Join(strings.SplitAfter(typed, "\n")[:n], "")
		var s project.Settings
		if s.Ask(t.Context(), console.NewDialog(strings.NewReader(part), io.Discard), nil) == nil {
			t.Errorf("%q: no error", part)
		}
	}
}

func TestCheck(t *testing.T) {
	for says, s := range map[string]project.Settings{
		"give --target URL, or --start CMD":          {},
		"target must be a URL":                       {Target: "here"},
		"--ready needs --start":                      {Target: "http://a", Ready: "http://a"},
		"--start without {port} needs --target":      {Start: "api", Ready: "http://a"},
		"--ready: it must be a URL":                  {Start: "api {port}", Ready: "a"},
		"use either --start with {port} or --target": {Start: "api {port}", Target: "http://a"},
		"--start: the command is empty":              {Start: " "},
	} {
		if err := s.Check(); err == nil || !console.IsUsage(err) || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// What no answer could mend is said before anything is asked.
func TestAskRefusesFirst(t *testing.T) {
	for says, s := range map[string]project.Settings{
		"--ready needs --start":                      {Target: "http://a", Ready: "http://a"},
		"--ready: it must be a URL":                  {Start: "api {port}", Ready: "a"},
		"use either --start with {port} or --target": {Start: "api {port}", Target: "http://a"},
	} {
		var asked bytes.Buffer
		err := s.Ask(t.Context(), console.NewDialog(strings.NewReader("\n\n\n\n"), &asked), nil)
		if err == nil || !strings.Contains(err.Error(), says) || asked.Len() > 0 {
			t.Errorf("%s: %v, asked %q", says, err, &asked)
		}
	}
}

// A suite whose runner takes its path is made to hold next, where the API has a known start.
func TestNext(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, file := range []string{"tests/test_a.py", "js/a.js", "conf.ini"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for client, want := range map[string]string{
		"":                               "flaketap record",
		"pytest tests/":                  "flaketap stabilize tests/ -- pytest {}",
		"pytest -q ./tests":              "flaketap stabilize ./tests -- pytest -q {}",
		"python3 -m pytest":              "flaketap stabilize tests -- python3 -m pytest {}",
		"npx mocha js/a.js":              "flaketap stabilize js/a.js -- npx mocha {}",
		"npx mocha":                      "flaketap record -- npx mocha",
		"pytest tests/test_a.py::test_x": "flaketap record -- pytest tests/test_a.py::test_x",
		"pytest .":                       "flaketap record -- pytest .",
		"pytest tests js":                "flaketap record -- pytest tests js",
		"pytest -c conf.ini tests":       "flaketap record -- pytest -c conf.ini tests",
		"cd x && pytest tests":           "flaketap record -- cd x && pytest tests",
		"schemathesis run http://a/spec": "flaketap record -- schemathesis run http://a/spec",
	} {
		for _, s := range []project.Settings{{Reset: "true"}, {Start: "api {port}"}} {
			if s.Client = client; s.Next() != want {
				t.Errorf("%q: %q, want %q", client, s.Next(), want)
			}
		}
	}
	if got := (project.Settings{Target: "http://a", Client: "pytest tests"}).Next(); got != "flaketap record -- pytest tests" {
		t.Errorf("without a known start: %q", got)
	}
}

// Whatever is said, the file has it, and nothing else: no answer becomes another setting.
func TestYAML(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := project.Settings{Target: rapid.String().Draw(t, "target"), Start: rapid.String().Draw(t, "start"),
			Ready: rapid.String().Draw(t, "ready"), Reset: rapid.String().Draw(t, "reset"), Client: rapid.String().Draw(t, "client")}
		data, err := s.YAML()
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]any{}
		for name, value := range map[string]string{"target": s.Target, "start": s.Start, "ready": s.Ready, "reset": s.Reset} {
			switch {
			case value == "":
			case name == "target" && s.Reset == "" && s.Start == "":
				for _, command := range []string{"record", "rerun", "steady", "verify", "doctor"} {
					want[command] = map[string]any{"target": value}
				}
			default:
				want[name] = value
			}
		}
		var got map[string]any
		if err := yaml.NewDecoder(bytes.NewReader(data)).Decode(&got); err != nil && len(want) > 0 {
			t.Fatalf("%v\n%s", err, data)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("got %q, want %q\n%s", got, want, data)
		}
	})
}

func TestTry(t *testing.T) {
	s := project.Settings{Start: "exit 3", Target: "http://127.0.0.1:1", Ready: "http://127.0.0.1:1/", Client: "'no-such program' -x"}
	r, err := s.Try(t.Context(), project.Trial{DB: filepath.Join(t.TempDir(), "none.db")})
	if err != nil || !r.OK {
		t.Errorf("nothing is started unasked: %+v, %v", r, err)
	}
	if last := r.Findings[len(r.Findings)-1]; last.Check != "client" || last.Do == "" {
		t.Errorf("%+v", last)
	}
}
