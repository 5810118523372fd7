package main

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite/verify"
)

// TestEvalSteadyMutants measures what holding still costs: a suite that asserts all that it saw, on an instance that stands
// still, so that it passes there by itself, and all that it can tell is seen. What it tells of faults at stable places it
// tells through steady; of those at volatile places, whatever breaks what was learned of them.
func TestEvalSteadyMutants(t *testing.T) {
	needs.That(t, "python3", found("python3"))
	b := newBench(t)
	exe := testBinary(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0") // the API tells its port, which has to be the same each time
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	ln.Close()
	frozen := "--start \"FLAKETAP_TEST_AS_FROZEN=" + addr + " exec '" + exe + "'\" --ready http://" + addr + "/health --target http://" + addr + " "
	suite := "python3 " + suiteSource(t, "suite.py")
	b.must("flaketap record " + frozen + "--listen 127.0.0.1:0 -- " + suite)
	b.must("flaketap replay --runs 8 --start 'exec flaketap demo api --listen 127.0.0.1:{port}' --ready http://127.0.0.1:{port}/health")
	mutants := "120"
	b.must("flaketap verify --runs 1 --mutate all --mutants " + mutants + " --format json --out v.json " + frozen +
		"'" + suite + "' 'flaketap steady --target $FLAKETAP_URL -- " + suite + "' -- sh -c {}")
	data, err := os.ReadFile(filepath.Join(b.dir, "v.json"))
	if err != nil {
		t.Fatal(err)
	}
	var v verify.Report
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	for _, s := range v.Suites {
		if s.FR != 0 {
			t.Errorf("with no fault planted %s fails", s.Suite)
		}
	}
	stable, volatile := v.Mutants.Stable, v.Mutants.Volatile
	t.Logf("on stable places: %+v; on volatile places: %+v", stable, volatile)
	if stable.Killed[0] < 4 || float64(stable.Still[1]) < 0.95*float64(stable.Killed[0]) {
		t.Errorf("of %d mutants on stable places that the suite kills by itself, it kills %d through steady", stable.Killed[0], stable.Still[1])
	}
	if volatile.Killed[0] == 0 || float64(volatile.Still[1]) < 0.6*float64(volatile.Killed[0]) {
		t.Errorf("of %d mutants on volatile places that the suite kills by itself, it kills %d through steady", volatile.Killed[0], volatile.Still[1])
	}
	for _, m := range v.Mutants.List {
		if !m.Suites[0].Killed || m.Suites[1].Killed {
			continue
		}
		t.Logf("held still: %s %s of %s %d, volatile %v", m.Kind, m.Place, m.Operation, m.Status, m.Volatile)
		if m.Kind == "retype" || m.Kind == "status" || m.Kind == "add" || strings.HasPrefix(m.Place, "/status") {
			t.Errorf("%s at %s of %s %d breaks what was learned of it, and is held still", m.Kind, m.Place, m.Operation, m.Status)
		}
	}
}
