package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"
)

// clientResult is how the recorded client ended.
type clientResult struct {
	status int   // its exit status, 128+n where signal n ended it
	err    error // it could not be started
}

// clientGrace is how long a client that was asked to end may take to do so.
const clientGrace = 10 * time.Second

// runClient runs the client's command line to its end, or until ctx ends. It reads this process's stdin and writes to
// its streams.
func (t *tool) runClient(ctx context.Context, c *cli.Context, env []string) clientResult {
	cmd := exec.Command(t.client[0], t.client[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, os.Stdin, t.out, t.err
	cmd.WaitDelay = clientGrace
	f, err := startFamily(cmd)
	if err != nil {
		return clientResult{err: fmt.Errorf("start the client: %w", err)}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // what it says is in ProcessState too
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		t.endClient(ctx, c, f, ended)
	}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return clientResult{status: 128 + int(ws.Signal())}
	}
	return clientResult{status: cmd.ProcessState.ExitCode()}
}

// endClient passes on the signal that ended ctx, or asks the client to end where it was none, and waits until the
// client and all that it started are gone. What has not gone after a while is killed; at once, if there is a further
// signal. Ctrl-C at a terminal reaches the client by itself, and is not passed on a second time.
func (t *tool) endClient(ctx context.Context, c *cli.Context, f *family, ended <-chan struct{}) {
	orders := []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}
	s := stopOf(ctx)
	if s != nil {
		orders[0] = s.signal
	}
	if orders[0] != syscall.SIGINT || !f.hears() {
		f.signal(orders[0])
		orders = orders[1:]
	} else {
		orders[0] = syscall.SIGTERM
	}
	patience, word, look := time.NewTimer(clientGrace), time.NewTimer(time.Second), time.NewTicker(20*time.Millisecond)
	defer patience.Stop()
	defer word.Stop()
	defer look.Stop()
	for again := nextSignal(ctx); ; {
		select {
		case <-look.C: // nobody tells when the last process of a group has gone
			select {
			case <-ended:
				if !f.alive() {
					return
				}
			default:
			}
		case <-word.C:
			t.say(c, "flaketap: waiting for the client to end; Ctrl-C again stops at once")
		case <-patience.C:
			f.signal(orders[0])
			if orders = orders[1:]; len(orders) == 0 {
				<-ended
				return
			}
			patience.Reset(clientGrace)
		case <-again:
			f.signal(syscall.SIGKILL)
			<-ended
			return
		}
	}
}
