package serve

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/flaketap/flaketap/capture/client"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/warmup"
	"github.com/flaketap/flaketap/replay/service"
)

// Options say which API is run, and what its external services are.
type Options struct {
	Externals
	// Service is the API.
	Service *service.Service
	// Reset puts the API back to its start, before clients come.
	Reset service.Reset
	// WarmUp is a file of package warmup, with which the API is warmed up before a client comes, and when it is started
	// anew; "" for none.
	WarmUp string
	// Command is the client's command line; none lets clients come until the context ends.
	Command []string
	// Stdout takes what that command prints.
	Stdout  io.Writer
	Console *console.Console
}

// Run starts the API, lets the client through, and returns its status and what was seen of external services. The
// report is empty where the API did not start, and asked nothing.
func Run(ctx context.Context, o Options) (status int, rep Report, err error) {
	var requests []warmup.Request
	if o.WarmUp != "" {
		if requests, err = warmup.Read(o.WarmUp); err != nil {
			return 0, rep, err
		}
	}
	led, err := o.Lead(ctx, o.Service, nil)
	if err != nil {
		return 0, rep, err
	}
	defer func() { err = errors.Join(err, led.Close()) }()
	o.hear(ctx)
	status, err = o.play(ctx, led, requests)
	led.server.Distrusts.Ended()
	if rep = led.Report(); errors.Is(err, service.ErrStart) && len(rep.Services)+len(rep.Refused) == 0 {
		return status, Report{}, err // that it asked nobody is no news
	}
	return status, rep, err
}

// hear has what the API logs be in the log of a run that tells everything; secrets are tokens in it.
func (o *Options) hear(ctx context.Context) {
	if o.Log == nil || !o.Log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	shown := anyRedactor()
	o.Service.Heard = func(line string) {
		o.Log.Debug("the API logs", "line", string(redact.Body(shown, "text/plain", []byte(line))))
	}
}

// For so long answers are held back where it is told what an API asked side by side. Trials are many, and three of a
// kind are compared; a test is one.
const (
	heldForClients = 20 * time.Millisecond
	heldForTrials  = 10 * time.Millisecond
)

// play runs the API, and the client beside it.
func (o *Options) play(ctx context.Context, led *Led, requests []warmup.Request) (status int, err error) {
	if len(o.Command) > 0 {
		led.server.Journal = &mock.Journal{Hold: heldForClients} // which the client may ask for
		led.server.Once = true                                   // what is asked depends on no test before, as in a trial
	}
	api, err := o.Service.Start(ctx)
	if err != nil {
		return 0, err
	}
	if len(o.Command) > 0 {
		return o.playClient(ctx, led, api, requests)
	}
	defer func() { err = errors.Join(err, api.Stop()) }()
	if err := api.Reset(o.Reset).Run(ctx); err != nil {
		return 0, err
	}
	o.tellServed(api, led)
	select {
	case <-ctx.Done():
		return 0, nil
	case <-api.Ended():
		return 0, api.Died("while it was served")
	}
}

// playClient runs the client, which may change the stubs and start the API anew, and ends the API.
func (o *Options) playClient(
	ctx context.Context, led *Led, api *service.Instance, requests []warmup.Request,
) (status int, err error) {
	control := &control{server: led.server, service: o.Service, reset: o.Reset, api: api, requests: requests,
		stubs: led.stubs}
	if err := control.open(); err != nil {
		return 0, errors.Join(err, api.Stop())
	}
	defer func() { err = errors.Join(err, control.close()) }()
	if err := control.begins(ctx); err != nil {
		return 0, err
	}
	env := append(os.Environ(), control.env()...)
	if target := api.Base(); target != nil {
		env = append(env, "FLAKETAP_URL="+target.String())
	}
	o.tellServed(api, led)
	c := client.Command{Args: o.Command, Env: env, Stdout: o.Stdout, Console: o.Console}
	if o.Console != nil {
		c.Stderr = o.Console.Err
	}
	status, err = c.Run(ctx)
	if died := control.died(status); died != nil {
		o.Console.Warn("flaketap: %v", died)
	}
	return status, err
}

// tellServed says where the API is.
func (o *Options) tellServed(api *service.Instance, led *Led) {
	where := "the API"
	if target := api.Base(); target != nil {
		where = target.String()
	}
	o.Console.Warn("flaketap: serving %s with %s for its external services", where, console.Count(len(led.stubs), "stub"))
}
