package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/variant"
	"github.com/flaketap/flaketap/suite/verify"
)

// untried is the suite that is written without trials of its tests.
const untried = "untried"

// promisedTold is the share of an API's variants that a suite is promised to tell.
func promisedTold(api, suite string) float64 {
	if suite == untried {
		return map[string]float64{"shop": 0.90, "ward": 0.80}[api]
	}
	return 0.90
}

// TestEvalVariants scores written suites by the regressions that are planted in the source of the labelled APIs: how many
// of them does a suite of each form tell that never fails on the sound API? Beside it stands what verify's mutants say of
// the suites in Python. FLAKETAP_VARIANTS=blind takes the folders variants-blind, whose variants are kept from those who
// work on the rules: nothing is promised of them.
func TestEvalVariants(t *testing.T) {
	folder := "variants"
	if kind := os.Getenv("FLAKETAP_VARIANTS"); kind != "" {
		folder += "-" + kind
	}
	for _, set := range evalSets() {
		t.Run(set.name, func(t *testing.T) {
			forms := evalForms(t)
			b := newEvalBench(t)
			builds := buildVariants(t, b, set, folder)
			set.record(b)
			b.must("flaketap suite --out " + untried)
			by := map[string][]string{} // the suites that tell a variant
			for _, f := range forms {
				set.write(b, f)
				suites, flags := f.name, "--runs 5 --variants "+builds+set.start("0s")
				if f.name == "pytest" {
					suites, flags = suites+" "+untried, flags+"--mutate all --mutants 60"
				}
				report := f.verify(b, flags, suites, f.run, 0)
				for i, suite := range report.Suites {
					score := report.Variants.All
					t.Logf("%s: %d of %d variants are told; %d of %d test runs fail on the sound API", suite.Suite, score.Killed[i],
						score.Planted, suite.Failures, suite.TestRuns)
					want := promisedTold(set.name, suite.Suite)
					if folder == "variants" && (suite.Failures > 0 || float64(score.Killed[i]) < want*float64(score.Planted)) {
						t.Errorf("%s: a share of %.2f is promised, and no failure: %v", suite.Suite, want, suite.Failing)
					}
				}
				logMutants(t, report)
				tellers(by, report)
			}
			for _, name := range slices.Sorted(maps.Keys(by)) {
				t.Logf("variant %s: told by %d suites: %s", name, len(by[name]), strings.Join(by[name], " "))
			}
		})
	}
}

// tellers adds the suites of a report to the variants that they tell.
func tellers(by map[string][]string, report verify.Report) {
	for _, one := range report.Variants.List {
		by[one.Variant] = slices.Clone(by[one.Variant])
		for i, suite := range one.Suites {
			if suite.Killed {
				by[one.Variant] = append(by[one.Variant], report.Suites[i].Suite)
			}
		}
	}
}

// logMutants prints the shares of verify's mutants that the suites of a report kill, if it has any.
func logMutants(t *testing.T, report verify.Report) {
	t.Helper()
	if report.Mutants == nil {
		return
	}
	for i, suite := range report.Suites {
		share := func(n verify.KillCount) string { return fmt.Sprintf("%d of %d", n.Killed[i], n.Planted) }
		m := report.Mutants
		var kinds []string
		for _, kind := range slices.Sorted(maps.Keys(m.ByKind)) {
			kinds = append(kinds, string(kind)+" "+share(m.ByKind[kind]))
		}
		t.Logf("%s: of verify's mutants %s are told; %s that an assertion can tell, %s of plausible answers; %s", suite.Suite,
			share(m.All), share(m.Tellable), share(m.Plausible), strings.Join(kinds, ", "))
	}
}

// buildVariants builds the variants in a folder of an API and returns the folder of the programs that start them.
func buildVariants(t *testing.T, b *bench, set evalSet, folder string) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	all, err := variant.Read(root, filepath.Join(root, "internal", "testbed", set.folder, folder))
	if err != nil || len(all) == 0 {
		t.Fatalf("%d variants, %v", len(all), err)
	}
	starts := filepath.Join(b.dir, "starts")
	if err := os.MkdirAll(starts, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		program, overlay := filepath.Join(b.dir, "builds", v.Name), filepath.Join(b.dir, "overlays", v.Name)
		if err := v.Build(context.Background(), root, "./internal/testbed/variant/serve", overlay, program); err != nil {
			t.Fatal(err)
		}
		script := fmt.Sprintf("#!/bin/sh\nexec '%s' %s 127.0.0.1:$1\n", program, set.name)
		if err := os.WriteFile(filepath.Join(starts, v.Name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return starts
}
