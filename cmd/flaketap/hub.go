package main

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/capture/endpoint"
	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/capture/hub/server"
	"github.com/flaketap/flaketap/capture/ship"
	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
)

func (t *tool) hubCommand() *cli.Command {
	dir := &cli.StringFlag{Name: "dir", Value: "flaketap-hub", Usage: "`DIR` of what recorders send, and of the hub's credential"}
	return &cli.Command{
		Name:      "hub",
		Usage:     "run the place where recordings of many machines come together",
		UsageText: "flaketap hub [--dir DIR] [--listen ADDRESS]",
		Description: "It is a server of NATS with JetStream. Any other serves as well: record, ship, collect and hub status take its\n" +
			"address. See docs/many-machines.md.",
		Flags: []cli.Flag{dir, quietFlag(), logFlag(),
			&cli.StringFlag{Name: "listen", Value: "127.0.0.1:4222", Usage: "`ADDRESS` to listen on; port 0 uses any free port"},
			&cli.StringFlag{Name: "metrics",
				Usage: "`ADDR`ess on which to serve metrics to Prometheus; port 0 uses any free port"},
			&cli.StringFlag{Name: "tls-cert", Usage: "`FILE` of the certificate, which an address that other machines reach needs"},
			&cli.StringFlag{Name: "tls-key", Usage: "`FILE` of the certificate's key"},
		},
		Action: t.hub,
		Subcommands: []*cli.Command{{
			Name: "status", Usage: "show what recorders sent, how far each is behind, what is stuck and what to do",
			UsageText: "flaketap hub status [nats://HOST:PORT[/NAME]] [--format text|json]",
			Flags: append(hubFlags(), dir, &cli.StringFlag{Name: "format", Value: "text",
				Usage: "`FORM`: text or json"}),
			Action: t.hubStatus,
		}, {
			Name: "remove", Usage: "remove all that stands under a name: what recorders sent, once it is collected, and the work of workers",
			UsageText: "flaketap hub remove nats://HOST:PORT/NAME [--plan PLAN]", Action: t.hubRemove, Flags: append(hubFlags(), dir,
				&cli.StringFlag{Name: "plan", Usage: "only `PLAN`, of what workers are to do: what one command left, as hub status lists it"}),
		}},
	}
}

// hubFlags say how a hub is reached.
func hubFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "hub-credential", EnvVars: []string{"FLAKETAP_HUB_CREDENTIAL"},
			Usage: "`FILE` with the hub's credential, an nkey seed, or the credentials of a user of NATS"},
		&cli.StringFlag{Name: "hub-ca", EnvVars: []string{"FLAKETAP_HUB_CA"}, Usage: "`FILE` of certificates to check the hub's against"},
		&cli.BoolFlag{Name: "hub-plaintext", Usage: "send to another machine without TLS, in a network that you trust"},
	}
}

func tokenKeyFlag() cli.Flag {
	return &cli.StringFlag{Name: "token-key", EnvVars: []string{"FLAKETAP_TOKEN_KEY"},
		Usage: "`FILE` whose content makes the tokens that the hub gets in the place of secrets; the same for all recorders"}
}

// tokenKeyOption reads --token-key; nil where it is not given.
func (t *tool) tokenKeyOption(c *cli.Context) ([]byte, error) {
	file := c.String("token-key")
	if file == "" {
		return nil, nil
	}
	cmdline.Private(t.consoleOptions(c), file)
	return ship.KeyFile(file)
}

func (t *tool) hub(c *cli.Context) error {
	if err := t.alone(c); err != nil {
		return err
	}
	level, err := logLevelOption(c)
	if err != nil {
		return err
	}
	metrics, err := endpoint.ListenForMetrics(c.String("metrics"))
	if err != nil {
		return err
	}
	s, err := server.Start(server.Options{Dir: c.String("dir"), Listen: c.String("listen"), TLSCert: c.String("tls-cert"),
		TLSKey: c.String("tls-key"), Log: t.logger(level)})
	if err != nil {
		return err
	}
	defer s.Close()
	credential := filepath.Join(c.String("dir"), server.CredentialFile)
	t.consoleOptions(c).Warn("flaketap: hub at %s, its credential in %s", s.Address(), credential)
	l, err := hub.Dial(s.Address(), hub.Options{Credential: credential, Within: s})
	if err != nil {
		return err
	}
	defer l.Close()
	defer endpoint.ServeMetrics(metrics, t.consoleOptions(c), hub.Metrics(l, s.Refused)).Close()
	return s.Run(c.Context)
}

// linkOptions reads hubFlags. Of a hub that runs in a folder of this machine the credential is found there.
func (t *tool) linkOptions(c *cli.Context) hub.Options {
	o := hub.Options{Credential: c.String("hub-credential"), CA: c.String("hub-ca"), Plaintext: c.Bool("hub-plaintext")}
	if o.Credential != "" {
		cmdline.Private(t.consoleOptions(c), o.Credential)
	}
	if dir := c.String("dir"); dir != "" {
		o.Own = filepath.Join(dir, server.CredentialFile)
	}
	return o
}

func (t *tool) hubStatus(c *cli.Context) error {
	args, err := t.arguments(c)
	if err != nil {
		return err
	}
	address, err := cmdline.One(c.Command.FullName(), args, "hub: nats://HOST:PORT/NAME", "nats://127.0.0.1:4222")
	if err != nil {
		return err
	}
	form := c.String("format")
	if form != "text" && form != "json" {
		return console.Usage(fmt.Errorf("unknown --format %q: want one of text, json", form))
	}
	l, err := hub.Dial(address, t.linkOptions(c))
	if err != nil {
		return err
	}
	defer l.Close()
	s, err := l.Status(c.Context, time.Now())
	if err != nil {
		return err
	}
	return s.Write(t.out, form)
}

func (t *tool) hubRemove(c *cli.Context) error {
	args, err := t.arguments(c)
	if err != nil {
		return err
	}
	address, err := cmdline.One(c.Command.FullName(), args, "hub: nats://HOST:PORT/NAME", "")
	if err != nil {
		return err
	}
	l, err := hub.DialName(address, t.linkOptions(c))
	if err != nil {
		return err
	}
	defer l.Close()
	if plan := c.String("plan"); plan != "" {
		return l.RemovePlan(c.Context, plan)
	}
	return l.Remove(c.Context)
}
