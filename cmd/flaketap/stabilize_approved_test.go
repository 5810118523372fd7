package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// One command makes a suite hold that compares with approved texts, by pytest-snapshot and approvaltests: what moves is
// scrubbed, in the test and in what is stored, and what a function asserts that tests share is true of all of them.
func TestRealPythonStabilizeApproved(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	apart, _ := toolsDir(t, "pytest-snapshot")
	b.env = append(b.env, "PYTHONPATH="+apart)
	_, status := b.sh("python -c 'import pytest_snapshot, approvaltests'")
	needs.That(t, "pytest-snapshot and approvaltests (make tools installs them)", status == 0)
	s := &generatedSuite{bench: b}
	const from = "testdata/written/approved"
	if err := fs.WalkDir(os.DirFS(from), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			s.write("suite/"+path, read(t, filepath.ToSlash(filepath.Join(from, path))))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	const run = "python -m pytest -q -p no:cacheprovider -p pytest_snapshot.plugin "
	out, status := b.sh("flaketap stabilize " + startShop + "--learn 5 --runs 5 suite -- " + run + "{}")
	b.stabilized(out, status, atLeast{all: 10, weakened: 5}, atMost{disabled: 0, unknown: 0})
	b.asserts("test_shop.py", "", "\n", "    assert res.status_code == status", "from approvaltests import Options",
		"    verify_as_json(author)")
	b.must("ruff format --diff " + stableSuite)
}
