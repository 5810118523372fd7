package server

import "testing"

// The streams may take what was asked for as long as the disk has it, and leave a reserve on it.
func TestRoom(t *testing.T) {
	const gb = 1 << 30
	for _, c := range []struct{ asked, used, free, want int64 }{
		{gb, 0, 100 * gb, gb},
		{100 * gb, 0, gb, gb - mostReserve},
		{100 * gb, gb, gb, 2*gb - mostReserve},
		{gb, 0, 16 << 20, 14 << 20},
		{gb, 5 << 20, 0, 5 << 20}, // not one byte more
		{gb, 5 << 20, 1 << 10, 5 << 20},
		{gb, 0, 0, 0},
	} {
		if got := room(c.asked, c.used, c.free); got != c.want {
			t.Errorf("of %d, with %d taken and %d free: %d, want %d", c.asked, c.used, c.free, got, c.want)
		}
	}
}
