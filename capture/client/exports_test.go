//go:build unix

package client

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/certs"
)

// What is written for sh sets the variables, and leaves the options that Java has already.
func TestExportsAreShell(t *testing.T) {
	ca, err := certs.LoadOrCreate(t.TempDir() + "/it's here")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := Exports(ca)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `eval "$1"; echo "$NODE_EXTRA_CA_CERTS"; echo "$JAVA_TOOL_OPTIONS"`, "sh", string(lines))
	cmd.Env = []string{"JAVA_TOOL_OPTIONS=-Dx=y", "PATH=/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	want := ca.CertFile() + "\n-Dx=y \"-Djavax.net.ssl.trustStore="
	if err != nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("got %s, %v, want %s", out, err, want)
	}
}
