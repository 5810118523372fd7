package hurl

import (
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/onecall"
)

// FuzzRead reads what is no suite, or a damaged one: what is read stands within the file, and can be written and commented out.
func FuzzRead(f *testing.F) {
	f.Add([]byte("GET http://h/a\nHTTP 200\n[Asserts]\njsonpath \"$.a[0]\" == 1\nheader \"x\" matches /^a$/\n"))
	f.Fuzz(func(t *testing.T, data []byte) { onecall.Damaged(t, Dialect(), "t.hurl", data) })
}
