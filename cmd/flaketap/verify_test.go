package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/suite/verify"
)

// The first signal ends the run under way, and what is known by then is reported.
func TestStopVerify(t *testing.T) {
	b := newBench(t)
	url, stop := serveTruth(t, demoapi.Dials{})
	defer stop()
	p := b.run(nil, "verify", "--runs", "1", "--target", url, "--mutate", "all", "--mutants", "500", "--format", "json", "--out", "v.json", "--",
		"curl", "-sf", "-o", "out", url+"/products/1")
	p.wait(`mutant 2 of \d+`)
	p.signal(syscall.SIGINT)
	p.exit(1)
	p.says(1, `interrupted: \d+ of \d+ mutants were planted`)
	data, err := os.ReadFile(filepath.Join(b.dir, "v.json"))
	if err != nil {
		t.Fatal(err)
	}
	var v verify.Report
	if err := json.Unmarshal(data, &v); err != nil || !v.Interrupted || v.Mutants == nil || len(v.Mutants.List) < 2 {
		t.Errorf("the report does not tell: %v\n%s", err, data)
	}
}
