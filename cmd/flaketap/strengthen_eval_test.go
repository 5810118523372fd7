package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/verify"
)

// TestEvalStrengthen measures what patch --strengthen gives a suite in EvoMaster's style: how many of the faults in answers,
// and of the regressions planted in the shop's source, are told by the suite as it was, patched, and strengthened, without
// and with trials of each test alone; and how often the strengthened ones fail on the sound shop. The suite is one whose tests
// pass on a shop that stands still, as those that fail tell nothing.
func TestEvalStrengthen(t *testing.T) {
	for _, name := range []string{"python", "jest"} {
		t.Run(name, func(t *testing.T) {
			s := newGeneratedSuite(t, 3)
			b, listen, set := s.bench, freeAddr(t), evalSets()[0]
			frozen := " --start \"FLAKETAP_TEST_AS_FROZEN=127.0.0.1:{port} exec '" + testBinary(t) + "'\" --ready http://127.0.0.1:{port}/health" +
				" --reset http://127.0.0.1:{port}/admin/reset --listen " + listen
			s.passing(listen, frozen)
			form := liveForms()[name]
			patched := s.patched(form, listen)
			db := patched.dir + ".db" // of the suite that holds
			reset := " --target " + s.url + " --reset " + s.url + "/admin/reset"
			b.must("flaketap patch --strengthen --db " + db + " --report stronger.json --out stronger " + patched.dir)
			b.must("flaketap patch --strengthen --db " + db + reset + " --report tried.json --out tried " + patched.dir)
			for _, dir := range []string{"stronger", "tried"} {
				report := b.patchReport(dir+".json", form.file)
				t.Logf("%s: %d assertions, %d added", dir, report.Assertions, report.Added)
				if report.Added == 0 {
					t.Errorf("%s: nothing was added", dir)
				}
				strengthened := *patched
				strengthened.dir, strengthened.command = dir, form.ready(b, dir, s.url+"/admin/reset")
				strengthened.holds()
				b.must("rm -f run*.db")
			}
			suites := " suite " + patched.dir + " stronger tried -- " + runnerOf(name, form.file)
			told := b.verified("flaketap verify --runs 2 --mutate all --mutants 100 --db " + db + frozen + suites)
			all := told.Mutants.All
			t.Logf("of %d faults in answers: the suite tells %d, patched %d (%d of those), strengthened %d, tried %d", all.Planted,
				all.Killed[0], all.Killed[1], all.Still[1], all.Killed[2], all.Killed[3])
			if all.Still[1]*100 < 98*all.Killed[0] || all.Killed[2] <= all.Killed[0] {
				t.Errorf("patched, it is to tell 98 %% of what the suite tells, and strengthened more: %+v", all)
			}
			told = b.verified("flaketap verify --runs 5 --variants " + buildVariants(t, b, set, "variants") + set.start("0s") + "--listen " +
				listen + " --db " + db + suites)
			for i, of := range told.Suites {
				t.Logf("%s: %d of %d variants are told; %d of %d test runs fail on the sound shop", of.Suite, told.Variants.All.Killed[i],
					told.Variants.All.Planted, of.Failures, of.TestRuns)
				if i > 0 && of.Failures > 0 {
					t.Errorf("%s: %v fail on the sound shop", of.Suite, of.Failing)
				}
			}
		})
	}
}

// runnerOf is how verify has a suite run in a language of EvoMaster's.
func runnerOf(language, file string) string {
	if language == "jest" {
		return "node_modules/.bin/jest --ci --silent --json --outputFile={results} --rootDir . --testMatch '**/{}/*_Test.js'"
	}
	return "python -m pytest -q --tb=line -p no:cacheprovider {}/" + file
}

// verified runs verify and reads its report.
func (b *bench) verified(command string) verify.Report {
	b.t.Helper()
	b.must(strings.Replace(command, "verify", "verify --force --format json --out verified.json", 1))
	var report verify.Report
	if err := json.Unmarshal(read(b.t, filepath.Join(b.dir, "verified.json")), &report); err != nil {
		b.t.Fatal(fmt.Errorf("read the report of verify: %w", err))
	}
	return report
}
