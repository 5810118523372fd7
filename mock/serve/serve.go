package serve

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/flaketap/flaketap/capture/client"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/service"
)

// Options say which API is run, and what its external services are.
type Options struct {
	Externals
	// Service is the API.
	Service *service.Service
	// Reset puts the API back to its start, before clients come.
	Reset service.Reset
	// Command is the client's command line; none lets clients come until the context ends.
	Command []string
	// Stdout takes what that command prints.
	Stdout  io.Writer
	Console *console.Console
}

// Run starts the API, lets the client through, and returns its status and what was seen of external services.
func Run(ctx context.Context, o Options) (status int, rep Report, err error) {
	led, err := o.Lead(o.Service, nil)
	if err != nil {
		return 0, rep, err
	}
	defer func() { err = errors.Join(err, led.Close()) }()
	status, err = o.play(ctx, led.stubs)
	return status, led.Report(), err
}

// play runs the API, and the client beside it.
func (o *Options) play(ctx context.Context, stubs int) (status int, err error) {
	api, err := o.Service.Start(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, api.Stop()) }()
	if err := api.Reset(o.Reset).Run(ctx); err != nil {
		return 0, err
	}
	where := "the API"
	env := os.Environ()
	if target := api.Target(); target != nil {
		where = target.String()
		env = append(env, "FLAKETAP_URL="+where)
	}
	o.Console.Warn("flaketap: serving %s with %s for its external services", where, console.Count(stubs, "stub"))
	if len(o.Command) == 0 {
		select {
		case <-ctx.Done():
			return 0, nil
		case <-api.Ended():
			return 0, api.Died("while it was served")
		}
	}
	c := client.Command{Args: o.Command, Env: env, Stdout: o.Stdout, Console: o.Console}
	if o.Console != nil {
		c.Stderr = o.Console.Err
	}
	return c.Run(ctx)
}
