package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/described"
	"github.com/flaketap/flaketap/mock/intercept"
	"github.com/flaketap/flaketap/mock/recorded"
	"github.com/flaketap/flaketap/mock/serve"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// servicesFlags say what the external services of an API are whose connections are led here.
func servicesFlags() []cli.Flag {
	return []cli.Flag{
		interceptFlag(),
		&cli.StringSliceFlag{Name: "mock", Usage: "`localhost:PORT` of this machine that is an external service, too"},
		&cli.StringSliceFlag{Name: "allow", Usage: "`HOST` whose real service is connected to"},
		&cli.StringSliceFlag{Name: "spec", Usage: "`HOST=FILE`, what a service's calls of gRPC mean: NAME.proto, or a descriptor set of protoc's"},
		&cli.StringFlag{Name: "unknown", Value: string(mock.NotFound), Usage: "what a request without a stub gets: `404`, or refuse (the connection is reset)"},
	}
}

// interceptFlag says by what connections are led.
func interceptFlag() cli.Flag {
	return &cli.StringFlag{Name: "intercept", Value: intercept.AnyEngine,
		Usage: "what leads the API's connections here: seccomp or namespace (Linux), env (variables; misses what heeds none), or `auto`, the first of seccomp and namespace that works"}
}

// externalFlags are the flags of a command that leads the API it starts where it is asked to. startOptions reads them.
func externalFlags() []cli.Flag {
	return append(servicesFlags(),
		&cli.BoolFlag{Name: "external", Usage: "answer for the external services that the API of --start calls, and record what they are asked"},
		&cli.StringSliceFlag{Name: "stubs", Usage: "`DIR` with stubs for the external services; repeat for several (default: what the recording has)"},
		&cli.BoolFlag{Name: "latency", Usage: "have answers that a recording has come as late as they did then (default: at once)"})
}

var errLatencyOfStubs = console.Usage(errors.New("use either --latency or --stubs, not both: stubs say themselves how late they answer"))

// externalOptions reads externalFlags: what leads an API, nil where its connections are its own. A command that starts
// two APIs, of the same flags, has one for both.
func (t *tool) externalOptions(c *cli.Context) (*serve.Outside, error) {
	if !cmdline.HasFlag(c.Command, "external") {
		return nil, nil
	}
	if !c.Bool("external") {
		for _, name := range []string{"stubs", "latency", "mock", "allow", "spec", "unknown", "intercept"} {
			if c.IsSet(name) {
				return nil, console.Usage(fmt.Errorf("--%s needs --external", name))
			}
		}
		return nil, nil
	}
	if c.String("start") == "" {
		return nil, needsStart("--external")
	}
	if t.outside != nil || !cmdline.HasFlag(c.Command, "stubs") { // each trial of a worker has stubs of its own
		return t.outside, nil
	}
	if c.Bool("latency") && len(c.StringSlice("stubs")) > 0 {
		return nil, errLatencyOfStubs
	}
	level, err := logLevelOption(c)
	if err != nil {
		return nil, err
	}
	externals, err := externalsOptions(c, c.StringSlice("stubs"), t.logger(level))
	if err != nil {
		return nil, err
	}
	if cmdline.HasFlag(c.Command, "max-body") {
		if externals.MaxBody, err = maxBodyOption(c); err != nil {
			return nil, err
		}
	}
	if externals.Recorded, err = recordedOption(c); err != nil {
		return nil, err
	}
	t.outside, err = externals.Open(c.Context)
	return t.outside, err
}

// recordedOption reads which recorded answers stand in for stubs: those of the session, or else of the recording; nil
// where there is none.
func recordedOption(c *cli.Context) (*recorded.Recording, error) {
	from := cmp.Or(c.String("session"), c.String("db"))
	if !exists(from) {
		return nil, nil
	}
	db, err := store.OpenReadOnly(from)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	pace := recorded.AtOnce
	if c.Bool("latency") {
		pace = recorded.AsRecorded
	}
	asked, err := analysis.Asked(db)
	if err != nil {
		return nil, err
	}
	replays := c.Command.Name == "replay" // in any other command a client runs, which may send otherwise
	return recorded.Read(db.Externals(), pace, recorded.Runs{Causes: asked.For,
		Stay: func(run int) bool { return replays || asked.ByClient[run] }}), nil
}

// tellOutside says what external services were asked, unless the user asked for quiet, and ends what led the API there.
func (t *tool) tellOutside(quiet bool) (err error) {
	if t.outside == nil {
		return nil
	}
	if !quiet {
		err = t.outside.Text(t.err)
	}
	return errors.Join(err, t.outside.Close())
}

// needsStart says what a command or a flag lacks that answers for external services.
func needsStart(what string) error {
	return console.Usage(fmt.Errorf("%s needs --start, the command that starts the API: flaketap answers for the services of an API only where it has started the API itself", what))
}

// externalsOptions reads servicesFlags.
func externalsOptions(c *cli.Context, stubs []string, log *slog.Logger) (x serve.Externals, err error) {
	x = serve.Externals{Stubs: stubs, Allow: c.StringSlice("allow"), Unknown: mock.Unknown(c.String("unknown")), Log: log}
	if x.Unknown != mock.NotFound && x.Unknown != mock.Refuse {
		return x, console.Usage(fmt.Errorf("unknown --unknown %q: want one of 404, refuse", x.Unknown))
	}
	for _, host := range x.Allow {
		if strings.ContainsAny(host, "/:") && net.ParseIP(host) == nil {
			return x, console.Usage(fmt.Errorf("--allow must be the name or address of a HOST, without scheme and port, got %q", host))
		}
	}
	for _, at := range c.StringSlice("mock") {
		host, port, err := net.SplitHostPort(at)
		n, wrong := strconv.ParseUint(port, 10, 16)
		if err != nil || wrong != nil || n == 0 || host != "localhost" {
			return x, console.Usage(fmt.Errorf("--mock must be localhost:PORT, got %q", at))
		}
		x.Local = append(x.Local, uint16(n))
	}
	if x.GRPC, err = described.ReadCalls(c.Context, c.StringSlice("spec")); err != nil {
		return x, err
	}
	return x, interceptOption(c, &x)
}

// interceptOption reads interceptFlag.
func interceptOption(c *cli.Context, x *serve.Externals) (err error) {
	x.Intercept = c.String("intercept")
	if err := intercept.CheckName(x.Intercept); err != nil {
		return console.Usage(err)
	}
	x.Self, err = stageProgram()
	return err
}
