package webdriver

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/waits/oracle"
)

// A command names its place and those that called it, with the names of the driver there, as many as are kept.
func TestWhereCommandsComeFrom(t *testing.T) {
	var c request
	c.from("a.py:3:5\tself.driver\nb.py:9:1\nc.py:1:0\tdriver")
	want := []oracle.Caller{{Place: "b.py:9:1"}, {Place: "c.py:1:0", Driver: "driver"}}
	if diff := cmp.Diff(want, c.callers); diff != "" || c.source != "a.py:3:5" || c.driver != "self.driver" {
		t.Errorf("%q, %q: %s", c.source, c.driver, diff)
	}
	var many, long request
	many.from(strings.Repeat("a.py:3:5\n", 100))
	long.from(strings.Repeat("a", maxText+1))
	if len(many.callers) != maxCallers || long.source != "" {
		t.Errorf("%d callers, %d bytes", len(many.callers), len(long.source))
	}
}
