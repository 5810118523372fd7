package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/demoapi"
)

// goRuns is how often a generated Go suite is run: without a failure.
const goRuns = 20

// TestGoSuite: a Go suite from a recording of the truth API is as gofmt leaves it, passes vet, and passes again and again,
// in any order; without weakening it fails, and so it does where the API breaks.
func TestGoSuite(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.useGo()
	url, stop := serveTruth(t, demoapi.Dials{})
	defer stop()
	b.must("flaketap record --target " + url + " --listen 127.0.0.1:0 -- flaketap demo client --rounds 2")
	b.must("flaketap replay --runs 6 --bound 0.01 --reset " + url + "/admin/reset")
	b.must("flaketap suite --format go --out suite --target " + url + " --reset " + url + "/admin/reset")
	b.must("flaketap suite --format go --mode exact --out exact")
	if out := b.must("gofmt -l suite exact"); out != "" {
		t.Errorf("gofmt would change %s", out)
	}
	b.must("cd suite && go vet ./... && go test -c -o ../suite.bin . && cd ../exact && go test -c -o ../exact.bin .")
	env := []string{"FLAKETAP_URL=" + url, "FLAKETAP_RESET=" + url + "/admin/reset"}
	b.must("cd suite && go test -count=1 ./...", env...)
	for range goRuns {
		b.must("cd suite && ../suite.bin -test.shuffle=on", env...)
	}
	out, status := b.sh("cd suite && ../suite.bin -test.v", append(env, "FLAKETAP_SECRETS=none.json")...)
	if status != 1 || !strings.Contains(out, "so there is no ") || !strings.Contains(out, "--- PASS: ") || strings.Contains(out, "panic") {
		t.Errorf("without secrets: exit status %d, want failures of the tests that need one alone\n%s", status, tail(out))
	}
	if out, status := b.sh("cd exact && ../exact.bin", env...); status != 1 {
		t.Errorf("the suite without weakening: exit status %d, want failures\n%s", status, tail(out))
	}
	for _, fault := range demoapi.Faults() {
		broken, stop := serveTruth(t, demoapi.Dials{Fault: fault})
		out, status := b.sh("cd suite && ../suite.bin", "FLAKETAP_URL="+broken, "FLAKETAP_RESET="+broken+"/admin/reset")
		stop()
		if status != 1 || !strings.Contains(out, "products_api_test.go") {
			t.Errorf("with the fault %s planted: exit status %d\n%s", fault, status, tail(out))
		}
	}
	files, err := filepath.Glob(filepath.Join(b.dir, "suite", "*.go"))
	if err != nil || len(files) < 5 {
		t.Errorf("%d files: %v", len(files), err)
	}
}
