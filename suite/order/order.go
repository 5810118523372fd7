package order

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/flaketap/flaketap/suite/results"
)

// Order is an order of tests: backwards, or one that is drawn by a seed from 1.
type Order int

// Backwards has the last test first.
const Backwards Order = 0

// String is how an order is told.
func (o Order) String() string {
	if o == Backwards {
		return "backwards"
	}
	return fmt.Sprintf("in random order %d", int(o))
}

// Turner has suites of one language run in another order.
type Turner struct {
	Name      string
	backwards bool                   // it can run them backwards, too
	reads     func(file string) bool // whether a file of a suite is in the language
	files     map[string][]byte      // what is loaded, by name in the folder
	env       func(env []string, dir string, o Order) []string
}

// All lists the turners that there are.
func All() []Turner { return []Turner{python(), javascript(), golang(), junit()} }

// For returns the turner for a suite of such files, and whether there is one.
func For(names []string) (Turner, bool) {
	for _, t := range All() {
		if slices.ContainsFunc(names, t.reads) {
			return t, true
		}
	}
	return Turner{}, false
}

// Orders are so many orders, backwards first where the runner can.
func (t Turner) Orders(n int) []Order {
	first := Order(1)
	if t.backwards {
		first = Backwards
	}
	out := make([]Order, 0, n)
	for o := first; len(out) < n; o++ {
		out = append(out, o)
	}
	return out
}

// Install writes what a runner loads into a folder, which is made.
func (t Turner) Install(dir string) error {
	err := os.MkdirAll(dir, 0o755)
	for name, data := range t.files {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
	if err != nil {
		return fmt.Errorf("install order: %w", err)
	}
	return nil
}

// Env adds to the environment of the suite's command what has its runner keep to an order. The folder is what
// [Turner.Install] filled, as an absolute path.
func (t Turner) Env(env []string, dir string, o Order) []string { return t.env(env, dir, o) }

// Drawn reports whether a runner has said, in the folder that [Turner.Install] filled, that it draws an order. One that
// has not may have kept to it all the same.
func (t Turner) Drawn(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "drawn"))
	return err == nil
}

// Same reports whether two runs of a suite ran the same tests in the same order, so that one was not turned.
func Same(a, b []results.Result) bool {
	return slices.EqualFunc(a, b, func(x, y results.Result) bool { return x.Suite == y.Suite && x.Name == y.Name })
}
