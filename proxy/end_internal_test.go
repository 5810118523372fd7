package proxy

import "testing"

// TestBuffersFollowMessages has many connections pass a large message and then small ones: a few keep their large buffers,
// the others go back to small ones, and nothing stays lent.
func TestBuffersFollowMessages(t *testing.T) {
	var pool buffers
	all := make([]buffer, 2*keepLarge)
	for i := range all {
		all[i] = pool.lend()
		all[i].fit(smallBuffer - 1)
		if len(all[i].bytes()) != smallBuffer {
			t.Fatal("a buffer grew though the message fitted")
		}
		all[i].fit(smallBuffer)
	}
	for round, want := range []int{keepLarge, keepLarge} {
		large := 0
		for i := range all {
			all[i].fit(100)
			if len(all[i].bytes()) == largeBuffer {
				large++
			}
		}
		if large != want || int(pool.lent.Load()) != want {
			t.Errorf("round %d: %d large buffers are kept, %d counted, want %d", round, large, pool.lent.Load(), want)
		}
	}
	for i := range all {
		all[i].giveBack()
	}
	if n := pool.lent.Load(); n != 0 {
		t.Errorf("%d large buffers are lent in the end", n)
	}
}
