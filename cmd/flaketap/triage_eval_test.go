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

// TestEvalTriageVariants scores triage by the regressions that are planted in the source of the labelled APIs: a suite
// that asserts all that was recorded, and so fails in every run, is recorded on the sound API for some nights; then a CI
// run of the sound API, and one of each variant, is triaged. Counted are all variants, and those that the suite notices:
// by which other tests fail than on the sound API. FLAKETAP_VARIANTS=blind takes the folders variants-blind.
func TestEvalTriageVariants(t *testing.T) {
	folder := "variants"
	if kind := os.Getenv("FLAKETAP_VARIANTS"); kind != "" {
		folder += "-" + kind
	}
	for _, set := range evalSets() {
		t.Run(set.name, func(t *testing.T) {
			b := newEvalBench(t)
			b.nights(set)
			sound := map[string]bool{} // the tests that fail at times on the sound API
			flakes, wrong := 0, 0
			for n := range 5 {
				r := b.triaged(set, fmt.Sprintf("sound%d", n), set.start("0s"))
				for _, f := range r.Tests {
					sound[f.Test] = true
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
				notices := slices.ContainsFunc(r.Tests, func(f triage.Test) bool { return !sound[f.Test] })
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

// exactly is the command that runs the strict suite, which names its tests to the recorder.
const exactly = "env PYTHONPATH=plugins python -m pytest -q -p marking -p no:cacheprovider --junitxml=results.xml exact"

// nights records the strict suite of an API for some nights.
func (b *bench) nights(set evalSet) {
	b.t.Helper()
	b.must("flaketap record" + set.start("0s") + "--listen 127.0.0.1:0 -- sh -c 'flaketap demo client --set " + set.name + " --url $FLAKETAP_URL'")
	b.must("flaketap suite --format pytest --mode exact --out exact && mkdir plugins")
	b.write("plugins/marking.py", []byte(markingPytest))
	b.sh("flaketap record --db nights.db" + set.start("0s") + "--listen 127.0.0.1:0 -- " + exactly)
	b.sh("flaketap rerun --db nights.db --runs 9" + set.start("0s") + "--listen 127.0.0.1:0 -- " + exactly)
}

// triaged runs the strict suite on an API as a CI does, and returns what is said of its failures.
func (b *bench) triaged(set evalSet, name, start string) *triage.Report {
	b.t.Helper()
	b.sh("rm -f results.xml && flaketap record --db " + name + ".db" + start + "--listen 127.0.0.1:0 -- " + exactly)
	out, _ := b.sh("flaketap triage results.xml --quiet --db nights.db --run " + name + ".db --suite exact --format json 2>triage.err")
	var r triage.Report
	if err := json.NewDecoder(strings.NewReader(out)).Decode(&r); err != nil {
		b.t.Fatalf("%s: %v\n%s\n%s", name, err, tail(out), b.must("cat triage.err"))
	}
	return &r
}
