package interrupt

import (
	"context"
	"syscall"
	"testing"
	"time"
)

// The same signal at once again is an echo, and no second wish.
func TestEchoes(t *testing.T) {
	var e echoes
	now := time.Now()
	for _, step := range []struct {
		sig   syscall.Signal
		after time.Duration
		fresh bool
	}{
		{syscall.SIGTERM, 0, true},
		{syscall.SIGTERM, time.Millisecond, false},
		{syscall.SIGINT, time.Millisecond, true},
		{syscall.SIGINT, echo, true},
	} {
		now = now.Add(step.after)
		if got := e.fresh(step.sig, now); got != step.fresh {
			t.Errorf("%v after %v: fresh is %v", step.sig, step.after, got)
		}
	}
}

func TestStopIsTheCauseOfTheContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	if Of(ctx) != nil || Next(ctx) != ctx.Done() {
		t.Error("before a signal, the first one is the next")
	}
	again := make(chan struct{})
	cancel(&Stop{Signal: syscall.SIGTERM, Again: again})
	if s := Of(ctx); s == nil || s.Signal != syscall.SIGTERM || Next(ctx) != (<-chan struct{})(again) {
		t.Errorf("after SIGTERM it is %v", s)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if Of(ended) != nil || Next(ended) != nil {
		t.Error("a context that no signal ended knows of none")
	}
}
