package ui

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// patience is how long a replay that is to end may take to store what it has.
const patience = time.Minute

// Child returns what plays runs as the command replay of a program does, in a process of its own: what ends it, or uses
// up its memory, does not end the page. flags are further ones of that command.
func Child(program, db string, flags []string) func(ctx context.Context, r Request, out io.Writer) error {
	return func(ctx context.Context, r Request, out io.Writer) error {
		args := append([]string{"replay", "--db", db, "--runs", fmt.Sprint(r.Runs)}, flags...)
		if len(r.Conditions) > 0 {
			args = append(args, "--perturb", strings.Join(r.Conditions, ","))
		}
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, out, patience
		apart(cmd)
		return cmd.Run()
	}
}
