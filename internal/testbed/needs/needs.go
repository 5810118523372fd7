// Package needs says what a test needs of the machine that it runs on.
//
// A test whose tool is missing is skipped by the tool's name. On CI, which the variable CI=true tells, a skip would
// hide a test: there, what is missing is a failure. The few tools that not even CI has to have (Hurl, strace,
// libfaketime, other browsers) are asked for with [Optional].
package needs

import (
	"os"
	"os/exec"
	"testing"
)

// That skips the test unless what it needs is there; on CI it fails the test.
func That(t testing.TB, what string, there bool) {
	t.Helper()
	if !there {
		missing(t, what)
	}
}

func missing(t testing.TB, what string) {
	t.Helper()
	if onCI() {
		t.Fatalf("%s is missing, and CI must run this test", what)
	}
	t.Skipf("%s is missing", what)
}

// Program returns the path of the first of these programs that there is. It skips the test if there is none, and fails
// it on CI.
func Program(t testing.TB, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	missing(t, names[0])
	return ""
}

// OnCI fails the test on CI where one of these programs is missing. Elsewhere the test goes on without.
func OnCI(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if onCI() {
			Program(t, name)
		}
	}
}

// Optional skips the test unless what it needs is there, on CI too.
func Optional(t testing.TB, what string, there bool) {
	t.Helper()
	if !there {
		t.Skipf("%s is missing", what)
	}
}

func onCI() bool { return os.Getenv("CI") == "true" }
