package intercept

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// An ordinary user's processes are led as root's are. The test runs others as one.
func TestOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("these tests are run by an ordinary user")
	}
	const anybody = 10001
	dir := t.TempDir()
	for _, open := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(open, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, own := range []string{"tmp", "home"} {
		if err := os.Mkdir(filepath.Join(dir, own), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(filepath.Join(dir, own), anybody, anybody); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	self = filepath.Join(dir, "intercept.test")
	if err := os.WriteFile(self, program, 0o755); err != nil { //nolint:gosec // another user runs it
		t.Fatal(err)
	}
	tests := []string{"TestServices", "TestContained", "TestLocal", "TestDaemon", "TestGone", "TestStatus"}
	cmd := exec.CommandContext(t.Context(), self, "-test.v", "-test.run=^("+strings.Join(tests, "|")+")$")
	cmd.Dir = filepath.Join(dir, "home")
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(dir, "tmp"), "HOME="+cmd.Dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: anybody, Gid: anybody}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, name := range tests {
		if !strings.Contains(string(out), "--- PASS: "+name+" ") {
			t.Errorf("%s does not pass:\n%s", name, out)
		}
	}
}
