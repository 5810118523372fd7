package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// TestRaced has a program that is built with the race detector do the whole job once, from record to steady: here the detector
// sees what the commands tie together, and in the packages' own tests what those do.
func TestRaced(t *testing.T) {
	t.Parallel()
	compiler, err := exec.Command("go", "env", "CC").Output()
	if err != nil {
		t.Fatal(err)
	}
	needs.Program(t, strings.TrimSpace(string(compiler)))
	b := newBench(t)
	tool := filepath.Join(b.dir, ".bin", "flaketap")
	if err := os.Remove(tool); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-race", "-gcflags=go.etcd.io/bbolt/...=-d=checkptr=0", "-o", tool, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b.env = append(b.env, "GORACE=log_path="+filepath.Join(b.dir, "race"))
	url, stop := serveTruth(t, demoapi.Dials{})
	defer stop()
	at, reset := " --target "+url+" --listen 127.0.0.1:0 ", " --reset "+url+"/admin/reset "
	const client = " -- flaketap demo client --rounds 1"
	b.must("flaketap record" + at + client)
	b.must("flaketap replay --runs 3 --workers 4 --perturb double" + reset)
	b.must("flaketap rerun" + reset + client)
	b.must("flaketap map --out volatile.json")
	b.must("flaketap suite --format pytest --out suite")
	b.must("flaketap report --out report.html")
	b.must("flaketap verify --runs 1 --mutate status --mutants 2" + at + reset + client)
	if resp, err := http.Post(url+"/admin/reset", "", nil); err != nil || resp.StatusCode/100 != 2 {
		t.Fatal(resp, err) // the client signs up, which it can do once
	}
	b.must("flaketap steady" + at + client)
	races, err := filepath.Glob(filepath.Join(b.dir, "race.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range races {
		t.Errorf("%s", read(t, file))
	}
}
