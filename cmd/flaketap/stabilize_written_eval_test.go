package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/verify"
)

// writtenSuite is a suite of the shop as a person writes one, every value asserted as it was seen one day, in a file of
// testdata/written.
type writtenSuite struct {
	name, file string
	run        string                       // the runner, as stabilize and verify have it run a suite
	ready      func(t *testing.T, b *bench) // makes the bench's folder ready for the runner; nil where nothing is to be done
}

func writtenSuites() []writtenSuite {
	return []writtenSuite{
		{name: "pytest", file: "test_shop.py", run: "python -m pytest -q --tb=short -p no:cacheprovider {}"},
		{name: "jest", file: "shop.test.js", ready: readyForJest,
			run: "sh -c 'node_modules/.bin/jest --rootDir . --runInBand --json --outputFile={results} {}'"},
	}
}

func readyForJest(t *testing.T, b *bench) {
	modules, _ := toolsDir(t, "node")
	needs.That(t, "Jest (make tools installs it)", exists(modules+"/node_modules/.bin/jest"))
	b.must("echo {} >package.json && ln -s " + modules + "/node_modules node_modules")
}

// stableSuite is the folder where stabilize leaves what it makes of the folder suite.
const stableSuite = "suite-stable"

// What one stabilize is promised to do for a suite that a person wrote.
const (
	promisedAsserted = 0.95 // the share of assertions that are still made, as they were or weaker
	promisedStill    = 0.98 // the share of faults that are told still, of those that a suite tells without what flakes
)

// TestEvalStabilizeWritten has one command stabilize each suite of the shop that people wrote, runs what comes of it on
// fresh shops (FLAKETAP_EVAL_RUNS says how often), and plants regressions in the shop's source and faults in its answers.
// The suite as it was fails on the sound shop and tells nothing there, so what it would tell is measured by the suite of
// which all that flakes is commented out, until that holds.
func TestEvalStabilizeWritten(t *testing.T) {
	shop := evalSets()[0]
	runs := evalRuns(t, 20)
	all := newEvalBench(t)
	builds := buildVariants(t, all, shop, "variants")
	for _, w := range writtenSuites() {
		t.Run(w.name, func(t *testing.T) {
			b := all.below(w.name)
			b.t, b.patience = t, all.patience
			if w.ready != nil {
				w.ready(t, b)
			}
			(&generatedSuite{bench: b}).write("suite/"+w.file, read(t, filepath.Join("testdata", "written", w.file)))
			start := shop.start("0s")
			weakened := w.stabilize(b, start)
			report := w.verified(b, w.withoutFlakes(b, start), fmt.Sprintf("--runs %d --variants %s --mutate all --mutants 60%s", runs, builds, start))
			logFaults(t, report)
			logWeakened(t, report, weakened)
		})
	}
}

// stabilize makes the suite hold by one command, wants its assertions to be made still, and returns the places of which
// another is made, or none.
func (w writtenSuite) stabilize(b *bench, start string) (weakened []exchange.Place) {
	b.t.Helper()
	begun := time.Now()
	b.must("flaketap stabilize --learn 8 --runs 10" + start + "suite -- " + w.run)
	took := time.Since(begun).Round(time.Second)
	r := readStabilized(b.t, filepath.Join(b.dir, "flaketap.db.stabilize", "report.json"))
	a := r.Assertions
	b.t.Logf("%s: %d rounds in %v; of %d tests %d fail before; assertions: %d, kept %d, weakened %d, bound %d, disabled %d, unknown %d",
		w.name, r.Rounds, took, r.Before.Tests, r.Before.Failing, a.All, a.Kept, a.Weakened, a.Bound, a.Disabled, a.Unknown)
	if asserted := a.All - a.Disabled; !r.Holds || float64(asserted) < promisedAsserted*float64(a.All) {
		b.t.Errorf("%s: it holds: %v, and asserts %d of %d; a share of %.2f is promised", w.name, r.Holds, asserted, a.All, promisedAsserted)
	}
	return b.changed(r.Rounds)
}

// changed logs what each round of a stabilize changed, and returns at which places.
func (b *bench) changed(rounds int) (places []exchange.Place) {
	b.t.Helper()
	for round := range rounds {
		var patch struct{ Report mend.Report }
		path := filepath.Join(b.dir, "flaketap.db.stabilize", fmt.Sprintf("round-%d", round+1), "patch.json")
		if err := json.Unmarshal(read(b.t, path), &patch); err != nil {
			b.t.Fatal(err)
		}
		for _, f := range patch.Report.Files {
			for _, c := range f.Changes {
				b.t.Logf("round %d, line %d, %s, %s: %s -> %s", round+1, c.Line, c.Test, c.Kind, c.Before, c.After)
				places = append(places, c.Place)
			}
			for _, u := range f.Unknown {
				b.t.Logf("round %d, line %d, %s, unknown: %s: %s", round+1, u.Line, u.Test, u.Text, u.Reason)
			}
		}
	}
	return places
}

