package stabilize

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/console"
)

// Who has read the table is told where the suite is.
func TestOutputSaysWhereTheSuiteIs(t *testing.T) {
	o := newOptions(t)
	done, err := Run(t.Context(), o, []Runner{&fakeRunner{}}, patch, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := Output{Dir: filepath.Join(t.TempDir(), "suite-stable")}
	if err := out.Check(o, nil); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	if err := out.Write(o, done, &said, &console.Console{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said.String(), "the suite in its last form is in "+out.Dir+";") {
		t.Errorf("it says\n%s", said.String())
	}
	if _, err := os.Stat(filepath.Join(out.Dir, "a_test.py")); err != nil {
		t.Error(err)
	}
}
