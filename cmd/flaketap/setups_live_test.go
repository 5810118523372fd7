package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/evomaster"
)

// TestPatchProvesSetUps patches a suite that leans on what its session left behind, with an API to try on: what is given
// back says that it was proven.
func TestPatchProvesSetUps(t *testing.T) {
	s := newGeneratedSuite(t, 2)
	b, listen := s.bench, freeAddr(t)
	s.tests = s.tests[:24] // enough to find some that lean on others: each of these takes up to 40 trials
	s.write("suite/EvoMaster_Test.py", evomaster.Python("EvoMaster_Test", "http://"+listen, s.tests))
	s.write("suite/em_test_utils.py", evomaster.PythonHelper())
	run := " --listen " + listen + " --target " + s.url + " --reset " + s.url + "/admin/reset -- python -m pytest -q --tb=line -p no:cacheprovider suite/EvoMaster_Test.py"
	b.sh("flaketap record --db suite.db" + run)
	b.sh("flaketap rerun --db suite.db --runs 2" + run)
	said, status := b.sh("flaketap patch --db suite.db --session session.db --target " + s.url + " --reset " + s.url + "/admin/reset --out patched suite")
	if status != 0 {
		t.Fatalf("exit status %d\n%s", status, said)
	}
	summary := regexp.MustCompile(`flaketap: verified (\d+) set-ups? for (\d+) tests? depending on earlier requests, in (\d+) trials?`).FindStringSubmatch(said)
	if summary == nil || summary[1] == "0" {
		t.Fatalf("nothing was proven:\n%s", said)
	}
	t.Log(summary[0])
	data, err := os.ReadFile(filepath.Join(b.dir, "patched", "EvoMaster_Test.py"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), "; proven by replay"); strconv.Itoa(n) != summary[1] {
		t.Errorf("%d set-ups say that they were proven, of %s:\n%s", n, summary[1], data)
	}
	t.Log(said)
}
