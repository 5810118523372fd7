package suggest_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/flaketap/flaketap/waits/suggest"
)

// BenchmarkSuggest asks for times in a suite of 1,000 files of tests and 10,000 commits: without an index, with one,
// and without a history.
func BenchmarkSuggest(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "repo")
	generate(b, dir, 1_000, 10_000)
	place, err := suggest.PlaceOf(filepath.Join(dir, "e2e", "dir3", "page33.cy.js") + ":6")
	if err != nil {
		b.Fatal(err)
	}
	ask := func(b *testing.B, o suggest.Options) {
		o.Places, o.Most = []suggest.Place{place}, 5
		a, err := suggest.Run(context.Background(), o)
		if err != nil || len(a.Waits) != 1 || len(a.Waits[0].Suggestions) == 0 {
			b.Fatalf("%+v, %v", a, err)
		}
	}
	b.Run("cold", func(b *testing.B) {
		measured(b, func() { ask(b, suggest.Options{Cache: b.TempDir()}) })
	})
	b.Run("index", func(b *testing.B) {
		cache := b.TempDir()
		ask(b, suggest.Options{Cache: cache})
		measured(b, func() { ask(b, suggest.Options{Cache: cache}) })
	})
	b.Run("files", func(b *testing.B) {
		measured(b, func() { ask(b, suggest.Options{Commits: -1}) })
	})
}

// measured does something over and over, and reports the time of processors that it took, that of git too: on a busy
// machine it says more than the time that went by.
func measured(b *testing.B, do func()) {
	before := processors(b)
	for b.Loop() {
		do()
	}
	b.ReportMetric(float64(processors(b)-before)/float64(time.Millisecond)/float64(b.N), "cpu-ms/op")
}

func processors(b *testing.B) time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}

// generate makes a repository of files of tests, some of whose waits each commit changes.
func generate(b *testing.B, dir string, files, commits int) {
	git(b, ".", 0, "init", "-q", dir)
	r := rand.New(rand.NewPCG(1, 2))
	times := []int{100, 200, 300, 500, 1000, 1500, 2000, 3000, 5000}
	waits := make([][10]int, files)
	for i := range waits {
		for j := range waits[i] {
			waits[i][j] = times[r.IntN(len(times))]
		}
	}
	subjects := []string{"add a page", "fix flaky test", "wording", "wait longer in CI", "refactor helpers"}
	var in bytes.Buffer
	for n := range commits {
		message := subjects[r.IntN(len(subjects))]
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter Ann <ann@example.com> %d +0000\ndata %d\n%s\n", 1_600_000_000+n*3600, len(message), message)
		touched := []int{r.IntN(files), r.IntN(files)}
		if n == 0 {
			touched = touched[:0]
			for i := range files {
				touched = append(touched, i)
			}
		}
		for _, i := range touched {
			waits[i][r.IntN(10)] = times[r.IntN(len(times))]
			text := page(i, waits[i])
			fmt.Fprintf(&in, "M 644 inline e2e/dir%d/page%d.cy.js\ndata %d\n%s\n", i%30, i, len(text), text)
		}
	}
	cmd := exec.Command("git", "-C", dir, "fast-import", "--quiet")
	cmd.Stdin = &in
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("git fast-import: %v\n%s", err, out)
	}
	git(b, dir, 0, "checkout", "-q", "main")
}

// page is a file of tests.
func page(n int, waits [10]int) string {
	var s bytes.Buffer
	fmt.Fprintf(&s, "import { open } from '../support';\n\ndescribe('page %d', () => {\n", n)
	for i, w := range waits {
		fmt.Fprintf(&s, "  it('step %d', () => {\n    cy.get('#part%d').click();\n    cy.wait(%d);\n    cy.contains('Result %d').should('be.visible');\n  });\n\n", i, (n+i)%40, w, (n*i)%17)
	}
	s.WriteString("});\n")
	return s.String()
}
