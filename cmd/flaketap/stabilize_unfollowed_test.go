package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/suite/stabilize"
)

// unfollowed stabilizes a suite of the folder unfollowed, and returns which assertions it could not follow though they
// flake, a line each: where they stand, what they look at, and how that is known; and the report.
func (b *bench) unfollowed(run string, files ...string) ([]string, stabilize.Report) {
	b.t.Helper()
	s := &generatedSuite{bench: b}
	for _, name := range files {
		s.write("suite/"+name, read(b.t, "testdata/written/unfollowed/"+name))
	}
	out, status := b.sh("flaketap stabilize " + shopStarts(b.t) + "--learn 3 --runs 2 suite -- " + run)
	r := readStabilized(b.t, filepath.Join(b.dir, "flaketap.db.stabilize", "report.json"))
	if status != 1 || r.Muted != 3 || strings.Count(out, "\nnot followed: ") != len(r.NotFollowed) {
		b.t.Errorf("exit status %d, %d muted runs\n%s", status, r.Muted, out)
	}
	var got []string
	for _, n := range r.NotFollowed {
		line := fmt.Sprintf("%s:%d %s", n.File, n.Line, n.Reason)
		for _, p := range n.Places {
			line += fmt.Sprintf("; %s %s %s by %s", p.Exchange, p.Place, p.Category, p.KnownBy)
		}
		got = append(got, line)
		if n.Failed != 3 || n.Of != 3 || len(n.Saw) == 0 {
			b.t.Errorf("%+v", n)
		}
	}
	return got, r
}

// A suite in pytest whose assertions stand in helpers, loops and conditions: those that flake are listed with what they
// look at, by the values that they saw, and with what could be written in their place.
func TestRealPythonStabilizeUnfollowed(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	got, r := b.unfollowed("python -m pytest -q -p no:cacheprovider {}", "test_shop.py", "helper.py")
	want := []string{
		"helper.py:8 no test is followed to it; GET /prices/estimate?product=2 /body/quoteId Rand by value",
		"test_shop.py:18 it is inside a condition; GET /prices/estimate?product=1 /body/jitter Rand by value",
		"test_shop.py:38 the name key is not known; GET /products/1 /body/stockCheckedAt Time by value",
		"test_shop.py:45 it is inside a condition; GET /health /body/clock/epochSeconds Time by value",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	shared := r.NotFollowed[1]
	if !slices.Equal(shared.AlsoIn, []string{"test_estimate_of_another"}) || !slices.Equal(shared.Expected, []string{"1313"}) ||
		shared.Places[0].Write != `assert isinstance(body["jitter"], int)` || !strings.HasPrefix(shared.Places[0].Do, "assert what holds") {
		t.Errorf("%+v", shared)
	}
}

// So it is in Jest, with a matcher of the suite's own.
func TestRealNodeStabilizeUnfollowed(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	readyForJest(t, b)
	got, r := b.unfollowed("sh -c 'node_modules/.bin/jest --ci --rootDir . --runInBand --json --outputFile={results} {}'", "shop.test.js", "helper.js")
	want := []string{
		"helper.js:4 no test is followed to it; GET /prices/estimate?product=6 /body/validUntil Time by value",
		"shop.test.js:18 no test is followed to it; GET /prices/estimate?product=1 /body/jitter Rand by value",
		"shop.test.js:32 the name key is not known; GET /products/1 /body/stockCheckedAt Time by value",
		"shop.test.js:40 it is inside a condition; GET /health /body/clock/epochSeconds Time by value",
		"shop.test.js:46 it asserts in an unknown way; GET /prices/estimate?product=6 /body/quoteId Rand by message",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	if write := r.NotFollowed[3].Places[0].Write; !strings.HasPrefix(write, "expect(Number.isInteger(body.clock.epochSeconds)).toBe(true);\n") {
		t.Errorf("it would write %s", write)
	}
}
