package write

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// TestHurlCredentials: the script gives Hurl the credentials of the environment in the place of recorded ones, leaves no
// copy of them behind, and says which one is missing.
func TestHurlCredentials(t *testing.T) {
	needs.That(t, "a shell", exec.Command("sh", "-c", "true").Run() == nil)
	dir := t.TempDir()
	files, err := Write("hurl", samplePlan())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, f.Perm); err != nil {
			t.Fatal(err)
		}
	}
	// It stands for Hurl: what it is given as the file of secrets, it prints.
	stub := "#!/bin/sh\nwhile [ \"$1\" != --secrets-file ]; do shift; done\ncat \"$2\"\nexit 4\n"
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bin", "hurl"), []byte(stub), 0o755); err != nil {
		t.Fatal(err)
	}
	copies := filepath.Join(dir, "tmp")
	if err := os.Mkdir(copies, 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(env ...string) (out string, status int) {
		cmd := exec.Command(filepath.Join(dir, "run.sh"))
		cmd.Env = append(os.Environ(), append(env, "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "TMPDIR="+copies)...)
		raw, _ := cmd.CombinedOutput()
		left, err := os.ReadDir(copies)
		if err != nil || len(left) > 0 {
			t.Errorf("%d copies of the secrets are left behind: %v", len(left), err)
		}
		return string(raw), cmd.ProcessState.ExitCode()
	}
	const hint = "README.md says how to give another"
	if out, status := run(); status != 4 || !strings.Contains(out, "API_KEY=k3y-of-the-client\n") || !strings.Contains(out, hint) {
		t.Errorf("as recorded: exit status %d\n%s", status, out)
	}
	out, status := run("FLAKETAP_API_KEY=a nöw \"$key\"")
	if status != 4 || !strings.Contains(out, "API_KEY=a nöw \"$key\"\n") || strings.Contains(out, "k3y-of-the-client") || !strings.Contains(out, "sesame") {
		t.Errorf("with another: exit status %d\n%s", status, out)
	}
	if out, status := run("FLAKETAP_SECRETS=none.env"); status != 1 || !strings.Contains(out, "secrets.env has no value for ANN_PASSWORD: give it there, or set the environment variable FLAKETAP_ANN_PASSWORD, see README.md") {
		t.Errorf("without any: exit status %d\n%s", status, out)
	}
}
