package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/variant"
	"github.com/flaketap/flaketap/suite/verify"
)

// TestEvalVariants scores written suites by the regressions that are planted in the source of the labelled APIs: how many
// of them does a suite tell that never fails on the sound API?
func TestEvalVariants(t *testing.T) {
	for _, api := range []struct {
		set, folder, ready string
		told               float64 // the share that is promised
	}{
		{"shop", "demoapi", "/health", 0.85},
		{"ward", "wardapi", "/system/bereit", 0.65},
	} {
		t.Run(api.set, func(t *testing.T) {
			b := newFuzzBench(t)
			builds := buildVariants(t, b, api.folder, api.set)
			start := fmt.Sprintf(" --start 'flaketap demo api --set %s --clock-offset {clock} --listen 127.0.0.1:{port}'"+
				" --ready http://127.0.0.1:{port}%s ", api.set, api.ready)
			b.must("flaketap record" + start + "--listen 127.0.0.1:0 -- sh -c 'flaketap demo client --set " + api.set + " --url $FLAKETAP_URL'")
			b.must("flaketap replay --runs 10" + start)
			b.must("flaketap suite --out suite" + start)
			b.must("flaketap suite --out untried")
			b.must("flaketap verify --runs 5" + start + "--variants " + builds + " --format json --out v.json suite untried -- python -m pytest -q --tb=line -p no:cacheprovider {}")
			var v verify.Report
			raw, err := os.ReadFile(filepath.Join(b.dir, "v.json"))
			if err == nil {
				err = json.Unmarshal(raw, &v)
			}
			if err != nil {
				t.Fatal(err)
			}
			all := v.Variants.All
			for i, suite := range v.Suites {
				t.Logf("%s: %d of %d variants are told; %d of %d test runs fail on the sound API", suite.Suite, all.Killed[i],
					all.Planted, suite.Failures, suite.TestRuns)
				for _, one := range v.Variants.List {
					if one.NotTried != "" || !one.Suites[i].Killed {
						t.Logf("%s: survived: %s %s", suite.Suite, one.Variant, one.NotTried)
					}
				}
			}
			if v.Suites[0].Failures > 0 || float64(all.Killed[0]) < api.told*float64(all.Planted) {
				t.Errorf("%d failures, %d of %d variants told", v.Suites[0].Failures, all.Killed[0], all.Planted)
			}
		})
	}
}

// buildVariants builds the variants of an API and returns the folder of the programs that start them.
func buildVariants(t *testing.T, b *bench, folder, set string) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	all, err := variant.Read(root, filepath.Join(root, "internal", "testbed", folder, "variants"))
	if err != nil || len(all) == 0 {
		t.Fatalf("%d variants, %v", len(all), err)
	}
	starts := filepath.Join(b.dir, "starts")
	if err := os.MkdirAll(starts, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		program := filepath.Join(b.dir, "builds", v.Name)
		if err := v.Build(context.Background(), root, "./cmd/flaketap", filepath.Join(b.dir, "overlays", v.Name), program); err != nil {
			t.Fatal(err)
		}
		script := fmt.Sprintf("#!/bin/sh\nexec '%s' demo api --set %s --listen 127.0.0.1:$1\n", program, set)
		if err := os.WriteFile(filepath.Join(starts, v.Name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return starts
}
