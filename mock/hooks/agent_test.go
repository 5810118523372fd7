package hooks

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The agent lies beside the program, or where packages put it, also where a link leads to the program.
func TestFindAgent(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string) string {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	program := write("bin/flaketap")
	if got := FindAgent(program); got != "" {
		t.Errorf("found %s where there is none", got)
	}
	shared := write("share/flaketap/flaketap-hooks.jar")
	if got := FindAgent(program); got != shared {
		t.Errorf("found %q, want %s", got, shared)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(program, link); err != nil {
		t.Skip(err)
	}
	if got := FindAgent(link); got != shared {
		t.Errorf("found %q by a link, want %s", got, shared)
	}
	beside := write("bin/flaketap-hooks.jar")
	if got := FindAgent(program); got != beside {
		t.Errorf("found %q, want %s", got, beside)
	}
}

// A JVM is given the agent before its own options, and nothing where there is none.
func TestVariablesOfTheJVM(t *testing.T) {
	for agent, want := range map[string]string{"": "JAVA_TOOL_OPTIONS=-Dx=1", "/a b/x.jar": `JAVA_TOOL_OPTIONS="-javaagent:/a b/x.jar" -Dx=1`} {
		h, err := Install(t.TempDir(), agent)
		if err != nil {
			t.Fatal(err)
		}
		if got := h.Variables([]string{"JAVA_TOOL_OPTIONS=-Dx=1"}); !slices.Contains(got, want) {
			t.Errorf("the environment is %q, want %s", got, want)
		}
	}
}
