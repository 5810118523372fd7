package write

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite"
)

func TestJestGolden(t *testing.T) {
	files, err := Write("jest", samplePlan())
	if err != nil {
		t.Fatal(err)
	}
	goldenProject(t, "jest", files)
}

func TestPostmanGolden(t *testing.T) {
	files, err := Write("postman", samplePlan())
	if err != nil {
		t.Fatal(err)
	}
	goldenProject(t, "postman", files)
}

func TestHurlGolden(t *testing.T) {
	p := samplePlan()
	// What Hurl could not send would be left out with all that is asserted.
	p.Tests[0].Steps[1].Headers[2].Value = lit("a\tb {{x}} # {")
	p.Tests[1].Steps[0].Checks[0].Statuses = []int{200}
	files, err := Write("hurl", p)
	if err != nil {
		t.Fatal(err)
	}
	goldenProject(t, "hurl", files)
}

// TestJUnitGolden holds the projects of the sample plan against testdata/junit and testdata/kotlin, but for the
// runtime.
func TestJUnitGolden(t *testing.T) {
	for form, golden := range map[string]string{"junit5": "junit", "kotlin": "kotlin"} {
		files, err := Write(form, samplePlan())
		if err != nil {
			t.Fatal(err)
		}
		var own []suite.File
		for _, f := range files {
			base := filepath.Base(f.Name)
			if !strings.Contains(f.Name, "src/test/") || strings.Contains(f.Name, "resources") || strings.Contains(base, "Test.") {
				own = append(own, suite.File{Name: base, Data: f.Data})
			}
		}
		goldenProject(t, golden, own)
	}
}

// TestJUnitSecrets: no file but secrets.json has a secret, and that is for its owner.
func TestJUnitSecrets(t *testing.T) {
	p := samplePlan()
	for _, form := range []string{"junit5", "kotlin"} {
		files, err := Write(form, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			for _, secret := range p.Secrets {
				if held := bytes.Contains(f.Data, []byte(secret)); held != (f.Name == "secrets.json") {
					t.Errorf("%s: %s holds %q: %v", form, f.Name, secret, held)
				}
			}
			if f.Name == "secrets.json" && f.Perm != 0o600 {
				t.Errorf("%s: secrets.json has mode %o", form, f.Perm)
			}
		}
	}
}

// TestPytestAndGoGolden holds the projects of the sample plan against testdata/pytest and testdata/go, but for the
// runtime.
func TestPytestAndGoGolden(t *testing.T) {
	for _, form := range []string{"pytest", "go"} {
		files, err := Write(form, samplePlan())
		if err != nil {
			t.Fatal(err)
		}
		goldenProject(t, form, slices.DeleteFunc(files, func(f suite.File) bool {
			_, err := os.Stat(filepath.Join(map[string]string{"pytest": "pytest", "go": "gotest"}[form], "runtime", f.Name))
			return err == nil && f.Name != "flaketap_recorded_test.go"
		}))
	}
}
