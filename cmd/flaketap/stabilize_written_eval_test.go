package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/verify"
)

// writtenAPI is an API that people wrote suites for.
type writtenAPI struct {
	name     string
	start    func(b *bench) (flags string)
	variants func(b *bench) (folder string) // of regressions in its source, once it starts; nil where there are none
	suites   []writtenSuite
}

// writtenSuite is a suite as a person writes one, every value asserted as it was seen one day.
type writtenSuite struct {
	family   string
	file     string // in testdata/written
	snapshot string // beside it; "" for none
	run      string // the runner, as stabilize and verify have it run a suite
	flags    string // that they need for it
	ready    func(t *testing.T, b *bench)
}

// writtenAPIs are the APIs with a suite for each family. Those of the library and of
// PocketBase were written before their author looked at how suites are read.
func writtenAPIs() []writtenAPI {
	return []writtenAPI{
		{"shop", (*bench).readyShop, (*bench).shopVariants, []writtenSuite{
			pytestWritten("test_shop.py", ""), jestWritten("shop.test.js", ""), goWritten("go/shop_test.go"),
			jvmWritten("java", "ShopTest.java"), jvmWritten("kotlin", "ShopTest.kt"),
		}},
		{"library", (*bench).readyLibrary, (*bench).libraryVariants, []writtenSuite{
			pytestWritten("library/test_library.py", "test_library.ambr"),
			jestWritten("library/library.test.js", "library.test.js.snap"), goWritten("library/library_test.go"),
			jvmWritten("java", "library/LibraryTest.java"), jvmWritten("kotlin", "library/LibraryTest.kt"),
		}},
		{"pocketbase", (*bench).readyPocketBase, nil, []writtenSuite{
			pytestWritten("pocketbase/test_pocketbase.py", "test_pocketbase.ambr"),
			jestWritten("pocketbase/pocketbase.test.js", "pocketbase.test.js.snap"),
			goWritten("pocketbase/pocketbase_test.go"),
			jvmWritten("java", "pocketbase/PocketBaseTest.java"), jvmWritten("kotlin", "pocketbase/PocketBaseTest.kt"),
		}},
	}
}

func pytestWritten(file, snapshot string) writtenSuite {
	return writtenSuite{family: "pytest", file: file, snapshot: snapshot, ready: func(t *testing.T, b *bench) {
		_, status := b.sh("python -c 'import syrupy'")
		needs.That(t, "syrupy (make tools installs it)", status == 0)
	}, run: "python -m pytest -q --tb=short -p no:cacheprovider -p syrupy {}"}
}

func jestWritten(file, snapshot string) writtenSuite {
	return writtenSuite{family: "jest", file: file, snapshot: snapshot, ready: readyForJest,
		run: "sh -c 'node_modules/.bin/jest --ci --rootDir . --runInBand --json --outputFile={results} {}'"}
}

func goWritten(file string) writtenSuite {
	return writtenSuite{family: "go", file: file, run: "go -C {} test -count=1 -json ./...", ready: func(t *testing.T, b *bench) {
		s := &generatedSuite{bench: b}
		s.write("suite/go.mod", []byte("module written\n\ngo 1.26\n\nrequire github.com/google/go-cmp v0.7.0\n"))
		sums := regexp.MustCompile(`(?m)^github.com/google/go-cmp .*\n`).FindAllString(string(read(t, "../../go.sum")), -1)
		s.write("suite/go.sum", []byte(strings.Join(sums, "")))
	}}
}

// jvmWritten is a suite that a JVM compiles and runs which stands by for all runs (testdata/eval/StandingJVM.java): to start one
// takes ten times as long as the tests do.
func jvmWritten(family, file string) writtenSuite {
	name := filepath.Base(file)
	return writtenSuite{family: family, file: file, flags: " --results {}/reports ", ready: readyForJUnit,
		run: `sh -c "cd {} && env -0 | curl --silent --noproxy '*' --fail-with-body --data-binary @- $STANDING_JVM/` + name + `"`}
}

func readyForJUnit(t *testing.T, b *bench) {
	jars, there := toolsDir(t, "java")
	needs.That(t, "the Java libraries (make tools installs them), and curl", there && found("javac") && found("curl"))
	program := absolute(t, filepath.Join("testdata", "eval", "StandingJVM.java"))
	b.env = append(b.env, "JARS="+jars)
	b.env = append(b.env, "STANDING_JVM="+b.start(quickJava+" --add-opens java.base/java.lang=ALL-UNNAMED "+
		"--add-opens java.base/java.util=ALL-UNNAMED -cp '"+jars+"/*' '"+program+"' PORT", "/"))
}

func readyForJest(t *testing.T, b *bench) {
	modules, _ := toolsDir(t, "node")
	needs.That(t, "Jest (make tools installs it)", exists(modules+"/node_modules/.bin/jest"))
	b.must("echo {} >package.json && ln -s " + modules + "/node_modules node_modules")
}

