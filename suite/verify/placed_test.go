package verify

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A suite whose name a shell would take apart comes to what the shell runs as one word.
func TestPlaced(t *testing.T) {
	for _, tt := range []struct{ command, suite, want string }{
		{"pytest|{}/x", "a b", "pytest|a b/x"},
		{"sh|-c|cd {} && jest --out={results}", "suite", "sh|-c|cd suite && jest --out=r"},
		{"sh|-c|cd {} && jest", "a b", "sh|-c|cd 'a b' && jest"},
		{"sh|-c|cd '{}' && cd \"{}/x\" && jest {}", "a b", "sh|-c|cd 'a b' && cd \"a b/x\" && jest 'a b'"},
		{`sh|-c|echo \" {}`, "it's", `sh|-c|echo \" 'it'\''s'`},
		{"env|A=1|/bin/bash|-ec|mvn -f {}/pom.xml", "a b", "env|A=1|/bin/bash|-ec|mvn -f 'a b'/pom.xml"},
		{"sh|-c|{}", "pytest suite", "sh|-c|pytest suite"},
		{"sh|run.sh|{}", "a b", "sh|run.sh|a b"},
	} {
		got := strings.Join(placed(strings.Split(tt.command, "|"), map[string]string{"{}": tt.suite, "{results}": "r"}), "|")
		if got != tt.want {
			t.Errorf("%s of %s is %s, want %s", tt.command, tt.suite, got, tt.want)
		}
	}
}

// A shell finds the file, whatever its name is.
func TestPlacedIsFound(t *testing.T) {
	for _, name := range []string{"plain", "two words", "it's", `$HOME "x"`, "a;b", "*", "{}"} {
		file := filepath.Join(t.TempDir(), name)
		words := placed([]string{"sh", "-c", `printf %s {}`}, map[string]string{"{}": file, "{results}": "r"})
		got, err := exec.Command(words[0], words[1:]...).Output()
		if err != nil || string(got) != file {
			t.Errorf("%s comes as %q, %v", file, got, err)
		}
	}
}
