package trial_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/waits/trial"
)

// suite is a folder "tests" with a file a.sh, beside a folder that it names by its path.
func suite(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "tests")
	for name, text := range map[string]string{"tests/a.sh": "echo original", "tests/lib/b.sh": "echo b", "tests/node_modules/c.sh": "echo c",
		"tests/.git/config": "", "src/d.sh": "echo d"} {
		path := filepath.Join(filepath.Dir(root), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"link.sh": "../src/d.sh", "own.sh": "lib/b.sh"} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { // comes behind those of benches
		if left, err := filepath.Glob(root + "_*"); err != nil || len(left) > 0 {
			t.Errorf("%v are left, %v", left, err)
		}
		if text, err := os.ReadFile(filepath.Join(root, "a.sh")); err != nil || string(text) != "echo original" {
			t.Errorf("the suite has %q, %v", text, err)
		}
	})
	return root
}

// bench is one of that suite, whose file is run by sh in the copy.
func bench(t *testing.T, root string, o trial.Options) *trial.Bench {
	t.Helper()
	o.Root, o.File = root, "a.sh"
	if o.Command == nil {
		o.Command = []string{"sh", "-c", `cd "$0" && sh -e "$1"`, "{}", "{file}"}
	}
	b, err := trial.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// A trial runs a text in copies of the suite until it has passed often enough, or failed once; the suite itself is left
// alone, and what its files name is found from the copies.
func TestRun(t *testing.T) {
	root := suite(t)
	log := filepath.Join(t.TempDir(), "log")
	for _, workers := range []int{1, 3} {
		b := bench(t, root, trial.Options{Workers: workers})
		for _, tt := range []struct {
			text   string
			passed int
			failed bool
			words  string
		}{
			{"sh lib/b.sh; sh node_modules/c.sh; sh ../src/d.sh; sh link.sh; test \"$(realpath own.sh)\" = \"$(realpath lib/b.sh)\"; test ! -e .git; test \"$FLAKETAP_SUITE\" = \"$PWD\"", 5, false, ""},
			{"echo no; echo 'not yet'; echo; exit 3", 0, true, "not yet"},
			{"exit 3", 0, true, "exit status 3"},
			{"test \"$(date +%s)\" -gt 0", 5, false, ""},
		} {
			seen := 0
			got, err := b.Run(context.Background(), []byte(tt.text+"\necho x >>"+log), 5, func(int) { seen++ })
			if err != nil || got.Passed != tt.passed || got.Failed != tt.failed || got.Words != tt.words || len(got.Took) != tt.passed || seen != tt.passed {
				t.Errorf("%s: %+v, %v; want %d, %v", tt.text, got, err, tt.passed, tt.failed)
			}
		}
	}
	if text, err := os.ReadFile(log); err != nil || strings.Count(string(text), "x") != 20 {
		t.Errorf("%d runs came to their end, %v", strings.Count(string(text), "x"), err)
	}
}

// Runs end where the test fails, at the limit of their time, and with the context.
func TestEnds(t *testing.T) {
	root := suite(t)
	hangs := []byte("while :; do sleep 0.01; done")
	limited := bench(t, root, trial.Options{Timeout: 50 * time.Millisecond})
	if got, err := limited.Run(context.Background(), hangs, 2, nil); err != nil || !got.Failed || got.Passed != 0 ||
		!strings.Contains(got.Words, "ended after 50ms") {
		t.Errorf("%+v, %v", got, err)
	}
	b := bench(t, root, trial.Options{Workers: 2})
	ctx, cancel := context.WithCancel(context.Background())
	once := filepath.Join(t.TempDir(), "once")
	text := "if mkdir " + once + " 2>/dev/null; then exit 0; fi\n" + string(hangs)
	got, err := b.Run(ctx, []byte(text), 3, func(int) { cancel() })
	if !errors.Is(err, context.Canceled) || got.Failed || got.Passed != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	both := "if mkdir " + once + "2 2>/dev/null; then exit 1; fi\n" + string(hangs)
	if got, err := b.Run(context.Background(), []byte(both), 3, nil); err != nil || !got.Failed {
		t.Errorf("%+v, %v", got, err)
	}
}

// What cannot be run is an error, and no failure of the test.
func TestCannotRun(t *testing.T) {
	b := bench(t, suite(t), trial.Options{Command: []string{"/no/such/program", "{}"}, Workers: 2})
	if got, err := b.Run(context.Background(), nil, 2, nil); err == nil || got.Failed {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := trial.New(trial.Options{Root: t.TempDir(), File: "none.sh"}); err == nil {
		t.Error("a file that is not there is tried")
	}
}

// Each text has a time of its own in whole seconds, by which Python tells whether what it has compiled is still good.
func TestStamps(t *testing.T) {
	root := suite(t)
	b := bench(t, root, trial.Options{})
	log := filepath.Join(t.TempDir(), "log")
	for range 3 {
		if _, err := b.Run(context.Background(), []byte("stat -c %Y a.sh >>"+log), 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(log)
	if all := strings.Fields(string(text)); err != nil || len(all) != 3 || all[0] == all[1] || all[1] == all[2] {
		t.Errorf("%q, %v", text, err)
	}
}
