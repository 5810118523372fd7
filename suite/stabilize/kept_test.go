package stabilize

import (
	"path/filepath"
	"testing"
)

// The results of each round stay at hand, for whoever wants to know why a test failed.
func TestKeptResults(t *testing.T) {
	o := newOptions(t)
	if _, err := Run(t.Context(), o, []Runner{&fakeRunner{broken: "test_1"}}, patch, nil); err != nil {
		t.Fatal(err)
	}
	last := 0
	for db, want := range map[string]int{o.DB: 3, filepath.Join(Folder(o.DB), "round-2", "runs.db"): 3, "elsewhere.db": 0} {
		kept, err := KeptResults(db)
		if err != nil || len(kept) != want {
			t.Errorf("%s: the results of %d runs, want %d (%v)", db, len(kept), want, err)
		}
		for _, run := range kept {
			last = len(run)
			if run[len(run)-1].Name != "test_1" || run[len(run)-1].Trace != "never" {
				t.Errorf("%s: %+v", db, run)
			}
		}
	}
	if last == 0 {
		t.Error("no run left results")
	}
}
