package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/evomaster"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/suite/stabilize"
)

// newStabilized writes an EvoMaster-style suite of the shop, and returns the arguments that stabilize it.
func newStabilized(t *testing.T) (*generatedSuite, []string) {
	t.Helper()
	s := newGeneratedSuite(t, 1)
	s.write("suite/EvoMaster_Test.py", evomaster.Python("EvoMaster_Test", "http://"+freeAddr(t), s.tests))
	s.write("suite/em_test_utils.py", evomaster.PythonHelper())
	return s, []string{"stabilize", "--db", "suite.db", "--session", "session.db", "--target", s.url, "--reset", s.url + "/admin/reset",
		"--learn", "4", "--runs", "5", "--trials", "12", "suite", "--", "python", "-m", "pytest", "-q", "--tb=line", "-p", "no:cacheprovider", "{}/EvoMaster_Test.py"}
}

func readStabilized(t *testing.T, path string) (r stabilize.Report) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// One command makes a suite hold that flakes, and that leans on what its session left behind. Interrupted and killed
// again and again, it goes on, comes to the end, and does no run twice.
func TestRealPythonStabilize(t *testing.T) {
	t.Parallel()
	s, args := newStabilized(t)
	b := s.bench
	stops := []struct {
		when string
		how  syscall.Signal
	}{
		{`round 1, run 1 of `, syscall.SIGINT}, {`round 1, run 3 of `, syscall.SIGKILL}, {`round 1: 1 file`, syscall.SIGKILL},
		{`round 2, run 2 of `, syscall.SIGTERM},
	}
	for _, stop := range stops {
		p := b.run(nil, args...)
		p.wait(stop.when)
		p.signal(stop.how)
		<-p.over
		t.Logf("stopped by %v:\n%s", stop.how, p.out)
	}
	out := b.must("flaketap " + strings.Join(args, " "))
	r := readStabilized(t, filepath.Join(b.dir, "suite.db.stabilize", "report.json"))
	a := r.Assertions
	switch {
	case !r.Holds || r.After.Failing != 0 || r.After.Runs != 5 || r.Before.Runs != 4 || r.Before.Failing == 0 || r.Rounds == 0:
		t.Errorf("%+v", r)
	case a.Kept+a.Weakened+a.Bound+a.Disabled+a.Unknown != a.All || a.Disabled*20 > a.All || a.Kept*2 < a.All || a.Weakened == 0 || r.SetUps == 0:
		t.Errorf("%+v, %d set-ups", a, r.SetUps)
	case !strings.Contains(out, "the suite holds in 5 fresh runs in a row"):
		t.Errorf("it says\n%s", out)
	}
	// Done is done: again, it runs nothing, and says the same.
	again := b.must("flaketap " + strings.Join(append([]string{args[0], "--out", "again"}, args[1:]...), " "))
	if strings.Contains(again, ", run ") {
		t.Errorf("it says\n%s", again)
	}
	b.must("diff -r suite-stable again && flaketap map --db suite.db --out map.json")
	(&liveSuite{generatedSuite: s, form: liveForms()["python"], listen: portOf(t, s), dir: "suite-stable",
		command: liveForms()["python"].ready(b, "suite-stable", "")}).holds()
}

// portOf is the address that the suite has written in.
func portOf(t *testing.T, s *generatedSuite) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.bench.dir, "suite", "EvoMaster_Test.py"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), `baseUrlOfSut = "http://`)
	addr, _, _ := strings.Cut(rest, `"`)
	return addr
}

// An API that is started for each run, and a suite that asserts what moves with the clock and at random: no session is needed.
func TestRealPythonStabilizeStarted(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	s := &generatedSuite{bench: b}
	s.write("suite/a_test.py", []byte("import unittest\nimport requests\n\n\nclass T(unittest.TestCase):\n    baseUrlOfSut = \"http://"+
		freeAddr(t)+"\"\n\n    def test_0(self):\n        headers = {}\n        res_0 = requests.get(self.baseUrlOfSut + \"/health\", headers=headers)\n"+
		"        assert res_0.status_code == 200\n        assert res_0.json()[\"uptimeSeconds\"] == 0.25\n        assert res_0.json()[\"status\"] == \"ok\"\n"))
	out, status := b.sh("flaketap stabilize --start 'flaketap demo api --set shop --clock-offset {clock} --listen 127.0.0.1:{port}' " +
		"--ready http://127.0.0.1:{port}/health --learn 3 --runs 3 --in-place suite -- python -m pytest -q -p no:cacheprovider {}")
	if status != 0 || !strings.Contains(out, "the suite holds in 3 fresh runs in a row") {
		t.Errorf("exit status %d\n%s", status, out)
	}
	patched := b.must("cat suite/a_test.py")
	if strings.Contains(patched, "== 0.25") || !strings.Contains(patched, `["status"] == "ok"`) {
		t.Errorf("the suite is\n%s", patched)
	}
	// What was kept explains why the suite as it was flaked.
	f := b.explained("test_0")
	blames(t, f, report.TiedByTime, report.KnownByMessage, "suite/a_test.py:12", `assert res_0.json()["uptimeSeconds"] == 0.25`,
		"GET /health", "/body/uptimeSeconds", "Time")
	if f.Failed != 3 || f.Of != 3 {
		t.Errorf("it failed in %d of %d", f.Failed, f.Of)
	}
}
