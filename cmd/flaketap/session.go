package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/capture"
	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/proxy"
	"github.com/flaketap/flaketap/store"
)

// proxyFlags say how the recorder stands between client and API.
func proxyFlags(more ...cli.Flag) []cli.Flag {
	return append(upstreamFlags(append(sequenceFlags(), more...)...),
		targetsFlag(),
		&cli.BoolFlag{Name: "transparent",
			Usage: "accept connections that firewall rules redirect here, and forward them to their original destination (Linux)"},
		&cli.StringSliceFlag{Name: "tunnel",
			Usage: "`HOST` whose TLS is not intercepted, such as *.example.com: it passes through unrecorded"},
		&cli.StringSliceFlag{Name: "exclude",
			Usage: "`HOST` whose exchanges are not recorded, such as *.example.com or localhost:9090"},
		&cli.StringFlag{Name: "proxy-auth", EnvVars: []string{"FLAKETAP_PROXY_AUTH"},
			Usage: "`USER:PASSWORD` that clients must send to use the recorder as a proxy (the variable keeps it out of the process list)"},
		hostHeaderFlag(),
		caDirFlag(),
	)
}

// sequenceFlags are the flags that say where sequences begin.
func sequenceFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "sequence-header",
			Usage: "request header that `NAME`s the test case a request belongs to"},
		&cli.DurationFlag{Name: "gap", DefaultText: "none", Usage: "begin a new sequence after this `TIME` without requests"},
		&cli.BoolFlag{Name: "per-connection", Usage: "make each client connection a sequence"},
		&cli.StringFlag{Name: "control", Value: "127.0.0.1:0",
			Usage: "loopback `ADDR`ess at which clients mark sequences (FLAKETAP_CONTROL); off for none"},
	}
}

func targetsFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "target",
		Usage: "the API's base `URL`; repeat as /path=URL or host=URL for APIs behind other paths or hosts"}
}

func hostHeaderFlag() cli.Flag {
	return &cli.StringFlag{Name: "host-header", Value: "client", Usage: "Host header to send to the API: that of the `client`, or of the target"}
}

func caDirFlag() cli.Flag {
	return &cli.StringFlag{Name: "ca-dir", EnvVars: []string{"FLAKETAP_CA_DIR"},
		Usage: "`DIR` of the certificate authority (default: in the user's configuration folder)"}
}

func maxBodyFlag() cli.Flag {
	return &cli.StringFlag{Name: "max-body", Value: "64MiB",
		Usage: "store at most `SIZE` of a body; all of it passes through, and the recording notes how much was cut"}
}

// sessionOptions reads proxyFlags, startFlags and what goes with them, for a command that takes no arguments.
func (t *tool) sessionOptions(c *cli.Context) (capture.Options, error) {
	if err := noArguments(c.Command.FullName(), c.Args()); err != nil {
		return capture.Options{}, err
	}
	o, err := t.proxyOptions(c)
	if err == nil {
		err = checkAndOpenCA(&o, c.String("ca-dir"))
	}
	return o, err
}

// checkAndOpenCA opens the authority of a folder once no mistake is left in the options, and makes it where there is
// none.
func checkAndOpenCA(o *capture.Options, dir string) (err error) {
	if err := o.Check(); err != nil {
		return err
	}
	o.CA, err = certs.Open(dir)
	return err
}

// proxyOptions is sessionOptions for a command that has arguments of its own, or learns of the target by other means:
// what it returns is not checked, and without an authority.
func (t *tool) proxyOptions(c *cli.Context) (o capture.Options, err error) {
	o = capture.Options{
		Listen: c.String("listen"), Auth: c.String("proxy-auth"), Transparent: c.Bool("transparent"),
		Tunnel:  c.StringSlice("tunnel"),
		Exclude: c.StringSlice("exclude"), Upstream: upstreamOptions(c), ResetTimeout: c.Duration("reset-timeout"),
		Command: t.client, Stdout: t.out, Console: t.consoleOptions(c), TargetHost: c.String("host-header") == "target",
	}
	if host := c.String("host-header"); host != "client" && host != "target" {
		return o, console.Usage(fmt.Errorf("unknown --host-header %q: want one of client, target", host))
	}
	if o.LogLevel, err = logLevelOption(c); err != nil {
		return o, err
	}
	if o.Service, o.Reset, err = t.startOptions(c); err != nil {
		return o, err
	}
	if o.Target, o.Routes, err = capture.ParseTargets(c.StringSlice("target")); err != nil {
		return o, err
	}
	if o.Sequences, err = sequenceOptions(c); err != nil {
		return o, err
	}
	if cmdline.HasFlag(c.Command, "max-body") {
		if o.MaxBody, err = maxBodyOption(c); err != nil {
			return o, err
		}
	}
	return o, nil
}

// sequenceOptions reads sequenceFlags.
func sequenceOptions(c *cli.Context) (capture.Sequences, error) {
	s := capture.Sequences{
		Headers: c.StringSlice("sequence-header"), Gap: c.Duration("gap"), PerConnection: c.Bool("per-connection"),
		Control: c.String("control"), SayControl: c.IsSet("control"),
	}
	if s.Control == "off" {
		s.Control = ""
	}
	if c.IsSet("gap") && s.Gap == 0 {
		return s, console.Usage(errors.New("--gap must be a duration such as 2s, got 0s"))
	}
	return s, nil
}

// maxBodyOption reads how much of a body is kept.
func maxBodyOption(c *cli.Context) (int64, error) {
	size, err := cmdline.ParseSize(c.String("max-body"))
	if err == nil && size > store.MaxBody {
		err = fmt.Errorf("at most %d MiB of a body can be stored", store.MaxBody>>20)
	}
	if err != nil {
		return 0, console.Usage(fmt.Errorf("--max-body %s: %w", c.String("max-body"), err))
	}
	if size == 0 {
		return proxy.NoBodies, nil
	}
	return size, nil
}
