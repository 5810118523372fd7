package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkTrials has one, two and four workers, each with an API that takes 20 ms for an answer, lend it to verify, which
// runs a suite of 48 requests four times, and twelve times with a fault: how long that takes, and how many times faster it is
// than with one, for each worker. "0" is verify by itself, which starts the API for each run.
func BenchmarkTrials(b *testing.B) {
	dir := b.TempDir()
	hub, reach := benchHub(b, dir)
	api := startNotes(b, 20*time.Millisecond)
	alone := time.Duration(0)
	for _, n := range []int{0, 1, 2, 4} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			by := api
			if n > 0 {
				at := fmt.Sprintf("%s/%d-%d", hub, n, b.N)
				by = slices.Concat([]string{"--workers", at}, reach)
				defer benchWorkers(b, n, slices.Concat([]string{"flaketap", "worker", at}, api, reach))()
			}
			begun := time.Now()
			for range b.N {
				var said bytes.Buffer
				args := slices.Concat([]string{"flaketap", "verify", "--runs", "4", "--mutate", "all", "--mutants", "12", "--seed", "1",
					"--out", filepath.Join(dir, "report.txt"), "--force"}, by, runNotesTests(b, 16))
				if code := run(b.Context(), args, streams{io.Discard, &said}); code != 0 {
					b.Fatalf("verify ends with %d:\n%s", code, &said)
				}
			}
			took := time.Since(begun) / time.Duration(b.N)
			if n == 1 {
				alone = took
			}
			b.ReportMetric(took.Seconds(), "s/verify")
			if n > 0 {
				b.ReportMetric(float64(alone)/float64(took)/float64(n), "of-linear")
			}
		})
	}
}
