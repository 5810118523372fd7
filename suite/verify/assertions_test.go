package verify

import (
	"bytes"
	"testing"
)

// A report of patch is a file that somebody may have edited: whatever is in it gives counts or an error.
func FuzzReadAssertions(f *testing.F) {
	f.Add([]byte(`{"flaketap":"patch-report","version":1,"files":[{"tests":2,"assertions":3,"kept":1,"weakened":1,"unknown":[{}]}]}`))
	f.Add([]byte(`{"flaketap":"patch-report","version":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := ReadAssertions(bytes.NewReader(data))
		if (a == nil) == (err == nil) {
			t.Fatalf("%v, %v", a, err)
		}
	})
}
