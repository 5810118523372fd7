package suite_test

import "testing"

func TestOutside(t *testing.T) {
	if 1 != 2 {
		t.Fatal("outside")
	}
	println("<outside>")
}
