package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/flaketap/flaketap/capture/client"
	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/internal/console"
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
		return o, console.Usage(errors.New("ca needs a subcommand: print or export"))
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
	ca, err := openAuthority(o.dir)
	if err != nil {
		return err
	}
	t.warnExposed(ca)
	if o.what == "print" {
		return t.printCA(ca)
	}
	if o.apply {
		install, _, err := ca.Install(thisSystem())
		if err != nil {
			return err
		}
		return t.runSteps(c.Context, o.output.talk, install)
	}
	data, err := o.export(ca)
	if err != nil {
		return err
	}
	return o.output.emit("", func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// export returns an authority in the form that is asked for, unless that is binary and would go to a terminal.
func (o caOptions) export(ca *certs.Authority) ([]byte, error) {
	switch o.form {
	case "env":
		return client.Exports(ca)
	case "install":
		install, undo, err := ca.Install(thisSystem())
		if err != nil {
			return nil, err
		}
		return installScript(install, undo), nil
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

// printCA says what the authority is, before its certificate: programs that read PEM pass such lines over.
func (t *tool) printCA(ca *certs.Authority) error {
	cert := ca.Certificate()
	var fingerprint []string
	for _, b := range sha256.Sum256(cert.Raw) {
		fingerprint = append(fingerprint, fmt.Sprintf("%02X", b))
	}
	_, err := fmt.Fprintf(t.out, "name         %s\nvalid        %s to %s\nSHA-256      %s\ncertificate  %s\nkey          %s (ECDSA P-256, for this user alone)\n\n%s",
		cert.Subject.CommonName, cert.NotBefore.UTC().Format(time.DateOnly), cert.NotAfter.UTC().Format(time.DateOnly),
		strings.Join(fingerprint, ":"),
		ca.CertFile(), ca.KeyFile(), ca.PEM())
	return err
}

// thisSystem is what the commands that make a system trust an authority depend on.
func thisSystem() certs.System {
	home, _ := os.UserHomeDir() // macOS alone needs it, and always has one
	return certs.System{
		OS: runtime.GOOS, Home: home,
		HasCommand: func(name string) bool { _, err := exec.LookPath(name); return err == nil },
		HasDir:     func(path string) bool { info, err := os.Stat(path); return err == nil && info.IsDir() },
	}
}

// installScript lists the commands that make the system trust the authority, and in comments those that undo it.
func installScript(install, undo []certs.Step) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, "# Make this system trust flaketap's certificate authority. --apply runs these commands.")
	for _, s := range install {
		fmt.Fprintln(&b, shellLine(s))
	}
	fmt.Fprintln(&b, "# To undo it:")
	for _, s := range undo {
		fmt.Fprintln(&b, "# "+shellLine(s))
	}
	fmt.Fprintln(&b, "# Java, Node, Firefox and Python's certifi use their own stores: flaketap ca export --format env")
	return b.Bytes()
}

// stepArgs is a step as this user runs it.
func stepArgs(s certs.Step) []string {
	if s.Root && os.Geteuid() != 0 {
		return append([]string{"sudo"}, s.Args...)
	}
	return s.Args
}

func shellLine(s certs.Step) string {
	var words []string
	for _, w := range stepArgs(s) {
		if strings.ContainsFunc(w, func(r rune) bool { return !strings.ContainsRune("-_./=", r) && !isAlphanumeric(r) }) {
			w = client.ShellQuoted(w)
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

func isAlphanumeric(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// runSteps runs commands in their order, up to the first that fails.
func (t *tool) runSteps(ctx context.Context, to *console.Console, steps []certs.Step) error {
	for _, s := range steps {
		to.Say("flaketap: %s", shellLine(s))
		args := stepArgs(s)
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, t.err, t.err
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("install CA: %s: %w", args[0], err)
		}
	}
	return nil
}

// openAuthority opens the certificate authority of this installation, and makes it where there is none.
func openAuthority(dir string) (*certs.Authority, error) {
	if dir == "" {
		config, err := os.UserConfigDir()
		if err != nil {
			return nil, fmt.Errorf("find a folder for the certificate authority (--ca-dir sets one): %w", err)
		}
		dir = filepath.Join(config, "flaketap")
	}
	return certs.LoadOrCreate(dir)
}
