package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Where a test always fails, no run passes; with the results of the runner the tests that pass are learned from all the
// same.
func TestRealPythonWaitsBesideFailure(t *testing.T) {
	t.Parallel()
	const file = "test_row.py"
	s := late(t, file, append(pytest(t), "--junitxml=left/results.xml")...)
	text := strings.Replace(string(read(t, filepath.Join("testdata", "browser", file))), "def test_row", `def test_always_fails(driver):
    driver.get(f"{BASE}/row")
    assert driver.title == "nothing like it"


def test_row`, 1)
	s.writeSuite(file, []byte(text))
	record := func(flags ...string) (string, bool) {
		return s.through(file, append([]string{"record", "--force", "--runs", "4", "--out", "session.json"}, flags...)...)
	}
	if out, ok := record(); ok || !strings.Contains(out, "no run passed") || !strings.Contains(out, "--results FILE") {
		t.Errorf("without results:\n%s", out)
	}
	out, ok := record("--results", "left")
	if !ok || strings.Count(out, "failed with status 1; the tests that passed count") < 2 || strings.Contains(out, "no run passed") {
		t.Fatalf("with results:\n%s", out)
	}
	if out, ok := s.flaketap("patch", "--session", "session.json", "--in-place", file); !ok || !strings.Contains(out, "2 waits written") {
		t.Errorf("patched:\n%s", out)
	}
	if out, ok := s.start(s.command(file)...); ok || !strings.Contains(out, "1 failed, 2 passed") {
		t.Errorf("the patched suite:\n%s", out)
	}
}
