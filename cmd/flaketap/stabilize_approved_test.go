package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	writeAll(t, b, "testdata/written/approved")
	const run = "python -m pytest -q -p no:cacheprovider -p pytest_snapshot.plugin "
	out, status := b.sh("flaketap stabilize " + shopStarts(t) + "--learn 5 --runs 5 suite -- " + run + "{}")
	b.stabilized(out, status, atLeast{all: 10, weakened: 5}, atMost{disabled: 0, unknown: 0})
	b.asserts("test_shop.py", "", "\n", "    assert res.status_code == status", "from approvaltests import Options",
		"    verify_as_json(author)")
	b.must("ruff format --diff " + stableSuite)
}

// So is a suite in Java, by ApprovalTests, whose approved texts lie beside it, printed and as they came.
func TestRealJVMStabilizeApproved(t *testing.T) {
	t.Parallel()
	jars, there := toolsDir(t, "java")
	needs.That(t, "the Java libraries (make tools installs them)", there && found("javac"))
	b := newFuzzBench(t)
	b.patience = 30 * time.Minute
	writeAll(t, b, "testdata/written/approvals")
	b.junit(jars, quickJavac+" -Xlint:-options -cp '"+jars+"/*'", "shop/*.java")
	out, status := b.sh("flaketap stabilize " + shopStarts(t) + "--learn 3 --runs 2 --orders 0 --probe always --results {}/reports suite -- " + junit)
	b.stabilized(out, status, atLeast{all: 12, weakened: 6}, atMost{disabled: 0, unknown: 1})
	b.asserts("shop/ShopApprovalTest.java", "", "\n", "import org.approvaltests.core.Options;",
		"import org.approvaltests.scrubbers.RegExScrubber;", "        Approvals.verify(res.body());")

	// what is approved besides is compared as it was
	const approved = stableSuite + "/shop/ShopApprovalTest.authorAsText.approved.txt"
	b.must("sed -i 's/Ada Lovelace/Ada Byron/' " + approved)
	out, status = b.sh("flaketap record --db told.db " + shopStarts(t) + "-- " + strings.Replace(junit, "{}", stableSuite, 1))
	if status == 0 || !strings.Contains(out, approved) || strings.Contains(out, "ShopApprovalTest.order.approved") {
		t.Errorf("another name is not told: exit status %d\n%s", status, out)
	}
}

// writeAll writes a folder of testdata as the suite.
func writeAll(t *testing.T, b *bench, from string) {
	t.Helper()
	if err := fs.WalkDir(os.DirFS(from), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			(&generatedSuite{bench: b}).write("suite/"+path, read(t, filepath.ToSlash(filepath.Join(from, path))))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
