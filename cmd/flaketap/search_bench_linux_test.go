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

// BenchmarkSearch has one, two and four workers, each with an API that takes 20 ms for an answer besides what its services
// take, run 300 trials of mock search: how long that takes, and how many times faster it is than with one, for each worker.
// "0" is mock search by itself.
func BenchmarkSearch(b *testing.B) {
	dir := b.TempDir()
	hub, reach := benchHub(b, dir)
	api := startQuotes(b, 20*time.Millisecond)
	alone := time.Duration(0)
	for _, n := range []int{0, 1, 2, 4} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			by := api
			if n > 0 {
				at := fmt.Sprintf("%s/%d-%d", hub, n, b.N)
				by = slices.Concat([]string{"--workers", at}, reach)
				defer benchWorkers(b, n, slices.Concat([]string{"flaketap", "worker", at, "--external"}, api, reach))()
			}
			begun := time.Now()
			for i := range b.N {
				var said bytes.Buffer
				args := slices.Concat([]string{"flaketap"}, searchQuotes(300), []string{"--out", filepath.Join(dir, fmt.Sprint(n, b.N, i))}, by)
				if code := run(b.Context(), args, streams{io.Discard, &said}); code != 0 {
					b.Fatalf("mock search ends with %d:\n%s", code, &said)
				}
			}
			took := time.Since(begun) / time.Duration(b.N)
			if n == 1 {
				alone = took
			}
			b.ReportMetric(took.Seconds(), "s/search")
			if n > 0 {
				b.ReportMetric(float64(alone)/float64(took)/float64(n), "of-linear")
			}
		})
	}
}
