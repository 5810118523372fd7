package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/flaketap/flaketap/capture/hub/server"
	"github.com/flaketap/flaketap/internal/outfile"
)

// BenchmarkWorkers has one, two, four and eight workers, each with an API that takes 20 ms for an answer, play one run of 32
// sequences of 22 requests: how long that takes, and how many times faster it is than with one, for each worker.
func BenchmarkWorkers(b *testing.B) {
	dir := b.TempDir()
	hub, reach := benchHub(b, dir)
	alone := time.Duration(0)
	for _, n := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			at := fmt.Sprintf("%s/%d-%d", hub, n, b.N)
			stop := benchWorkers(b, n, append(append([]string{"flaketap", "worker", at}, startNotes(b, 20*time.Millisecond)...), reach...))
			defer stop()
			took := time.Duration(0)
			for i := range b.N {
				db := filepath.Join(dir, fmt.Sprintf("%d-%d-%d.db", n, b.N, i))
				recordNotes(b, db, 32, 20)
				begun := time.Now()
				var said bytes.Buffer
				if code := run(b.Context(), append([]string{"flaketap", "replay", "--db", db, "--workers", at}, reach...),
					streams{io.Discard, &said}); code != 0 {
					b.Fatalf("replay ends with %d:\n%s", code, &said)
				}
				took += time.Since(begun)
			}
			took /= time.Duration(b.N)
			if n == 1 {
				alone = took
			}
			b.ReportMetric(took.Seconds(), "s/run")
			b.ReportMetric(float64(alone)/float64(took)/float64(n), "of-linear")
		})
	}
}

// benchHub is a hub of the folder, until the benchmark ends, and the flags by which a command reaches it.
func benchHub(b *testing.B, dir string) (address string, reach []string) {
	b.Helper()
	if err := outfile.WriteAll(dir, []outfile.File{{Name: "token.key", Data: bytes.Repeat([]byte("k"), 32)}}, nil); err != nil {
		b.Fatal(err)
	}
	s, err := server.Start(server.Options{Dir: filepath.Join(dir, "hub"), Listen: "127.0.0.1:0"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	return s.Address(), []string{"--hub-credential", filepath.Join(dir, "hub", server.CredentialFile), "--token-key",
		filepath.Join(dir, "token.key")}
}

// benchWorkers starts workers, and returns once all are ready; stop ends them.
func benchWorkers(b *testing.B, n int, args []string) (stop func()) {
	ctx, cancel := context.WithCancel(b.Context())
	var all sync.WaitGroup
	for range n {
		r, w := io.Pipe()
		all.Go(func() {
			defer w.Close()
			if code := run(ctx, args, streams{io.Discard, w}); code != 0 {
				b.Errorf("a worker ends with %d", code)
			}
		})
		text := newTranscript(r)
		for grown := text.grown; !bytes.Contains([]byte(text.String()), []byte("is ready")); {
			select {
			case <-grown:
				text.mu.Lock()
				grown = text.grown
				text.mu.Unlock()
			case <-text.ended:
				b.Fatal(text)
			}
		}
	}
	return func() { cancel(); all.Wait() }
}
