// Package checks has what the suite's packages share.
package checks

import "testing"

// Equal fails a test.
func Equal(t *testing.T, a, b int) {
	t.Helper()
	if a != b {
		t.Fatalf("%d, not %d", a, b)
	}
}
