package main

import (
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/flaketap/flaketap/suite/stabilize"
)

// ofRound is the beginning of a line of progress, up to what is another each time.
var ofRound = regexp.MustCompile(`(?m)^round \d+[^:\n]*: (?:1 file|[^(\n]*)`)

// Killed at three moments at random and begun again by the same command, a stabilization ends with the suite and the
// table with which it ends undisturbed; several runs at once are no other. Of the answers that one run after the other
// gets, some hold the address that they were asked at.
func TestRealPythonStabilizeKilled(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	b.patience = 5 * time.Minute
	s := &generatedSuite{bench: b}
	for _, name := range []string{"conftest.py", "test_catalogue.py"} {
		s.write("suite/"+name, read(t, "testdata/written/order/"+name))
	}
	s.write("alone/test_links.py", []byte("import os\n\nimport requests\n\nBASE = os.environ[\"FLAKETAP_URL\"]\n\n\n"+
		"def test_links():\n    res = requests.get(BASE + \"/products/1\", timeout=10)\n    assert res.status_code == 200\n"+
		"    assert res.json()[\"links\"][\"self\"] == \"http://localhost:8080/products/1\"\n"))
	random := rand.New(rand.NewPCG(17, 3))
	for _, c := range []struct{ suite, workers string }{{"alone", "1"}, {"suite", "2"}} {
		args := func(name string) []string {
			return []string{"stabilize", "--learn", "3", "--runs", "3", "--workers", c.workers, "--db", name + ".db", "--out", name,
				"--start", "flaketap demo api --listen 127.0.0.1:{port}", "--ready", "http://127.0.0.1:{port}/health",
				c.suite, "--", "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "{}"}
		}
		whole, killed := c.suite+c.workers+"-whole", c.suite+c.workers+"-killed"
		p := b.run(nil, args(whole)...)
		p.exit(0)
		moments := ofRound.FindAllString(p.out.String(), -1)
		for _, i := range slices.Sorted(slices.Values(random.Perm(len(moments) - 1)[:3])) {
			p := b.run(nil, args(killed)...)
			p.wait(regexp.QuoteMeta(moments[i]))
			p.signal(syscall.SIGKILL)
			<-p.over
		}
		p = b.run(nil, args(killed)...)
		p.exit(0)
		var reports []stabilize.Report
		for _, name := range []string{whole, killed} {
			r := readStabilized(t, filepath.Join(b.dir, name+".db.stabilize", "report.json"))
			r.Seconds = stabilize.Seconds{}
			reports = append(reports, r)
		}
		if diff := cmp.Diff(reports[0], reports[1], cmpopts.IgnoreUnexported(stabilize.Unhelped{})); diff != "" || !reports[1].Holds {
			t.Errorf("%s, workers %s: killed, its report is (-whole +killed):\n%s\n%s", c.suite, c.workers, diff, p.out)
		}
		out := b.must("sed -i -E 's/127.0.0.1:[0-9]+/ADDRESS/g' $(find " + whole + " " + killed + " -name '*.py') && diff -r -I 'was made by' " +
			whole + " " + killed) // but for ids that the API drew
		if strings.Contains(out, "test_") {
			t.Error(out)
		}
	}
}
