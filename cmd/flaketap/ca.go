package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/flaketap/flaketap/capture/client"
	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"
)

func (t *tool) caCommand() *cli.Command {
	return &cli.Command{
		Name:  "ca",
		Usage: "print or export the certificate authority that clients must trust",
		UsageText: "flaketap ca print                          what it is, and its certificate\n" +
			"flaketap ca export --format FORM [--out FILE]\n" +
			"   pem, der        the certificate\n" +
			"   p12, jks        a trust store, for Java\n" +
			"   env             lines for sh: eval \"$(flaketap ca export --format env)\"\n" +
			"   install         the commands that make this system trust it; --apply runs them",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Value: "pem", Usage: "export: `FORM`: pem, der, p12, jks, env or install"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "export: `FILE` to write (default: stdout)"},
			&cli.BoolFlag{Name: "roots",
				Usage: "export: include the system's roots, for clients whose setting replaces their own roots"},
			&cli.StringFlag{Name: "password", Usage: "export: `PASSWORD` of the trust store (default: changeit)"},
			&cli.BoolFlag{Name: "apply", Usage: "export --format install: run the commands instead of printing them"},
			caDirFlag(),
			configFlag(), quietFlag(), forceFlag(),
		},
		Action: t.ca,
	}
}

// caOptions is what the flags of ca ask for.
type caOptions struct {
	what     string // print or export
	form     string // of what is exported: a certs.Form, env or install
	exported certs.ExportOptions
	apply    bool   // what install lists is run
	dir      string // of the authority; "" for that in the user's configuration
	output   output
}

// caOptions reads the flags of ca.
func (t *tool) caOptions(c *cli.Context) (o caOptions, err error) {
	args, err := t.arguments(c)
	if err != nil {
		return o, err
	}
	o = caOptions{what: c.Args().First(), form: c.String("format"), exported: certs.ExportOptions{Roots: c.Bool("roots"), Password: c.String("password")},
		apply: c.Bool("apply"), dir: c.String("ca-dir")}
	if len(args) != 1 || o.what != "print" && o.what != "export" {
		return o, console.Usage(errors.New("ca needs one subcommand and no argument: print or export"))
	}
	switch o.form {
	case "pem", "der", "p12", "jks", "env", "install":
	default:
		return o, console.Usage(fmt.Errorf("unknown --format %q: want one of pem, der, p12, jks, env, install", o.form))
	}
	if o.apply && (o.what != "export" || o.form != "install") {
		return o, console.Usage(errors.New("--apply needs --format install"))
	}
	o.output, err = t.outputOptions(c)
	return o, err
}

func (t *tool) ca(c *cli.Context) error {
	o, err := t.caOptions(c)
	if err != nil {
		return err
	}
	ca, err := certs.Open(o.dir)
	if err != nil {
		return err
	}
	t.warnExposed(ca)
	if o.what == "print" {
		return ca.Describe(t.out)
	}
	if o.apply {
		return client.Install(c.Context, ca, t.err, o.output.talk)
	}
	data, err := o.export(ca)
	if err != nil {
		return err
	}
	return o.output.emit("", outfile.Bytes(data))
}

// export returns an authority in the form that is asked for, unless that is binary and would go to a terminal.
func (o caOptions) export(ca *certs.Authority) ([]byte, error) {
	switch o.form {
	case "env":
		return client.Exports(ca)
	case "install":
		return client.InstallScript(ca)
	}
	data, err := ca.Export(certs.Form(o.form), o.exported)
	if f, ok := o.output.stdout.(*os.File); err == nil && ok && o.form != "pem" && o.output.path == "" &&
		term.IsTerminal(int(f.Fd())) {
		err = console.Usage(fmt.Errorf("refusing to write binary %s to a terminal; use --out FILE", o.form))
	}
	return data, err
}

// warnExposed tells that the key of the authority could be read by others than its owner.
func (t *tool) warnExposed(ca *certs.Authority) {
	if mode := ca.Exposed(); mode != 0 {
		fmt.Fprintf(t.err, "flaketap: %s had mode %04o, so other users could read it and make certificates that clients here trust.\n"+
			"flaketap: It is private again; remove it and %s, and a new authority is made\n", ca.KeyFile(), mode, ca.CertFile())
	}
}