func (b *bench) readyShop() (flags string) { return evalSets()[0].start("0s") }

func (b *bench) shopVariants() (folder string) {
	return buildVariants(b.t, b, evalSets()[0], "variants")
}

func (b *bench) readyLibrary() (flags string) {
	sound, _ := startLibrary(b)
	return " --start '" + sound + "' --ready http://127.0.0.1:{port}/settings "
}

// libraryVariants are the programs that startLibrary writes beside the sound one.
func (b *bench) libraryVariants() (folder string) { return filepath.Join(b.dir, "starts") }

// readyPocketBase starts each PocketBase from the collections of its client, and nothing in them. There is no source of it
// to plant regressions in.
func (b *bench) readyPocketBase() (flags string) {
	bin, _ := toolsDir(b.t, "pocketbase")
	b.pocketBase(b.t)
	script := fmt.Sprintf("#!/bin/sh\ncd '%s' && rm -rf data-$1 && cp -r start data-$1 &&\n"+
		"exec '%s/pocketbase' --dev=false --dir data-$1 serve --http 127.0.0.1:$1\n", b.dir, bin)
	if err := writeProgram(filepath.Join(b.dir, "serve"), []byte(script)); err != nil {
		b.t.Fatal(err)
	}
	return " --start '" + b.dir + "/serve {port}' --ready http://127.0.0.1:{port}/api/health "
}

// stableSuite is the folder where stabilize leaves what it makes of the folder suite.
const stableSuite = "suite-stable"

// What one stabilize is promised to do for a suite that a person wrote.
const (
	promisedAsserted = 0.95 // the share of assertions that are still made, as they were or weaker
	promisedStill    = 0.98 // the share of faults that are told still, of those that a suite tells without what flakes
)

// faultRuns is how often a suite is run without faults before some are planted.
const faultRuns = 10

// TestEvalStabilizeWritten has one command stabilize each suite that people wrote, runs what comes of it on fresh starts
// of its API (FLAKETAP_EVAL_RUNS says how often), and plants regressions in the API's source and faults in its answers,
// as many as FLAKETAP_EVAL_VARIANTS (or all) and FLAKETAP_EVAL_MUTANTS say, drawn by a seed, unless FLAKETAP_EVAL_FAULTS
// is none.
// The suite as it was fails on the sound API and tells nothing there, so what it would tell is measured by the suite of
// which all that flakes is commented out, until that holds.
func TestEvalStabilizeWritten(t *testing.T) {
	runs, faults := evalRuns(t, 20), os.Getenv("FLAKETAP_EVAL_FAULTS") != "none"
	mutants := evalNumber(t, "FLAKETAP_EVAL_MUTANTS", 60)
	for _, api := range writtenAPIs() {
		t.Run(api.name, func(t *testing.T) {
			all := newEvalBench(t)
			start, variants := api.start(all), ""
			if faults && api.variants != nil {
				variants = api.variants(all) // the shop's take longer to build than a suite to be stabilized
			}
			for _, w := range api.suites {
				t.Run(w.family, func(t *testing.T) {
					b := all.below(w.family)
					b.t, b.patience = t, all.patience
					w.write(b)
					weakened := w.stabilize(b, start)
					w.holds(b, fmt.Sprintf("--runs %d%s", runs, start))
					if !faults {
						return
					}
					flags := fmt.Sprintf("--runs %d --mutate all --mutants %d%s", faultRuns, mutants, start)
					if variants != "" {
						flags += "--variants " + someVariants(t, variants)
					}
					report := w.verified(b, w.withoutFlakes(b, start), flags)
					logFaults(t, report)
					logWeakened(t, report, weakened)
				})
			}
		})
	}
}

