package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/report/triage"
)

// TestEvalTriageVariants scores triage by the regressions that are planted in the source of the labelled APIs. Two
// suites are recorded on the sound API for some nights: one that asserts all that was recorded, of which most tests fail
// in every run, and one that holds. Then CI runs of the sound API, and one of each variant, are triaged. Counted are the
// failures on the sound API, all variants, and those that the suite which holds notices: a test of it fails that failed
// in no run of the sound API. A strict test ends at its first failure, and so asks for little that a variant breaks.
// FLAKETAP_VARIANTS=blind takes the folders variants-blind.
func TestEvalTriageVariants(t *testing.T) {
	folder := "variants"
	if kind := os.Getenv("FLAKETAP_VARIANTS"); kind != "" {
		folder += "-" + kind
	}
	for _, set := range evalSets() {
		t.Run(set.name, func(t *testing.T) {
			b := newEvalBench(t)
			b.nights(set)
			sound := map[string]bool{} // the tests that fail at times on the sound API: all strict ones, as good as
			flakes, wrong := 0, 0
			for n := range 5 {
				r := b.triaged(set, fmt.Sprintf("sound%d", n), set.start("0s"))
				for _, f := range r.Tests {
					sound[f.Suite+" "+f.Test] = true
					if flakes++; f.Verdict == triage.Regression {
						wrong++
						t.Logf("called a regression on the sound API: %s: %s", f.Test, f.Reason)
					}
				}
			}
			starts := buildVariants(t, b, set, folder)
			all, err := filepath.Glob(filepath.Join(starts, "*"))
			if err != nil {
				t.Fatal(err)
			}
			noticed, told, toldNoticed, seen := 0, 0, 0, 0
			for _, path := range all {
				start := fmt.Sprintf(" --start '%s {port}' --ready http://127.0.0.1:{port}%s ", path, set.ready)
				r := b.triaged(set, filepath.Base(path), start)
				notices := slices.ContainsFunc(r.Tests, func(f triage.Test) bool { return !sound[f.Suite+" "+f.Test] })
				called := r.Counts[triage.Regression] > 0
				for into, is := range map[*int]bool{&noticed: notices, &told: called, &toldNoticed: notices && called, &seen: called || len(r.Unnoticed) > 0} {
					if is {
						*into++
					}
				}
				t.Logf("%s: noticed %v, called a regression %v, unnoticed answers %d, %v", filepath.Base(path), notices, called, len(r.Unnoticed), r.Counts)
			}
			t.Logf("| %s, %s | %d of %d flakes | %d of %d variants | %d of %d noticed | %d seen in any answer |", set.name, folder, wrong, flakes, told,
				len(all), toldNoticed, noticed, seen)
			if 50*wrong > flakes {
				t.Errorf("more than 2 %% of %d flakes are called regressions: %d", flakes, wrong)
			}
		})
	}
}

// both is the command that runs the suites, which name their tests to the recorder.
const both = "sh -c \"mkdir -p results; for s in exact held; do env PYTHONPATH=plugins python -m pytest -q -p marking " +
	"-p no:cacheprovider --rootdir=. --junitxml=results/\\$s.xml \\$s; done\""

// nights records the suites of an API for some nights.
func (b *bench) nights(set evalSet) {
	b.t.Helper()
	set.record(b)
	b.must("flaketap suite --format pytest --mode exact --out exact && mkdir plugins")
	b.must("flaketap suite --format pytest --out held" + set.start("{clock}"))
	b.write("plugins/marking.py", []byte(markingPytest))
	b.sh("flaketap record --db nights.db" + set.start("0s") + "--listen 127.0.0.1:0 -- " + both)
	b.sh("flaketap rerun --db nights.db --runs 9" + set.start("0s") + "--listen 127.0.0.1:0 -- " + both)
}

// triaged runs the suites on an API as a CI does, and returns what is said of its failures.
func (b *bench) triaged(set evalSet, name, start string) *triage.Report {
	b.t.Helper()
	b.sh("rm -rf results && flaketap record --db " + name + ".db" + start + "--listen 127.0.0.1:0 -- " + both)
	out, _ := b.sh("flaketap triage results --quiet --db nights.db --run " + name + ".db --suite exact --suite held --format json 2>triage.err")
	var r triage.Report
	if err := json.NewDecoder(strings.NewReader(out)).Decode(&r); err != nil {
		b.t.Fatalf("%s: %v\n%s\n%s", name, err, tail(out), b.must("cat triage.err"))
	}
	return &r
}
