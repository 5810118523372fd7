package seen

import "testing"

func same(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSeen(t *testing.T) {
	for _, got := range []int{1, 2} {
		if got != 1 {
			t.Fatalf("%d, not 1", got)
		}
	}
	same(t, "new", "old")
	t.Run("sub", func(t *testing.T) {
		t.Error("in", "sub")
	})
}
