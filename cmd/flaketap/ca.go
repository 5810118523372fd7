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
	"github.com/flaketap/flaketap/certs"
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

func (t *tool) ca(c *cli.Context) error {
	if err := t.noClient(c); err != nil {
		return err
	}
	what := c.Args().First()
	if c.NArg() != 1 || what != "print" && what != "export" {
		return console.Usage(errors.New("ca needs a subcommand: print or export"))
	}
	form := c.String("format")
	switch form {
	case "pem", "der", "p12", "jks", "env", "install":
	default:
		return console.Usage(fmt.Errorf("unknown --format %q: want one of pem, der, p12, jks, env, install", form))
	}
	if c.Bool("apply") && (what != "export" || form != "install") {
		return console.Usage(errors.New("--apply needs --format install"))
	}
	if err := checkOut(c); err != nil {
		return err
	}
	ca, err := openAuthority(c.String("ca-dir"))
	if err != nil {
		return err
	}
	t.warnExposed(ca)
	var data []byte
	switch {
	case what == "print":
		return t.printCA(ca)
	case form == "env":
		data, err = client.Exports(ca)
	case form == "install":
		install, undo, ierr := ca.Install(thisSystem())
		if ierr == nil && c.Bool("apply") {
			return t.runSteps(c.Context, t.console(c), install)
		}
		data, err = installScript(install, undo), ierr
	default:
		data, err = ca.Export(certs.Form(form), c.Bool("roots"), c.String("password"))
		if f, ok := t.out.(*os.File); err == nil && ok && form != "pem" && c.String("out") == "" &&
			term.IsTerminal(int(f.Fd())) {
			err = console.Usage(fmt.Errorf("refusing to write binary %s to a terminal; use --out FILE", form))
		}
	}
	if err != nil {
		return err
	}
	return t.emit(c, "", func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
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
