package external

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// API is one of the APIs.
type API struct {
	Name     string
	Language string   // python, node, go or jvm
	Needs    []string // the programs that make and run it
	Imports  string   // the library that its Python has to have besides, or empty
}

// APIs returns the seven.
func APIs() []API {
	return []API{
		{Name: "parcels", Language: "python", Needs: []string{"python3"}},
		{Name: "clinic", Language: "node", Needs: []string{"node"}},
		{Name: "tariffs", Language: "go", Needs: []string{"go"}},
		{Name: "tickets", Language: "jvm", Needs: []string{"javac", "java"}},
		{Name: "payroll", Language: "python", Needs: []string{"python3"}},
		{Name: "checkout", Language: "node", Needs: []string{"node"}},
		{Name: "lending", Language: "python", Needs: []string{"python3"}, Imports: "pydantic"},
	}
}

// Need skips the test unless what makes and runs the API is there; on CI it fails the test.
func (a API) Need(t testing.TB) {
	t.Helper()
	for _, program := range a.Needs {
		needs.Program(t, program)
	}
	if a.Imports != "" {
		needs.That(t, "python3 with "+a.Imports, exec.Command("python3", "-c", "import "+a.Imports).Run() == nil)
	}
}

// Build makes the API's program out of its folder below testdata, and returns the command that starts it, to which
// --port is added. What has to be compiled goes to the folder out.
func (a API) Build(ctx context.Context, testdata, out string) ([]string, error) {
	dir, err := filepath.Abs(filepath.Join(testdata, a.Name))
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", a.Name, err)
	}
	var compile, start []string
	switch a.Language {
	case "python":
		start = []string{"python3", filepath.Join(dir, a.Name+".py")}
	case "node":
		start = []string{"node", filepath.Join(dir, a.Name+".js")}
	case "go":
		start = []string{filepath.Join(out, a.Name)}
		compile = []string{"go", "build", "-o", start[0], "."}
	case "jvm":
		start = []string{"java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-cp", out, "Tickets"}
		compile = []string{"javac", "-d", out, "Tickets.java", "Json.java"}
	}
	if compile != nil {
		cmd := exec.CommandContext(ctx, compile[0], compile[1:]...)
		cmd.Dir = dir
		if text, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build %s: %w: %s", a.Name, err, text)
		}
	}
	return start, nil
}