// someVariants is a folder of variants, or of as many of them as FLAKETAP_EVAL_VARIANTS says: the same ones each time.
func someVariants(t *testing.T, variants string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(variants, "*"))
	if err != nil {
		t.Fatal(err)
	}
	n := evalNumber(t, "FLAKETAP_EVAL_VARIANTS", len(all))
	if n >= len(all) {
		return variants
	}
	folder := t.TempDir()
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(len(all))[:n] {
		if err := os.Symlink(all[i], filepath.Join(folder, filepath.Base(all[i]))); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// write writes the suite into the folder suite, and makes the bench ready to run it.
func (w writtenSuite) write(b *bench) {
	b.t.Helper()
	s, from := &generatedSuite{bench: b}, filepath.Join("testdata", "written")
	s.write("suite/"+filepath.Base(w.file), read(b.t, filepath.Join(from, w.file)))
	if w.snapshot != "" {
		stored := filepath.Join("__snapshots__", w.snapshot)
		s.write("suite/"+stored, read(b.t, filepath.Join(from, filepath.Dir(w.file), stored)))
	}
	w.ready(b.t, b)
}

// stabilize makes the suite hold by one command, wants its assertions to be made still, and returns the places of which
// another is made, or none.
func (w writtenSuite) stabilize(b *bench, start string) (weakened []exchange.Place) {
	b.t.Helper()
	begun := time.Now()
	out, status := b.sh("flaketap stabilize --learn 8 --runs 10" + w.flags + start + "suite -- " + w.run)
	b.t.Logf("stabilize ends with status %d\n%s", status, tail(out)) // what does not hold is measured all the same
	took := time.Since(begun).Round(time.Second)
	r := readStabilized(b.t, filepath.Join(b.dir, "flaketap.db.stabilize", "report.json"))
	a := r.Assertions
	b.t.Logf("%s: %d rounds in %v; of %d tests %d fail before; assertions: %d, kept %d, weakened %d, bound %d, disabled %d, unknown %d",
		w.family, r.Rounds, took, r.Before.Tests, r.Before.Failing, a.All, a.Kept, a.Weakened, a.Bound, a.Disabled, a.Unknown)
	if asserted := a.All - a.Disabled; !r.Holds || float64(asserted) < promisedAsserted*float64(a.All) {
		b.t.Errorf("%s: it holds: %v, and asserts %d of %d; a share of %.2f is promised", w.family, r.Holds, asserted, a.All, promisedAsserted)
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

// withoutFlakes comments out what flakes, by the runs of the suite as it is and then by its own, until the suite holds or
// nothing more is found, and returns its folder. The name of none is part of another's, as Jest takes names for patterns.
func (w writtenSuite) withoutFlakes(b *bench, start string) string {
	b.t.Helper()
	dir, db := "suite", "flaketap.db"
	for round := range maxRounds {
		next := fmt.Sprintf("without-%d", round+1)
		b.must("flaketap patch --mode comment --db " + db + " --report " + next + ".json --out " + next + start + dir)
		report := b.patchReport(next+".json", filepath.Base(w.file))
		b.t.Logf("%s: of %d assertions %d are commented out", next, report.Assertions, report.Disabled)
		if round > 0 && report.Disabled == 0 {
			b.t.Logf("%s: what it fails of is not found, and tells nothing", dir)
			return dir
		}
		dir, db = next, next+".db"
		if w.recorded(b, db, start, dir) {
			return dir
		}
	}
	b.t.Fatalf("%s: it flakes after %d rounds", w.family, maxRounds)
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

// holds runs the stable suite on fresh starts of the sound API, of which it is to pass all.
func (w writtenSuite) holds(b *bench, flags string) {
	b.t.Helper()
	f := evalForm{name: w.family + "-holds", flags: w.flags}
	report := f.verify(b, flags, stableSuite, w.run, 0)
	w.told(b, report)
	if n := report.Suites[0].Failures; n > 0 {
		b.t.Errorf("%s: %d test runs fail on the sound API", stableSuite, n)
	}
}

// told logs which tests of suites fail on the sound API.
func (w writtenSuite) told(b *bench, report verify.Report) {
	b.t.Helper()
	for _, suite := range report.Suites {
		b.t.Logf("%s: %d of %d test runs fail in %d runs", suite.Suite, suite.Failures, suite.TestRuns, report.Runs)
		for _, test := range suite.Failing {
			b.t.Logf("%s: %s fails in %d of %d runs: %s", suite.Suite, test.Name, test.Failed, test.Ran, test.Message)
		}
	}
}

// verified runs a suite without what flakes and the stable one on sound shops, which the latter is to pass, and with
// faults, of which it is to tell those that the former does.
func (w writtenSuite) verified(b *bench, without, flags string) verify.Report {
	b.t.Helper()
	f := evalForm{name: w.family, flags: w.flags}
	report := f.verify(b, flags, without+" "+stableSuite, w.run, 0)
	w.told(b, report)
	if n := report.Suites[1].Failures; n > 0 {
		b.t.Errorf("%s: %d test runs fail on the sound API", stableSuite, n)
	}
	planted := map[string]verify.KillCount{"mutants": report.Mutants.All}
	if report.Variants != nil {
		planted["variants"] = report.Variants.All
	}
	by, told, still := 0, 0, 0 // by the stable suite; without what flakes; of those
	for kind, n := range planted {
		b.t.Logf("%s: of %d %s %d are told without what flakes, %d of them still by the stable suite, which tells %d",
			w.family, n.Planted, kind, n.Killed[0], n.Still[1], n.Killed[1])
		by, told, still = by+n.Killed[1], told+n.Killed[0], still+n.Still[1]
	}
	if told == 0 || by < told || float64(still) < promisedStill*float64(told) {
		b.t.Errorf("%s: of %d faults %d are told still; as many are to be told, and a share of %.2f of those",
			w.family, told, still, promisedStill)
	}
	return report
}

// logFaults logs the variants that are told, and the mutants that one of the two suites tells and the other does not.
func logFaults(t *testing.T, report verify.Report) {
	t.Helper()
	var variants []verify.VariantReport
	if report.Variants != nil {
		variants = report.Variants.List
	}
	for _, v := range variants {
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