// withoutFlakes comments out what flakes, by the runs of the suite as it is and then by its own, until the suite holds, and
// returns its folder. The name of none is part of another's, as Jest takes names for patterns.
func (w writtenSuite) withoutFlakes(b *bench, start string) string {
	b.t.Helper()
	dir, db := "suite", "flaketap.db"
	for round := range maxRounds {
		next := fmt.Sprintf("without-%d", round+1)
		b.must("flaketap patch --mode comment --db " + db + " --report " + next + ".json --out " + next + start + dir)
		report := b.patchReport(next+".json", w.file)
		b.t.Logf("%s: of %d assertions %d are commented out", next, report.Assertions, report.Disabled)
		dir, db = next, next+".db"
		if w.recorded(b, db, start, dir) {
			return dir
		}
	}
	b.t.Fatalf("%s: it flakes after %d rounds", w.name, maxRounds)
	return ""
}

// recorded records ten runs of a form of the suite, and reports whether none failed.
func (w writtenSuite) recorded(b *bench, db, start, dir string) bool {
	b.t.Helper()
	run := " --db " + db + start + "-- " + strings.NewReplacer("{}", dir, "{results}", "results.json").Replace(w.run)
	_, failed := b.sh("flaketap record --listen 127.0.0.1:0" + run)
	for range 9 {
		_, status := b.sh("flaketap rerun --runs 1" + run)
		failed += status
	}
	return failed == 0
}

// verified runs a suite without what flakes and the stable one on sound shops, which the latter is to pass, and with
// faults, of which it is to tell those that the former does.
func (w writtenSuite) verified(b *bench, without, flags string) verify.Report {
	b.t.Helper()
	f := evalForm{name: w.name}
	report := f.verify(b, flags, without+" "+stableSuite, w.run, 0)
	for i, suite := range report.Suites {
		b.t.Logf("%s: %d of %d test runs fail in %d runs; %d of %d variants and %d of %d mutants are told", suite.Suite,
			suite.Failures, suite.TestRuns, report.Runs, report.Variants.All.Killed[i], report.Variants.All.Planted,
			report.Mutants.All.Killed[i], report.Mutants.All.Planted)
		for _, test := range suite.Failing {
			b.t.Logf("%s: %s fails in %d of %d runs: %s", suite.Suite, test.Name, test.Failed, test.Ran, test.Message)
		}
	}
	if n := report.Suites[1].Failures; n > 0 {
		b.t.Errorf("%s: %d test runs fail on the sound shop", stableSuite, n)
	}
	by, told, still := 0, 0, 0 // by the stable suite; without what flakes; of those
	for _, n := range []verify.KillCount{report.Variants.All, report.Mutants.All} {
		by, told, still = by+n.Killed[1], told+n.Killed[0], still+n.Still[1]
	}
	b.t.Logf("%s: without what flakes %d faults are told, %d of them still by the stable suite, which tells %d", w.name, told, still, by)
	if told == 0 || by < told || float64(still) < promisedStill*float64(told) {
		b.t.Errorf("%s: the stable suite is to tell as many, and a share of %.2f of those", w.name, promisedStill)
	}
	return report
}

// logFaults logs the variants that are told, and the mutants that one of the two suites tells and the other does not.
func logFaults(t *testing.T, report verify.Report) {
	t.Helper()
	for _, v := range report.Variants.List {
		switch {
		case v.NotTried != "":
			t.Errorf("variant %s was not tried: %s", v.Variant, v.NotTried)
		case v.Suites[0].Killed || v.Suites[1].Killed:
			t.Logf("variant %s: told without what flakes by %q, by the stable suite by %q", v.Variant, v.Suites[0].By, v.Suites[1].By)
		}
	}
	for _, m := range report.Mutants.List {
		if without, stable := m.Suites[0], m.Suites[1]; without.Killed != stable.Killed {
			t.Logf("mutant %s %d %s %s %s: told without what flakes by %q, by the stable suite by %q",
				m.Operation, m.Status, m.Place, m.Kind, m.Way, without.By, stable.By)
		}
	}
}

// logWeakened logs how many of the mutants at weakened places the stable suite tells, and which assertion would tell the
// others. The suite as it was asserts exactly what stands there.
func logWeakened(t *testing.T, report verify.Report, weakened []exchange.Place) {
	t.Helper()
	planted, told := 0, 0
	for _, m := range report.Mutants.List {
		at := slices.ContainsFunc(weakened, func(p exchange.Place) bool {
			return p != "" && (m.Place == string(p) || strings.HasPrefix(m.Place, string(p)+"/"))
		})
		switch stable := m.Suites[1]; {
		case !at || !m.Volatile || stable.Answers == 0:
		case stable.Killed:
			planted, told = planted+1, told+1
		default:
			planted++
			t.Logf("mutant %s %d %s %s %s at a weakened place is not told (plausible: %v); what would tell it: %s",
				m.Operation, m.Status, m.Place, m.Kind, m.Way, m.Plausible, m.Assertion)
		}
	}
	t.Logf("the stable suite tells %d of %d mutants at weakened places", told, planted)
}
