package client

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/interrupt"
)

// Command is a client's command line with what it is started with. It reads this process's stdin.
type Command struct {
	Args           []string // the program and its arguments; at least one
	Env            []string // as os.Environ has it; see Environment
	Stdout, Stderr io.Writer
	Console        *console.Console // told that the end takes a while
	Watch          *Watch           // sees where the client connects to by itself; nil looks at nothing
}

// grace is how long a client that was asked to end may take to do so.
const grace = 10 * time.Second

// Run runs the command to its end, or until ctx ends, and returns its exit status: 128+n where signal n ended it. The
// error is that it could not be started.
func (c Command) Run(ctx context.Context) (status int, err error) {
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Env, os.Stdin, c.Stdout, c.Stderr
	cmd.WaitDelay = grace
	f, err := startFamily(cmd)
	if err != nil {
		return 0, fmt.Errorf("start the client: %w", err)
	}
	defer f.leave()
	defer c.Watch.start(f)()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // what it says is in ProcessState too
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		c.end(ctx, f, ended)
	}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal()), nil
	}
	return cmd.ProcessState.ExitCode(), nil
}

// end passes on the signal that ended ctx, or asks the client to end where it was none, and waits until the
// client and all that it started are gone. What has not gone after a while is killed; at once, if there is a further
// signal. Ctrl-C at a terminal reaches the client by itself, and is not passed on a second time.
func (c Command) end(ctx context.Context, f *family, ended <-chan struct{}) {
	orders := []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}
	s := interrupt.Of(ctx)
	if s != nil {
		orders[0] = s.Signal
	}
	if orders[0] != syscall.SIGINT || !f.hearsTerminal() {
		f.signal(orders[0])
		orders = orders[1:]
	} else {
		orders[0] = syscall.SIGTERM
	}
	patience, word, look := time.NewTimer(grace), time.NewTimer(time.Second), time.NewTicker(20*time.Millisecond)
	defer patience.Stop()
	defer word.Stop()
	defer look.Stop()
	for again := interrupt.Next(ctx); ; {
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
			c.Console.Say("flaketap: waiting for the client to exit; press Ctrl-C again to stop at once")
		case <-patience.C:
			f.signal(orders[0])
			if orders = orders[1:]; len(orders) == 0 {
				<-ended
				return
			}
			patience.Reset(grace)
		case <-again:
			f.signal(syscall.SIGKILL)
			<-ended
			return
		}
	}
}
